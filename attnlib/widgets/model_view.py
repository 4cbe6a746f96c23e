"""ModelView: every head of a model reading one text, each of them large, and the arithmetic of one weight."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets

from anywidget_static import InputError, Numbers, OneOf, Real, Whole
from attnlib.models.effects import effects_of
from attnlib.models.packing import Head, Vectors, pack_vectors
from attnlib.models.recording import Recording
from attnlib.models.scores import CHOICE, SCORES
from attnlib.widgets.base import PageWidget, check_index
from attnlib.widgets.tables import table

FORMS = ("grid", "arcs", "numbers")
HABITS = tuple(name for name in SCORES if name != "entropy")
MARKED = 0.5  # a head is marked by what it does with this share of its weight
FEWEST = 3  # and if so many queries say it
MOST = 10  # tokens whose whole grid is a table
KEPT = 11  # heads beside the one that is large
LATE = ["small", "heads", "scores", "vectors", "effects"]  # of all readings but the first: a page loads them on demand


class Recordings(traitlets.TraitType[list[dict[str, Any]], Any]):
    """One or several recordings; takes what `Recording.to_dict` gave, a Recording, or what `Recording.of` takes."""

    def validate(self, owner: Any, value: Any) -> list[dict[str, Any]]:
        given = value if isinstance(value, list | tuple) else [value]
        if not given:
            raise InputError("readings is empty")
        try:
            return [recorded(one).to_dict() for one in given]
        except (KeyError, AttributeError, TypeError) as error:
            raise InputError(f"readings must be Readings or Recordings: {error}") from error
        except ValueError as error:
            raise InputError(str(error)) from error


class Heads(Numbers):
    """Pairs of a layer and a head."""

    def validate(self, owner: Any, value: Any) -> list[list[int]]:
        pairs = super().validate(owner, value)
        if any(place != int(place) for pair in pairs for place in pair):
            raise InputError(f"{self.name} must be pairs of integers, got {value}")
        return [[int(place) for place in pair] for pair in pairs]


def recorded(given: Any) -> Recording:
    """A recording of what a view is given."""
    if isinstance(given, Recording):
        return given
    return Recording.from_dict(given) if isinstance(given, dict) else Recording.of(given)


def stacks_of(given: Any) -> list[tuple[Any, str, Recording]]:
    """What a view shows of a reading, a stack or a recording: the live reading or None, the stack's name, and a recording."""
    stacks = getattr(given, "stacks", None)
    if not stacks:
        return [(None, "", recorded(given))]
    names = {name: given.model if len(stacks) == 1 else f"{given.model}, {name}" for name in stacks}
    return [(given, name, Recording.of(stack, name=names[name])) for name, stack in stacks.items()]


