"""The base of a widget that is live in Jupyter, and equally alive in a web page with no kernel."""

import difflib
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_stack
from types import SimpleNamespace
from typing import Any, ClassVar
from uuid import uuid4

import anywidget
import traitlets

from anywidget_static import esbuild, page
from anywidget_static.page import Source
from anywidget_static.traits import InputError, UnknownInput, bounds_of

LOADER = (page.script_folder() / "jupyter.mjs").read_text("utf8")
LOADER = re.sub(r"//.*|\n *| (?=\W)|(?<=\W) ", "", LOADER)  # each widget saves it


def _sent(value: Any, widget: "Widget") -> Any:
    return page.packed(value) if widget._bundle else value


def _received(value: Any, widget: "Widget") -> Any:
    return json.loads(value) if widget._bundle and isinstance(value, str) else value


# Of a package's widgets a notebook saves JSON: else each entry of a list would have a line of its own.
PACKED = {"to_json": _sent, "from_json": _received}


class Widget(anywidget.AnyWidget):
    """An anywidget with a `text/html` form, which a static page shows and its script brings to life.

    A widget is a class and, beside its file, the module `file.mjs` (with `file.css`, if it has a style): or `_esm` and
    `_css` name others, as in anywidget. A subclass tags its inputs `sync=True`, and `link=True` what a reader can
    change: this a link to the widget carries, and "Start again" puts back. It compares its inputs in `check`, and returns
    in `fallback` the HTML that is read where no script runs: without JavaScript, in print, by a crawler. `_alive` says in a few
    words what the reader could do with a script. On a page a widget has an address of its own, made from its title.

    A package of many widgets sets `_bundle` on their common base to the folder that `anywidget_static.esbuild.build`
    fills: a notebook then carries the modules once, however many widgets it holds.
    """

    _bundle: ClassVar[Path | None] = None
    _stem: ClassVar[str]
    _alive: ClassVar[str] = ""
    title = traitlets.Unicode().tag(sync=True, **PACKED)
    _bounds = traitlets.Dict(read_only=True).tag(sync=True, **PACKED)
    _module = traitlets.Unicode(read_only=True).tag(sync=True)
    _library = traitlets.Unicode().tag(sync=True)

    def __init_subclass__(cls, **options: Any) -> None:
        base = cls.__mro__[1]  # traitlets derives a class for each instance too, with the same names
        if (cls.__module__, cls.__qualname__) != (base.__module__, base.__qualname__):
            cls._connect()
        super().__init_subclass__(**options)

    @classmethod
    def _connect(cls) -> None:
        """Find the module and the style, and check every input beside the others whenever one changes."""
        file = _file(cls)
        inside = file and cls._bundle and file.resolve().parent == cls._bundle.resolve().parent
        if inside or not (cls._bundle and hasattr(cls, "_stem")):  # elsewhere a subclass keeps the package's module
            cls._stem = file.stem if file else cls.__name__
        if cls._bundle:
            cls._esm = LOADER
        elif file and "_esm" not in vars(cls) and file.with_suffix(".mjs").exists():
            cls._esm = file.with_suffix(".mjs")
            if file.with_suffix(".css").exists():
                cls._css = file.with_suffix(".css")
        own = cls.mro()[: cls.mro().index(Widget)]
        traits = {name: trait for part in reversed(own) for name, trait in vars(part).items()}
        inputs = [n for n, t in traits.items() if isinstance(t, traitlets.TraitType) and t.metadata.get("sync")]
        for name in inputs:
            if not name.startswith("_"):
                traits[name].metadata = PACKED | traits[name].metadata
        if inputs:
            cls._check_input = traitlets.validate(*inputs)(Widget._checked)

    def __init__(self, **options: Any) -> None:
        if unknown := options.keys() - set(self.trait_names()):
            raise self._unknown("option ", sorted(unknown)[0])
        if self._bundle:
            options["_library"] = library(type(self)).model_id
        with _as_input_error():
            super().__init__(**options)

    def __setattr__(self, name: str, value: Any) -> None:
        if not (hasattr(type(self), name) or name.startswith("_")):
            raise self._unknown("", name)
        with _as_input_error():
            super().__setattr__(name, value)

    def _unknown(self, kind: str, name: str) -> UnknownInput:
        near = difflib.get_close_matches(name, self.trait_names(sync=True), 1, 0.8)
        return UnknownInput(
            f"{type(self).__name__} has no {kind}{name!r}{f'; did you mean {near[0]!r}?' if near else ''}"
        )

    @traitlets.default("_bounds")
    def _bounds_of_traits(self) -> dict[str, Any]:
        return bounds_of(self.traits())

    @traitlets.default("_module")
    def _module_of_class(self) -> str:
        return self._stem

    def check(self, inputs: SimpleNamespace) -> None:
        """Raise `InputError` when the inputs do not fit each other."""

    def _checked(self, proposal: Any) -> Any:
        """The traitlets validator of every input of a subclass: the proposed value, checked beside the others.

        To change several inputs that must fit, set them inside `hold_trait_notifications()`: they
        are checked together at its end, and all put back if they do not fit.
        """
        self.check(SimpleNamespace(**self.state() | {proposal["trait"].name: proposal["value"]}))
        return proposal["value"]

    def fallback(self) -> str:
        """HTML to read where no script runs. Texts in it must be escaped."""
        return ""

    def state(self) -> dict[str, Any]:
        """The synced inputs by name, with their bounds: what a page's script takes."""
        return page.inputs({name: getattr(self, name) for name in self.trait_names(sync=True)})

    def to_html(self) -> str:
        """The widget as it stands in a page of its own: what is read without a script, and its state."""
        return page.named(page.filled(self._shell(), {self.model_id: page.saved(self)}), self._module, set())

    def save(self, path: str | Path) -> Path:
        """Write the widget as it is now into one HTML file, which opens anywhere, offline, from a folder too.

        The file has its state, style and script, and follows the browser's light or dark. One that is there is
        replaced. Returns its path. Raises FileNotFoundError when the folder is missing, and `esbuild.BuildError` when
        esbuild, which joins the module with what it imports, is missing: a module of a package that says
        `export const savable = true;` was joined by `python -m anywidget_static`.
        """
        path, saved = Path(path), page.saved(self)
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent} to save {path.name} in")
        of_library = self._bundle and Source(self._module, package=library(type(self)).package)
        source = of_library or page.source(saved, {})
        html = page.named(page.filled(self._shell(), {self.model_id: saved}), source.name, set())
        text = page.whole(self.title or type(self).__name__, html, *esbuild.page_of(source, self._bundle))
        path.write_text(text, encoding="utf8", errors="xmlcharrefreplace")  # for half of a surrogate pair
        return path

    def _shell(self) -> str:
        anchor = page.anchor_of(self._module, self.title)
        return page.shell(self._module, anchor, self.model_id, self.fallback(), self._alive)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:  # anywidget's word for a widget without a view
            return None
        data, metadata = bundle
        return data | {"text/html": self._shell()}, metadata

    def _ipython_display_(self) -> None:
        """Two outputs, the widget and its table: of one with both forms Jupyter shows the first, even where it has no life.

        Who asks IPython for the forms alone, as `glue` does, calls `format_display_data`. Behind it, and behind
        `display` and the end of a cell, stands the same call of the same formatter, so that the stack alone tells them apart.
        """
        from IPython.core.formatters import format_display_data
        from IPython.display import display

        bundle = None if self.comm is None else super()._repr_mimebundle_()  # of a closed one IPython shows the name
        if bundle is None or any(frame.f_code is format_display_data.__code__ for frame, _ in walk_stack(None)):
            raise NotImplementedError  # IPython then goes on as if this were not here
        data, metadata = bundle
        html = page.kept(self.fallback(), self._alive, alone=not self._bundle)
        display({page.VIEW: data[page.VIEW], "text/plain": ""}, raw=True, metadata=metadata)
        display({"text/plain": data["text/plain"], "text/html": html}, raw=True)


