"""What is done of the exercises, as far as this session of Python knows."""

import html
from collections.abc import Mapping
from dataclasses import dataclass

from attnlib.exercises.harness import Exercise


@dataclass(frozen=True)
class Progress:
    """For each chapter its exercises; for those that were tried, the most points and how many there are."""

    chapters: Mapping[int, tuple[Exercise, ...]]
    points: Mapping[str, tuple[int, int]]

    def done(self, chapter: int) -> int:
        """How many exercises of a chapter are right."""
        return sum(points == of for points, of in map(self._points, self.chapters[chapter]))

    def _points(self, exercise: Exercise) -> tuple[int, int]:
        return self.points.get(exercise.id, (0, max(1, len(exercise.properties))))

    def _heading(self, chapter: int) -> str:
        return f"Chapter {chapter}: {self.done(chapter)} of {len(self.chapters[chapter])} done"

    def _row(self, exercise: Exercise) -> tuple[str, str, str, str]:
        points, of = self._points(exercise)
        mark = "✓" if points == of else "·" if exercise.id in self.points else ""
        return mark, exercise.title, exercise.id, f"{points} of {of}" if exercise.id in self.points else ""

    def __repr__(self) -> str:
        lines = []
        for chapter, exercises in self.chapters.items():
            lines.append(self._heading(chapter))
            rows = [self._row(exercise) for exercise in exercises]
            widths = [max(len(row[i]) for row in rows) for i in (1, 2)]
            lines += [f"  {m or ' '} {t.ljust(widths[0])}  {i.ljust(widths[1])}  {p}".rstrip() for m, t, i, p in rows]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = ""
        for chapter, exercises in self.chapters.items():
            rows = ""
            for exercise in exercises:
                mark, title, id, points = map(html.escape, self._row(exercise))
                rows += (
                    f"<tr><td>{mark}</td><th scope='row'>{title}</th><td><code>{id}</code></td><td>{points}</td></tr>"
                )
            parts += f"<table class='check-progress'><caption>{self._heading(chapter)}</caption><tbody>{rows}</tbody></table>"
        return f"<div class='check'>{parts}</div>"