class ModelView(PageWidget):
    """All heads of a model as small pictures, and one of them large: as a grid, as arcs, or in numbers.

    `readings` are what `attnlib.models.read` gave, stacks of them, or Recordings: several are several texts to choose
    from, of one model or of more. `shown` is the one that is looked at, and `beside` another that stands beside it, or None.
    The head `head` of the layer `layer` is large, and those in `kept`, pairs of a layer and a head, stay beside it: their
    arcs are drawn over each other. `query` and `key` are the chosen tokens, which the others step back behind. None means
    all of them, and in numbers the last query and its strongest key. Everything is counted from 0. `sort` is "layer" or
    a score of `attnlib.models.scores.SCORES`, `form` one of "grid", "arcs" and "numbers"; weights below `least` are not
    drawn. With `silenced` the view says what changes when the head and the kept ones add nothing, if it was given a
    Reading, which is asked again; or, for one head, if that was recorded (`effects`).

    Raises:
        ValueError: an `InputError`, for what cannot be recorded, and a reading, layer or head that is not
            there.

    >>> from attnlib.models.recording import Recording
    >>> view = ModelView(Recording.from_grids([[[[1, 0], [0.25, 0.75]]]], ["we", "read"]))
    >>> view.grid.round(2).tolist()
    [[1.0, 0.0], [0.25, 0.75]]
    """

    _alive = "see every head large, as a grid, as arcs and in numbers, and sort the heads by what they do"
    title = traitlets.Unicode("All heads of a model").tag(sync=True)
    provenance = traitlets.Unicode("recorded").tag(sync=True)
    readings = Recordings(default_value=[]).tag(sync=True, on_demand=LATE)
    shown = Whole(0, min=0).tag(sync=True, link=True)
    beside = Whole(None, min=0, allow_none=True).tag(sync=True, link=True)
    layer = Whole(0, min=0).tag(sync=True, link=True)
    head = Whole(0, min=0).tag(sync=True, link=True)
    query = Whole(None, min=0, allow_none=True).tag(sync=True, link=True)
    key = Whole(None, min=0, allow_none=True).tag(sync=True, link=True)
    sort = OneOf(("layer", *SCORES), "layer").tag(sync=True, link=True)
    form = OneOf(FORMS, "grid").tag(sync=True, link=True)
    least = Real(0.0, min=0, max=1).tag(sync=True, link=True)
    silenced = traitlets.Bool(False).tag(sync=True, link=True)
    kept = Heads("heads 2", [], optional=True, maxlen=KEPT).tag(sync=True, link=True)
    meanings = traitlets.Dict({"": CHOICE} | SCORES, read_only=True).tag(sync=True)
    live = traitlets.List(traitlets.Bool()).tag(sync=True)
    effects_now = traitlets.List(traitlets.Dict()).tag(sync=True)
    vectors_now = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(self, *readings: Any, **options: Any) -> None:
        if "readings" in options:
            given = options.pop("readings")
            readings = (*readings, *(given if isinstance(given, list | tuple) else [given]))
        try:
            found = [one for given in readings for one in stacks_of(given)]
        except (KeyError, AttributeError, TypeError) as error:
            raise InputError(f"readings must be Readings or Recordings: {error}") from error
        except ValueError as error:
            raise InputError(str(error)) from error
        self._live = [(reading, name) for reading, name, _ in found]
        options["live"] = [reading is not None for reading, _ in self._live]
        super().__init__(readings=[recording for *_, recording in found], **options)
        self._made = self.readings
        if any(self.live):
            self.observe(self._forget, "readings")
            self.observe(self._answer, ["silenced", "kept", "layer", "head", "shown", "beside", "form"])
            self._answer(None)

    @property
    def recording(self) -> Recording:
        """The reading that is looked at."""
        return Recording.from_dict(self.readings[self.shown])

    @property
    def grid(self) -> np.ndarray:
        """The weights of the head that is large, (n_q, n_k), each within 1/510 of the true one."""
        return self.recording.grid(self.layer, self.head)

    def check(self, inputs: SimpleNamespace) -> None:
        if not inputs.readings:
            return  # not given yet
        check_index("shown", inputs.shown, len(inputs.readings))
        if inputs.beside is not None:
            check_index("beside", inputs.beside, len(inputs.readings))
        check_index("layer", inputs.layer, inputs.readings[inputs.shown]["num_layers"])
        check_index("head", inputs.head, inputs.readings[inputs.shown]["num_heads"])
        for layer, head in inputs.kept:
            check_index("kept layer", layer, inputs.readings[inputs.shown]["num_layers"])
            check_index("kept head", head, inputs.readings[inputs.shown]["num_heads"])

    def fallback(self) -> str:
        recording = self.recording
        tokens, keys = recording.tokens, recording.key_tokens
        caption = self.caption("query (row) reads from key (column).")
        what = f"{caption} {recording.name}: “{' '.join(tokens[:64])}{' …' if len(tokens) > 64 else ''}”."
        names = [f"layer {layer + 1}" for layer in range(recording.num_layers)]
        marks = [["; ".join(habits(recording, layer)) or "–"] for layer in range(recording.num_layers)]
        out = table(
            f"{what} Heads with half of their weight or more in one place.", ["heads"], zip(names, marks, strict=True)
        )
        if max(len(tokens), len(keys)) > MOST:
            return out
        grid = self.grid.astype(float)
        title = f"{recording.name}, head {self.layer + 1}.{self.head + 1}."
        return out + table(title, keys, zip(tokens, grid, strict=True), grid)

    def _forget(self, change: Any) -> None:
        """Other readings than the view was made of come without a model."""
        self.live, self.effects_now, self.vectors_now = [False] * len(self.readings), [], []

    def _answer(self, change: Any) -> None:
        """What the kernel knows and the page does not, of each side: what silencing these heads changes, and vectors."""
        if self.readings is not self._made:
            return
        sides = [at for at in dict.fromkeys((self.shown, self.beside)) if at is not None and self.live[at]]
        if self.silenced:
            self.effects_now = [self._effects(at, self._heads(at)) for at in sides]
        if self.form == "numbers":
            self.vectors_now = [self._vectors(at, self._heads(at)[0]) for at in sides]

    def _heads(self, at: int) -> list[Head]:
        """The large head and the kept ones, as far as a reading has so many layers and heads."""
        last = [self.readings[at][name] - 1 for name in ("num_layers", "num_heads")]
        every = [(self.layer, self.head), *self.kept]
        return list(dict.fromkeys((min(layer, last[0]), min(head, last[1])) for layer, head in every))

    def _effects(self, at: int, heads: list[Head]) -> dict[str, Any]:
        asked = {"shown": at, "heads": [list(head) for head in heads]}
        known = [one for one in self.effects_now if one.items() >= asked.items()]
        return known[0] if known else asked | effects_of(*self._live[at], heads)

    def _vectors(self, at: int, head: Head) -> dict[str, Any]:
        reading, name = self._live[at]
        stack = reading.stacks[name]
        packed = pack_vectors({head: Vectors.of(stack, *head)}, len(stack.tokens), len(stack.key_tokens))
        return {"shown": at} | (packed or {})


def habits(recording: Recording, layer: int) -> list[str]:
    """What the heads of a layer do with half of their weight or more: "1.4 previous token 0.95"."""
    found = []
    for head in range(recording.num_heads):
        known = [name for name in HABITS if name in recording.scores and recording.cases[name] >= FEWEST]
        shares = [(recording.scores[name][layer, head], name) for name in known]
        share, name = max(shares, key=lambda one: one[0], default=(0, ""))
        if share >= MARKED:
            found.append(f"{layer + 1}.{head + 1} {name} {share:.2f}")
    return found
