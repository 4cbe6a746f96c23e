"""ModelView: what it takes, what it says without a script, and what the kernel answers."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from attnlib.models.recording import Recording
from attnlib.scaled_dot_product import softmax
from attnlib.widgets import InputError, ModelView

RNG = np.random.default_rng(0)
N, LAYERS, HEADS = 4, 2, 3


def causal(n=N, layers=LAYERS, heads=HEADS, seed=0):
    scores = np.random.default_rng(seed).normal(size=(layers, heads, n, n))
    return softmax(np.where(np.tri(n, dtype=bool), scores, -np.inf))


def words(n=N):
    return [f"w{i}" for i in range(n)]


def recording(n=N, **options):
    return Recording.from_grids(causal(n), words(n), **options)


class Stack(SimpleNamespace):
    """A stack as attnlib.models gives it."""

    def __init__(self, name="self"):
        marks = [False] * N
        super().__init__(name=name, tokens=words(), special=marks, key_tokens=words(), key_special=marks)
        self.num_layers, self.num_heads, self.causal = LAYERS, HEADS, True
        self.grids, self.vectors = causal(), RNG.normal(size=(LAYERS, HEADS, N, 5))

    def grid(self, layer, head):
        return self.grids[layer, head].astype(np.float32)

    def queries(self, layer, head):
        return self.vectors[layer, head]

    keys = queries

    def scale(self, layer):
        return 1.0

    def softcap(self, layer):
        return None

    def sink(self, layer, head):
        return None

    def mask(self, layer):
        return np.tri(N, dtype=bool)

    def bias(self, layer, head):
        return None


class Reading(SimpleNamespace):
    """A live reading, which says what it was asked."""

    def __init__(self, logits=None):
        super().__init__(model="tiny", stacks={"self": Stack()}, logits=logits, asked=[])
        self.stack, self.states = self.stacks["self"], np.eye(N)

    def token(self, number):
        return f"word {number}"

    def silenced(self, heads, stack=None):
        self.asked.append((list(heads), stack))
        logits = None if self.logits is None else self.logits[:, ::-1]
        return SimpleNamespace(logits=logits, states=np.eye(N)[[0, 1, 3, 2]])


def test_what_a_silent_head_makes_the_likeliest_is_shown_however_unlikely_it_was():
    logits = np.zeros((N, 60))
    logits[-1] = np.arange(60, 0, -1)
    found = Recording.of(Reading(logits), effects="all").effects
    assert found["labels"] == [*(f"word {i}" for i in range(5)), "word 59"]


def test_one_or_several_readings_stacks_and_recordings_are_taken():
    for given in (recording(), Stack(), Reading(), recording().to_dict()):
        view = ModelView(given)
        assert len(view.readings) == 1
        assert view.grid.shape == (N, N)
    view = ModelView(recording(), recording(6), shown=1)
    assert view.recording.tokens == words(6)
    assert ModelView(readings=[recording()]).recording.tokens == words()


def test_a_reading_of_several_stacks_shows_each():
    reading = Reading()
    reading.stacks = {name: Stack(name) for name in ("encoder", "decoder", "cross")}
    view = ModelView(reading)
    assert [one["name"] for one in view.readings] == ["tiny, encoder", "tiny, decoder", "tiny, cross"]
    assert "key_tokens" in view.readings[2]


def test_weights_are_those_of_the_recording():
    view = ModelView(recording(), layer=1, head=2)
    assert np.abs(view.grid - causal()[1, 2]).max() <= 1 / 510 + 1e-7


def test_python_answers_with_the_next_tokens_and_with_vectors():
    logits = np.zeros((N, 5))
    logits[-1] = [3, 2, 1, 0, 0]
    reading = Reading(logits)
    view = ModelView(reading, layer=1)
    assert view.live == [True]
    assert view.effects_now == []
    view.silenced = True
    assert reading.asked == [([(1, 0)], "self")]
    chances = softmax(logits[-1])
    (now,) = view.effects_now
    assert now["labels"] == [f"word {i}" for i in (0, 1, 2, 4, 3)]
    assert now["before"] == chances[[0, 1, 2, 4, 3]].round(3).tolist()
    assert now["after"] == chances[::-1][[0, 1, 2, 4, 3]].round(3).tolist()
    view.head = 2
    assert reading.asked[1:] == [([(1, 2)], "self")]
    assert view.effects_now[0]["heads"] == [[1, 2]]
    view.form = "numbers"
    (vectors,) = view.vectors_now
    assert vectors["heads"] == [[1, 2, 5, None]]
    sent = np.frombuffer(vectors["data"], "<f2")
    assert (sent[: N * 5].reshape(N, 5) == reading.stack.queries(1, 2).astype(np.float16)).all()
    view.silenced = False
    view.silenced = True
    assert len(reading.asked) == 2  # known already
    view.kept = [(0, 1), [1, 2]]
    assert view.kept == [[0, 1], [1, 2]]
    assert reading.asked[2:] == [([(1, 2), (0, 1)], "self")]


def test_without_a_language_models_head_the_last_states_are_compared():
    (now,) = ModelView(Reading(), silenced=True).effects_now
    assert now["after"] == [0, 0, 1]
    assert now["labels"][:2] == ["w2 (3)", "w3 (4)"]


def test_what_an_encoder_fills_in_is_not_taken_for_a_next_token():
    reading = Reading(np.zeros((N, 5)))
    reading.stack.causal = False
    view = ModelView(reading, silenced=True)
    assert view.effects_now[0]["what"].startswith("cosine")


def test_other_readings_come_without_a_model():
    reading = Reading()
    view = ModelView(reading)
    view.readings = [recording()]
    view.silenced = True
    assert reading.asked == []
    assert view.live == [False]


def test_what_a_model_answered_goes_with_its_reading():
    view = ModelView(Reading(), form="numbers", silenced=True)
    assert view.effects_now
    assert view.vectors_now
    with view.hold_trait_notifications():
        view.shown = 1
        view.readings = [recording(), recording(6)]
    assert view.effects_now == view.vectors_now == []


def test_one_recording_is_taken_by_name_too():
    for one in (recording(), recording().to_dict()):
        assert ModelView(readings=one).recording.tokens == words()


def test_bytes_travel_beside_the_state(page_of):
    state = json.loads(page_of(ModelView(recording(40))).state)
    paths = [tuple(one["path"]) for one in state["_buffers"]]
    assert ("readings", 0, "small") in paths
    assert ("readings", 0, "heads", 5) in paths
    assert "small" not in state["readings"][0]


BAD = {
    "none": (lambda: ModelView(readings=[]), "readings is empty"),
    "shown": (lambda: ModelView(recording(), shown=1), "shown 1 is outside 0 … 0"),
    "beside": (lambda: ModelView(recording(), beside=3), "beside 3 is outside 0 … 0"),
    "layer": (lambda: ModelView(recording(), layer=2), "layer 2 is outside 0 … 1"),
    "head": (lambda: setattr(ModelView(recording()), "head", 3), "head 3 is outside 0 … 2"),
    "kept": (lambda: ModelView(recording(), kept=[(0, 1), (2, 0)]), "kept layer 2 is outside 0 … 1"),
    "kept head": (lambda: ModelView(recording(), kept=[(1, 3)]), "kept head 3 is outside 0 … 2"),
    "kept half": (lambda: ModelView(recording(), kept=[(0.5, 0)]), "kept must be pairs of integers"),
    "kept shape": (lambda: ModelView(recording(), kept=[0]), r"kept must have shape \(heads, 2\)"),
    "kept many": (lambda: ModelView(recording(), kept=[(0, 0)] * 12), "kept must have from 0 to 11 entries, got 12"),
    "query": (lambda: ModelView(recording(), query=-1), "query must be 0 or more, got -1"),
    "sort": (lambda: ModelView(recording(), sort="size"), "sort must be one of layer, previous token"),
    "form": (lambda: ModelView(recording(), form="tree"), "form must be one of grid, arcs, numbers"),
    "least": (lambda: ModelView(recording(), least=2), "least must be from 0 to 1, got 2"),
    "kind": (lambda: ModelView("text"), "readings must be Readings or Recordings"),
    "cut": (lambda: ModelView(recording().to_dict() | {"small": b"1"}), "small has 1 bytes"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(InputError, match=message):
        call()


def test_the_page_form_names_the_marked_heads_and_shows_one_grid(page_of):
    grids = np.tile(np.eye(N)[[0, 0, 1, 2]], (LAYERS, HEADS, 1, 1))
    grids[0, 1] = np.tri(N) / np.arange(1, N + 1)[:, None]
    page = page_of(ModelView(Recording.from_grids(grids, words(), name="tiny"), layer=1, head=1))
    assert page.tags.count("table") == 2
    assert page.cells[:4] == ["", "heads", "layer 1", "1.1 previous token 1.00; 1.3 previous token 1.00"]
    assert page.cells[6:] == ["", *words(), "w0", "1.00", "0.00", "0.00", "0.00", "w1", "1.00", *["0.00"] * 3,
        "w2", "0.00", "1.00", "0.00", "0.00", "w3", "0.00", "0.00", "1.00", "0.00"]  # fmt: skip
    assert page_of(ModelView(recording(11))).tags.count("table") == 1


def test_a_score_of_few_queries_marks_no_head(page_of):
    tokens = ["the", "cat", "saw", "the", "dog", "run"]
    grids = np.eye(6)[[0, 0, 0, 1, 2, 0]][None, None]
    view = ModelView(Recording.from_grids(grids, tokens))
    assert view.recording.scores["induction"][0, 0] == 1
    assert page_of(view).cells[3] == "1.1 first token 0.60"


def test_texts_are_never_html(page_of, hostile):
    tokens = ["<img>", "</script>", "\ud83d", "שלום"]
    page = page_of(ModelView(Recording.from_grids(causal(), tokens, name=hostile), title=hostile))
    assert "img" not in page.tags
    assert "<img>" in page.cells
    assert "</script" not in page.state
