"""The reading list: each entry of references.bib is one line, its title a link, and then what to read it for."""

from pybtex.database import BibliographyData, Entry, Person
from pybtex.plugin import register_plugin
from pybtex.richtext import HRef, Tag, Text
from pybtex.style import FormattedEntry
from pybtex.style.formatting import BaseStyle


def names(people: list[Person]) -> str:
    """First and last names of up to four, or the first "and others".

    >>> names([Person("Bahdanau, Dzmitry"), Person("Cho, Kyunghyun"), Person("Bengio, Yoshua")])
    'Dzmitry Bahdanau, Kyunghyun Cho and Yoshua Bengio'
    >>> names([Person("Rabe, Markus N."), Person("others")])
    'Markus N. Rabe and others'
    """
    parts = [[*p.first_names, *p.middle_names, *p.prelast_names, *p.last_names] for p in people]
    each = [str(Text.from_latex(" ".join(part))) for part in parts]
    if len(each) > 4:
        each = [each[0], "others"]
    return " and ".join(filter(None, [", ".join(each[:-1]), each[-1]]))


class Annotated(BaseStyle):
    """*Title*, by its authors (year). What to read it for."""

    default_name_style = "plain"
    default_label_style = "number"
    default_sorting_style = "none"  # the order of the file

    def format_entry(self, label: str, entry: Entry, bib_data: BibliographyData | None = None) -> FormattedEntry:
        title = Tag("em", Text.from_latex(entry.fields["title"]))
        if "url" in entry.fields:
            title = HRef(entry.fields["url"], title)
        people = entry.persons.get("author", [])
        by = f"{'' if entry.fields['title'].endswith('?') else ','} by {names(people)}" if people else ""
        year = f" ({entry.fields['year']})" if "year" in entry.fields else ""
        return FormattedEntry(entry.key, Text(title, by, year, ". ", Text.from_latex(entry.fields["annote"])), label)


def register() -> None:
    """Make the style known under the name that `_config.yml` asks for."""
    register_plugin("pybtex.style.formatting", "annotated", Annotated)
