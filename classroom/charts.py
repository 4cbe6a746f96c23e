"""The points of a class as tables with bars, and what else is counted. The bars are drawings: numbers stand beside them."""

import math
from collections.abc import Iterator, Mapping
from statistics import median

from classroom.feedback import number
from classroom.minutes import PAUSE
from classroom.misconceptions import Class

BINS = 7


def facts(found: Class) -> Iterator[str]:
    """How many handed in, their points in all, and their minutes."""
    waits = f", {found.ungraded} handed in and without a grade" if found.ungraded else ""
    absent = "who handed nothing in is not known: the course has no students.csv"
    if found.absent is not None:
        absent = f"{found.absent} of students.csv handed nothing in"
    exempt = f", {found.exempt} exempt" if found.exempt else ""
    yield f"<strong>{many(found.students, 'student')}</strong> with a grade{waits}; {absent}{exempt}."
    settled = [question for question in found.questions if not question.waiting]
    if settled:
        middle, whole = median(found.totals), sum(sum(question.most.values()) for question in settled)
        spread = f"from {number(min(found.totals))} to {number(max(found.totals))}"
        yield f"Points: median <strong>{number(middle)}</strong> of {number(whole)}, {spread}."
    told = (
        f"{many(len(found.minutes), 'notebook says', 'notebooks say')} it, from the times at which cells were last run"
    )
    if found.minutes:
        spread = f"from {found.minutes[0]} to {found.minutes[-1]}"
        pauses = f"pauses over {PAUSE // 60} minutes are left out"
        yield f"Minutes: median <strong>{median(found.minutes):.0f}</strong>, {spread} ({told}; {pauses})."
    else:
        yield "Minutes: unknown. No notebook says when its cells were run."


def points(found: Class, titles: Mapping[str, str]) -> str:
    """How the points are distributed, in all and by question; `titles` are the questions' as HTML."""
    settled = [question for question in found.questions if not question.waiting]
    waiting = [titles[question.title] for question in found.questions if question.waiting]
    waits = f'<p class="note">Not in the total, as answers wait for your points: {", ".join(waiting)}.</p>'
    whole = sum(sum(question.most.values()) for question in settled)
    return f"{_distribution(found.totals, whole) if settled else ''}{waits if waiting else ''}{_by_question(found, titles)}"


def _distribution(totals: list[float], whole: float) -> str:
    """How many students have how many points in all."""
    width = max(1, math.ceil((whole + 1) / BINS))
    bins = [0] * (int(whole // width) + 1)
    for total in totals:
        bins[int(total // width)] += 1
    rows = ""
    for at, count in enumerate(bins):
        low, high = at * width, min((at + 1) * width - 1, whole)
        label = f"{number(low)}" if low == high else f"{number(low)}–{number(high)}"
        if any(total % 1 for total in totals):
            label = f"{number(low)} to under {number(low + width)}"
        bar = _bar([("right", count)], max(bins))
        rows += f'<tr><th scope="row">{label}</th><td class="wide">{bar}</td><td>{count}</td></tr>'
    head = '<tr><th scope="col">Points</th><td></td><th scope="col">Students</th></tr>'
    return f'<table class="bars"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _by_question(found: Class, titles: Mapping[str, str]) -> str:
    rows = ""
    for one in found.questions:
        title = f'<th scope="row">{titles[one.title]}'
        if one.waiting:
            rows += (
                f'<tr>{title}</th><td colspan="5">{many(one.waiting, "answer waits", "answers wait")} for you</td></tr>'
            )
            continue
        full = sum(earned == most for earned, most in one.points)
        none = sum(earned == 0 for earned, _ in one.points)
        counts = full, len(one.points) - full - none, none - len(one.empty), len(one.empty)
        bar = _bar([*zip(("right", "partly", "wrong", "empty"), counts, strict=True)], len(one.points))
        mean = sum(earned for earned, _ in one.points) / len(one.points)
        of = f"{mean:.1f} of {number(sum(one.most.values()))}"
        rows += f"<tr>{title}{bar}</th><td>{of}</td>{''.join(f'<td>{count}</td>' for count in counts)}</tr>"
    names = ("Question", "Mean", "All", "Part", "None", "Empty")
    head = "".join(f'<th scope="col"><span class="{name.lower()}">{name}</span></th>' for name in names)
    return f'<table class="questions"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _bar(parts: list[tuple[str, int]], whole: int) -> str:
    """Parts of a whole, side by side; what they say stands beside them in numbers."""
    at, made = 0.0, ""
    for kind, count in parts:
        wide = 100 * count / max(whole, 1)
        made += f'<rect class="{kind}" x="{at:.2f}" width="{wide:.2f}" height="10"/>' if count else ""
        at += wide
    return f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{made}</svg>'


def many(count: int, one: str, several: str = "") -> str:
    return f"{count} {one if count == 1 else several or f'{one}s'}"