@contextmanager
def _as_input_error() -> Iterator[None]:
    """An error that traitlets has of its own becomes an `InputError` with the same words."""
    try:
        yield
    except InputError:
        raise
    except traitlets.TraitError as error:
        raise InputError(str(error)) from error


class Library(anywidget.AnyWidget):
    """The modules and the style of a package's widgets: one for each kernel, which all of them load from."""

    key = traitlets.Unicode().tag(sync=True)
    package = traitlets.Unicode().tag(sync=True)


_libraries: dict[Path, Library] = {}


def library(cls: type[Widget]) -> Library:
    base = next(part for part in cls.mro() if vars(part).get("_bundle"))
    bundle: Path = vars(base)["_bundle"]
    known = _libraries.get(bundle)
    if known is None or known.comm is None:  # closed with all widgets
        files: dict[str, Any] = {"_esm": bundle / "widgets.mjs", "_css": bundle / "widgets.css"}
        for file in files.values():
            if not file.exists():
                raise FileNotFoundError(
                    f"{file} is missing: build it with `python -m anywidget_static {bundle.parent}`"
                )
        key, package = uuid4().hex, getattr(sys.modules.get(base.__module__), "__package__", None) or ""
        if os.environ.get("ANYWIDGET_HMR") != "1":  # else anywidget follows the files
            texts = [file.read_text(encoding="utf8") for file in files.values()]
            files = {"_esm": page.packed_library(package, *texts)}
        known = type("Library", (Library,), files)(model_id=key, key=key, package=package)
        _libraries[bundle] = known
    return known


def _file(cls: type) -> Path | None:
    """The file of a class; None for one of a notebook's cell."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return Path(file) if file else None
