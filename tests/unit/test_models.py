"""What `read` gives, what it leaves as it was, and the sentence for what it cannot read."""

import re
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
from attnlib.models import Reading, Recording, Stack, read  # noqa: E402
from attnlib.models.hugging_face import as_numpy  # noqa: E402
from attnlib.models.reading import Layer  # noqa: E402
from attnlib.models.tokens import readable, visible  # noqa: E402
from attnlib.scaled_dot_product import softmax  # noqa: E402
from attnlib.widgets import ModelView  # noqa: E402
from tests.helpers import real_models  # noqa: E402
from tests.helpers.real_models import SIZE, TEXT, a_model  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread", "no_network")


@pytest.fixture(scope="module")
def tokenizer():
    return real_models.byte_level()


@pytest.fixture(scope="module")
def words():
    return real_models.word_pieces()


@pytest.fixture(scope="module")
def spaces():
    return real_models.marked_spaces()


def test_a_reading_is_numpys_and_shows_what_was_read(tokenizer):
    model = a_model("Llama")
    model.config.name_or_path = "house/tiny-llama"
    reading = read(model, tokenizer, "Houston we have")
    stack = reading.stack
    assert (reading.model, reading.text, reading.context) == ("tiny-llama", "Houston we have", None)
    assert list(reading.stacks) == [stack.name] == ["self"]
    assert stack.tokens == stack.key_tokens == ["Houston", "␣we", "␣have"]
    assert stack.special == stack.key_special == [False] * 3
    assert (stack.num_layers, stack.num_heads, stack.num_kv_heads, stack.d_head) == (4, 4, 2, 8)
    assert stack.scale(0) == 8**-0.5
    assert stack.softcap(0) is None
    assert stack.sink(0, 0) is None
    assert stack.causal
    assert stack.bias(0, 0) is None
    assert reading.logits.shape == (3, SIZE)
    assert reading.states.shape == (3, 32)
    for array in (reading.grid(1, 2), reading.queries(1, 2), reading.keys(1, 2), reading.values(1, 2), reading.states):
        assert array.dtype == np.float32
    np.testing.assert_array_equal(reading.grid(1, 2), stack.grid(1, 2))
    np.testing.assert_array_equal(stack.keys(0, 2), stack.keys(0, 3))  # of one key–value head
    assert (stack.keys(0, 1) != stack.keys(0, 2)).any()
    np.testing.assert_array_equal(stack.mask(0), np.tri(3, dtype=bool))
    assert read(a_model("GPT2"), tokenizer, "we").model == "GPT2LMHeadModel"  # without a name


def test_special_tokens_are_marked(words):
    stack = read(a_model("Bert"), words, "Houston <script>").stack
    assert (stack.tokens[0], stack.tokens[-1]) == ("[CLS]", "[SEP]")
    assert stack.special == [True, *[False] * (len(stack.tokens) - 2), True]
    assert not stack.causal
    assert read(a_model("Bert"), words, "").stack.tokens == ["[CLS]", "[SEP]"]


def test_what_stands_for_unknown_letters_is_of_the_text_and_no_separator(words, tokenizer):
    reading = read(a_model("Bert"), words, "Houston 日 we 日")
    stack = reading.stack
    unknown = [i for i, token in enumerate(stack.tokens) if token == "[UNK]"]
    assert len(unknown) == 2
    assert [i for i, mark in enumerate(stack.special) if mark] == [0, len(stack.tokens) - 1]
    grids = np.zeros((1, 1, len(stack.tokens), len(stack.tokens)))
    grids[..., unknown[0]] = 1
    assert Recording.from_grids(grids, stack.tokens, stack.special).scores["separator"] == 0
    # GPT-2's one special token begins and ends texts too, so that it is none of the text
    ends = type(tokenizer)(
        tokenizer_object=tokenizer.backend_tokenizer, bos_token="<s>", eos_token="<s>", unk_token="<s>"
    )
    assert read(a_model("GPT2"), ends, "<s>we").stack.special[:2] == [True, False]


def test_a_model_without_a_head_over_words_has_no_logits(tokenizer, words):
    base, whole = a_model("GPT2", "Model"), a_model("GPT2")
    base.load_state_dict(whole.transformer.state_dict())
    reading = read(base, tokenizer, TEXT)
    assert reading.logits is None
    np.testing.assert_array_equal(reading.states, read(whole, tokenizer, TEXT).states)
    assert read(a_model("Bert", "ForSequenceClassification"), words, TEXT).logits is None


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize(
    ("family", "path"), [("GPT2", "transformer.h.1.attn.c_proj"), ("Llama", "model.layers.1.self_attn.o_proj")]
)
def test_silenced_heads_are_slices_of_zero_before_the_output_projection(tokenizer, family, path, attention):
    model = a_model(family, attention=attention)
    reading = read(model, tokenizer, TEXT)
    silent = reading.silenced([(1, 0), (1, 2)])

    def zero(_, given):
        out = given[0].clone()
        out[..., 0:8] = out[..., 16:24] = 0
        return (out,)

    hook = model.get_submodule(path).register_forward_pre_hook(zero)
    with torch.no_grad():
        plain = model(input_ids=torch.tensor([tokenizer(TEXT)["input_ids"]])).logits[0]
    hook.remove()
    np.testing.assert_allclose(silent.logits, as_numpy(plain), atol=1e-6)
    assert abs(silent.logits - reading.logits).max() > 0.01
    np.testing.assert_array_equal(silent.grid(1, 0), reading.grid(1, 0))  # it reads; what it reads is lost
    assert abs(silent.grid(2, 0) - reading.grid(2, 0)).max() > 1e-4
    np.testing.assert_array_equal(reading.silenced([]).logits, reading.logits)
    again = reading.silenced([(1, 0)]).silenced([(1, 2)])
    assert again.silent == {("self", 1, 0), ("self", 1, 2)}
    np.testing.assert_array_equal(again.logits, silent.logits)


def test_heads_of_each_stack_are_silenced(spaces):
    reading = read(a_model("Marian"), spaces, "wir haben", TEXT)
    for stack, path in (("encoder", "encoder.layers.1.self_attn"), ("cross", "decoder.layers.1.encoder_attn")):
        model = a_model("Marian")
        silent = read(model, spaces, "wir haben", TEXT).silenced([(1, 1)], stack)
        size = 32 // reading.stacks[stack].num_heads
        with torch.no_grad():
            model.get_submodule(f"model.{path}.out_proj").weight[:, size : 2 * size] = 0
        np.testing.assert_allclose(silent.logits, read(model, spaces, "wir haben", TEXT).logits, atol=1e-5)
        assert abs(silent.logits - reading.logits).max() > 1e-3


def state_of(model):
    return (
        [module.training for module in model.modules()],
        {
            id(module.config): module.config._attn_implementation
            for module in model.modules()
            if hasattr(module, "config")
        },
        [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.modules()],
        [(weights.dtype, weights.device, weights.grad) for weights in model.parameters()],
        vars(sys.modules[type(model).__module__]).get("apply_rotary_pos_emb"),
        torch.is_grad_enabled(),
    )


@pytest.mark.parametrize(
    ("family", "attention"), [("Llama", "sdpa"), ("Llama", "eager"), ("T5", "sdpa"), ("Gemma2", "eager")]
)
def test_a_model_is_left_as_it_was(tokenizer, spaces, family, attention):
    model, context = a_model(family, attention=attention), TEXT if family == "T5" else None
    model.train()
    next(model.children()).eval()  # not all alike
    before = state_of(model)
    first = read(model, spaces if context else tokenizer, TEXT, context)
    assert state_of(model) == before
    second = read(model, spaces if context else tokenizer, TEXT, context)  # without dropout
    np.testing.assert_array_equal(first.logits, second.logits)


def test_a_model_is_left_as_it_was_after_an_error(tokenizer, monkeypatch):
    model = a_model("Llama", attention="sdpa").train()
    before = state_of(model)
    layer = model.model.layers[2].mlp

    def fail(*_):
        raise RuntimeError("no memory")

    with monkeypatch.context() as broken:
        broken.setattr(layer, "forward", fail)
        with pytest.raises(RuntimeError, match="no memory"):
            read(model, tokenizer, TEXT)
    assert state_of(model) == before
    assert np.isfinite(read(model, tokenizer, TEXT).logits).all()


def test_half_precision_is_read_as_it_is(tokenizer):
    model = a_model("Llama")
    whole = read(model, tokenizer, TEXT)
    half = read(model.to(torch.bfloat16), tokenizer, TEXT)
    assert model.dtype == torch.bfloat16
    assert half.states.dtype == half.grid(0, 0).dtype == np.float32
    assert 1e-4 < abs(half.grid(3, 0) - whole.grid(3, 0)).max() < 0.2


def test_quantised_weights_are_read_through_what_they_compute(tokenizer):
    class Eight(torch.nn.Module):
        """A linear map whose weights are kept in 8 bits."""

        def __init__(self, linear):
            super().__init__()
            self.step = linear.weight.detach().abs().max() / 127
            self.register_buffer("kept", (linear.weight.detach() / self.step).round().to(torch.int8))

        def forward(self, x):
            return x @ (self.kept * self.step).T

    model = a_model("Llama")
    for layer in model.model.layers:
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(layer.self_attn, name, Eight(getattr(layer.self_attn, name)))
    with torch.no_grad():
        out = model(input_ids=torch.tensor([tokenizer(TEXT)["input_ids"]]), output_attentions=True)
    np.testing.assert_allclose(read(model, tokenizer, TEXT).grid(3, 1), as_numpy(out.attentions[3][0, 1]), atol=1e-5)


def test_a_long_text_keeps_rows_and_no_grids(tokenizer):
    """Of 1,000 tokens: 112 numbers a token and layer, and one mask of truth values for all four layers."""
    model = a_model("Llama", "Model", attention="sdpa", max_position_embeddings=4096)
    reading = read(model, tokenizer, " problem" * 1000)
    layers = [vars(layer).values() for layer in reading.stack.layers]
    arrays = {id(kept): kept for layer in layers for kept in layer if isinstance(kept, np.ndarray)}
    arrays |= {id(kept): kept for layer in reading.stack.layers for kept in layer.straight}
    assert sum(array.nbytes for array in arrays.values()) == 1000**2 + 4 * 1000 * 112 * 4
    assert reading.grid(3, 3).shape == (1000, 1000)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_model_on_another_device_stays_there(tokenizer):
    here = read(a_model("Llama"), tokenizer, TEXT)
    model = a_model("Llama").to("cuda")
    there = read(model, tokenizer, TEXT)
    assert model.device.type == "cuda"
    np.testing.assert_allclose(there.grid(3, 1), here.grid(3, 1), atol=1e-4)
    np.testing.assert_allclose(there.logits, here.logits, atol=1e-3)


VIEWED = {  # family, tokenizer, context; and the stack whose head is silenced
    "a decoder": ("Gemma2", "tokenizer", None, 0),
    "with sinks": ("GptOss", "tokenizer", None, 0),
    "an encoder": ("Bert", "words", None, 0),
    "an encoder that fills in": ("Roberta", "words", None, 0),
    "a decoder's look at its encoder": ("Marian", "spaces", TEXT, 2),
    "distances": ("T5", "spaces", TEXT, 0),
}


@pytest.mark.parametrize("which", VIEWED)
def test_a_reading_is_seen_and_silenced_in_a_view(request, which):
    family, name, context, shown = VIEWED[which]
    reading = read(a_model(family), request.getfixturevalue(name), "wir haben we", context)
    view = ModelView(reading, shown=shown, layer=1, head=1, form="numbers", silenced=True)
    stack = list(reading.stacks.values())[shown]
    assert abs(view.grid - stack.grid(1, 1)).max() <= 1 / 510 + 1e-6
    (vectors,), (now,) = view.vectors_now, view.effects_now
    sent = np.frombuffer(vectors["data"], "<f2")
    queries = stack.queries(1, 1)
    assert (sent[: queries.size].reshape(queries.shape) == queries.astype(np.float16)).all()
    assert len(now["labels"]) == len(now["before"]) == len(now["after"]) >= 3
    if reading.logits is not None and reading.stack.causal:
        chance = np.exp(reading.logits[-1] - reading.logits[-1].max())
        assert now["labels"][0] == reading.token(int(chance.argmax()))
        assert now["before"][0] == round(float(chance.max() / chance.sum()), 3)
    else:
        assert now["what"].startswith("cosine")
        assert now["before"] == [1.0] * 3


def test_effects_of_every_head_are_those_of_silencing_it(tokenizer):
    reading = read(a_model("GPT2"), tokenizer, TEXT)
    found = Recording.of(reading, effects="all").effects
    assert found["what"] == "probability of the next token"
    chances = softmax(reading.logits[-1].astype(float))
    order = np.argsort(-chances)[:5]
    assert found["labels"][:5] == [reading.token(int(i)) for i in order]
    assert found["before"][:5] == chances[order].round(3).tolist()
    firsts = set()
    for layer, head in np.ndindex(3, 4):
        silent = reading.silenced([(layer, head)])
        changed = softmax(silent.logits[-1].astype(float))
        assert found["after"][layer][head][:5] == pytest.approx(changed[order], abs=6e-4)
        firsts.add(reading.token(int(changed.argmax())))
    assert 5 < len(found["labels"]) <= 8
    assert set(found["labels"][5:]) <= firsts


def test_effects_of_an_encoders_heads_are_cosines_of_the_tokens_that_move_farthest(words):
    reading = read(a_model("Bert"), words, TEXT)
    found = Recording.of(reading, effects="all").effects
    assert found["what"].startswith("cosine")
    assert found["before"] == [1.0] * 5
    at = int(found["labels"][0].split("(")[1].rstrip(")")) - 1
    silent = reading.silenced([(2, 1)]).states[at].astype(float)
    whole = reading.states[at].astype(float)
    cosine = whole @ silent / np.linalg.norm(whole) / np.linalg.norm(silent)
    assert found["after"][2][1][0] == pytest.approx(cosine, abs=6e-4)
    assert found["labels"][0].startswith(f"{reading.stack.tokens[at]} (")


def test_effects_are_of_the_stack_that_is_recorded(spaces):
    reading = read(a_model("Marian"), spaces, "wir haben", TEXT)
    recording = Recording.of(reading, stack="cross", effects="all", vectors=[(1, 0)])
    assert recording.key_tokens == reading.stacks["encoder"].tokens
    silent = softmax(reading.silenced([(2, 1)], "cross").logits[-1].astype(float))
    likely = int(np.argmax(reading.logits[-1]))
    assert recording.effects["labels"][0] == reading.token(likely)
    assert recording.effects["after"][2][1][0] == pytest.approx(silent[likely], abs=6e-4)


def test_a_view_of_two_readings_answers_for_both_and_for_several_heads(tokenizer):
    """The second has fewer layers: its last stands for those that it lacks."""
    one, other = read(a_model("Llama"), tokenizer, "we have"), read(a_model("GPT2"), tokenizer, TEXT)
    view = ModelView(one, other, Recording.of(other), beside=1, form="numbers", silenced=True, layer=3, kept=[(0, 1)])
    assert view.live == [True, True, False]
    assert [now["heads"] for now in view.effects_now] == [[[3, 0], [0, 1]], [[2, 0], [0, 1]]]
    for reading, now in zip((one, other), view.effects_now, strict=True):
        silent = reading.silenced([tuple(head) for head in now["heads"]])
        likely = int(np.argmax(reading.logits[-1]))
        assert now["labels"][0] == reading.token(likely)
        assert now["after"][0] == pytest.approx(softmax(silent.logits[-1].astype(float))[likely], abs=6e-4)
    assert [(now["shown"], now["heads"][0][:2]) for now in view.vectors_now] == [(0, [3, 0]), (1, [2, 0])]
    view.beside = 2
    assert [now["shown"] for now in view.effects_now] == [now["shown"] for now in view.vectors_now] == [0]


def test_reading_needs_no_torch_to_look_at():
    code = "import sys, attnlib.models; print(*{'torch', 'transformers'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_without_torch_the_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "attnlib.models.hugging_face")
    monkeypatch.delattr("attnlib.models.hugging_face")
    with pytest.raises(ModuleNotFoundError, match=r'pip install "attnlib\[models\]"'):
        read(None, None, "")


# what cannot be read


def test_the_sentence_for_what_is_no_model_no_tokenizer_and_no_text(tokenizer):
    model = a_model("GPT2")
    with pytest.raises(TypeError, match=r'got a name: load it with AutoModel.from_pretrained\("gpt2"\)'):
        read("gpt2", tokenizer, TEXT)
    with pytest.raises(TypeError, match="must be a model of transformers, got Linear"):
        read(torch.nn.Linear(2, 2), tokenizer, TEXT)
    with pytest.raises(TypeError, match="must be a tokenizer of transformers, got str"):
        read(model, "gpt2", TEXT)


@pytest.mark.usefixtures("unchecked")
def test_the_sentence_for_what_is_no_text(tokenizer, spaces):
    with pytest.raises(TypeError, match="text must be a str, got list"):
        read(a_model("GPT2"), tokenizer, [TEXT])
    with pytest.raises(TypeError, match="context must be a str, got int"):
        read(a_model("T5"), spaces, TEXT, 3)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("BloomForCausalLM", {"vocab_size": SIZE, "hidden_size": 32, "n_layer": 2, "n_head": 4}),
        ("MptForCausalLM", {"vocab_size": SIZE, "d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 64}),
        ("MambaForCausalLM", {"vocab_size": SIZE, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}),
        (
            "FalconForCausalLM",
            {"vocab_size": SIZE, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4},
        ),
        ("GPTJForCausalLM", {"vocab_size": SIZE, "n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4}),
        ("XLNetLMHeadModel", {"vocab_size": SIZE, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48}),
    ],
)
def test_a_model_outside_the_registry_is_named(tokenizer, name, settings):
    kind = getattr(transformers, name)
    model = kind(kind.config_class(**settings, bos_token_id=0, eos_token_id=1, pad_token_id=2)).eval()
    before = state_of(model)
    with pytest.raises(ValueError, match=f"{name} does not attend through the registry of transformers: ") as said:
        read(model, tokenizer, TEXT)
    assert state_of(model) == before
    if name == "MambaForCausalLM":  # nothing in it attends
        assert str(said.value).endswith("no setting changes that, only another model")
        return
    assert 'loaded with attn_implementation="eager" and called with output_attentions=True' in str(said.value)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        attentions = model(input_ids=torch.arange(5)[None], output_attentions=True).attentions
    recording = Recording.from_grids([layer[0] for layer in attentions], list("house"))
    assert abs(recording.grid(1, 2) - as_numpy(attentions[1][0, 2])).max() <= 1 / 510 + 1e-6


def test_a_model_that_adds_to_its_scores_through_the_mask_is_named(tokenizer, monkeypatch):
    from attnlib.models import hugging_face

    model = a_model("GPT2")
    plain = hugging_face.Recorder.attend
    for added in (0.5, torch.zeros(1, 4, 1, 1)):  # a bias; a mask for each head
        monkeypatch.setattr(
            hugging_face.Recorder,
            "attend",
            lambda recorder, module, q, k, v, mask, added=added, **how: plain(
                recorder, module, q, k, v, mask + added, **how
            ),
        )
        with pytest.raises(ValueError, match=r"GPT2Attention adds more .* output_attentions=True"):
            read(model, tokenizer, TEXT)


def test_a_model_without_a_plain_function_of_its_own_attends_by_torchs():
    from attnlib.models.hugging_face import Recorder

    model = a_model("GPT2")

    class Alone(torch.nn.Module):
        config = model.config

    recorder = Recorder(model, frozenset(), {id(model.config): "flash_attention_2"})
    assert recorder.own(Alone()).__name__ == "sdpa_attention_forward"
    assert recorder.own(model.transformer.h[0].attn).__name__ == "eager_attention_forward"


def test_a_mask_of_truth_values_is_one(tokenizer, monkeypatch):
    from transformers import masking_utils

    expected = read(a_model("Llama", attention="sdpa"), tokenizer, TEXT)
    monkeypatch.setattr(
        masking_utils, "eager_mask", lambda **how: masking_utils.sdpa_mask(**{**how, "allow_is_causal_skip": False})
    )
    reading = read(a_model("Llama", attention="sdpa"), tokenizer, TEXT)
    np.testing.assert_array_equal(reading.stack.mask(0), np.tri(len(reading.stack.tokens), dtype=bool))
    np.testing.assert_allclose(reading.grid(2, 1), expected.grid(2, 1), atol=1e-6)


def test_two_models_joined_are_an_encoder_decoder(words):
    settings = transformers.BertConfig(**real_models.SMALL)
    both = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(settings, settings)
    both.decoder_start_token_id = 0
    torch.manual_seed(0)
    model = transformers.EncoderDecoderModel(both).eval()
    reading = read(model, words, "the pump", TEXT)
    assert [stack.num_layers for stack in reading.stacks.values()] == [4, 4, 4]
    assert reading.stack.causal
    assert "[SEP]" not in reading.stack.tokens  # the end is what the decoder would write, and not read
    assert reading.states.shape == (len(reading.stack.tokens), 32)
    assert len(reading.logits) == len(reading.stack.tokens)


def test_an_encoder_outside_the_registry_is_named(spaces):
    """LongT5's encoder reads blocks in its own way; its decoder alone would be half a model."""
    settings = real_models.FAMILIES["T5"][1]
    model = transformers.LongT5ForConditionalGeneration(transformers.LongT5Config(**settings)).eval()
    with pytest.raises(
        ValueError, match=r"LongT5ForConditionalGeneration does not attend .* in its encoder: no setting"
    ):
        read(model, spaces, TEXT, TEXT)


def test_contexts_are_for_encoder_decoders(tokenizer, spaces):
    with pytest.raises(ValueError, match="pass context, what its encoder reads; text is what its decoder reads"):
        read(a_model("T5"), spaces, TEXT)
    with pytest.raises(ValueError, match="GPT2LMHeadModel reads text alone: a context is for an encoder–decoder"):
        read(a_model("GPT2"), tokenizer, TEXT, TEXT)
    model = a_model("T5")
    model.config.decoder_start_token_id = model.generation_config.decoder_start_token_id = None
    with pytest.raises(ValueError, match=r"starts with: set model.config.decoder_start_token_id"):
        read(model, spaces, TEXT, TEXT)


def test_a_tokenizer_of_another_model_is_found_by_its_numbers(tokenizer):
    model = a_model("GPT2", vocab_size=280)
    with pytest.raises(
        ValueError, match=r"gives 'Houston' the number 3\d\d, and GPT2LMHeadModel knows 280 tokens, from 0"
    ):
        read(model, tokenizer, "Houston")


def test_models_on_meta_and_of_pictures_are_named(tokenizer):
    with torch.device("meta"):
        empty = transformers.GPT2LMHeadModel(transformers.GPT2Config(**real_models.GPT2))
    with pytest.raises(ValueError, match="is on the meta device, where weights have sizes and no numbers"):
        read(empty, tokenizer, TEXT)
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    seeing = transformers.ViTModel(transformers.ViTConfig(**small, image_size=8, patch_size=4))
    with pytest.raises(ValueError, match="ViTModel is not a model of text alone: it has pixel_values"):
        read(seeing, tokenizer, TEXT)
    both = transformers.CLIPModel(
        transformers.CLIPConfig(
            text_config={**small, "vocab_size": SIZE}, vision_config={**small, "image_size": 8, "patch_size": 4}
        )
    )
    with pytest.raises(ValueError, match="CLIPModel is not a model of text alone: it has vision_config"):
        read(both, tokenizer, TEXT)


@pytest.mark.parametrize("family", ["GPT2", "Llama", "Bert", "Roberta", "Marian"])
def test_a_text_longer_than_the_models_positions_names_both(tokenizer, words, spaces, family):
    of, context = {"Bert": (words, None), "Marian": (spaces, "we")}.get(family, (tokenizer, None))
    text, most = "Houston " * 5000, 61 if family == "Roberta" else 64
    n = len(of(text, verbose=False)["input_ids"])
    with pytest.raises(ValueError, match=f"text has {n} tokens, and .* has positions for {most}: shorten it"):
        read(a_model(family), of, text, context)


def test_the_last_position_is_read(tokenizer):
    """RoBERTa begins to count at 3, of 64 places."""
    text = "a" * 61
    assert len(read(a_model("Roberta"), tokenizer, text).stack.tokens) == 61
    assert len(read(a_model("GPT2"), tokenizer, "a" * 64).stack.tokens) == 64


def test_states_that_are_no_numbers_are_an_error(tokenizer):
    model = a_model("GPT2")
    with torch.no_grad():
        model.transformer.ln_f.weight[0] = torch.nan
    with pytest.raises(ValueError, match="GPT2LMHeadModel gives states that are NaN, in float32: load it in float32"):
        read(model, tokenizer, TEXT)


def test_states_that_are_infinite_are_an_error(tokenizer):
    model = a_model("GPT2", "Model")
    with torch.no_grad():
        model.ln_f.weight[0] = torch.inf
    with pytest.raises(ValueError, match="states that are infinite"):
        read(model, tokenizer, TEXT)


def test_bytes_of_byt5_are_shown_as_the_signs_that_they_make():
    stacks = read(a_model("T5"), transformers.ByT5Tokenizer(), "a", "aé").stacks
    assert stacks["encoder"].tokens == ["a", "⟨C3⟩", "…é", "</s>"]


# hostile texts


def test_an_empty_text_has_no_tokens(tokenizer):
    with pytest.raises(ValueError, match="text has no tokens: GPT2LMHeadModel needs one or more"):
        read(a_model("GPT2"), tokenizer, "")


def test_a_lone_surrogate_is_named(tokenizer):
    with pytest.raises(ValueError, match=r"text\[3\] is U\+D83D, a lone surrogate, which is no character"):
        read(a_model("GPT2"), tokenizer, "we \ud83d have")


@pytest.mark.parametrize(
    "text",
    [
        "شكرا جزيلا",
        "👩‍💻 and 🙂",
        "<script>alert(1)</script>",
        "a\tb\n\nc",
        "e\u0301 \u202e x",
        "\x00\x07",
        "\u200b",
        "ﷺ\U0010ffff",
    ],
)
def test_hostile_texts_are_shown_and_stay_aligned(tokenizer, words, spaces, text):
    for of in (tokenizer, words, spaces):
        stack = read(a_model("GPT2"), of, text).stack
        assert len(stack.tokens) == len(of(text)["input_ids"]) == len(stack.grid(0, 0))
        for token in stack.tokens:
            assert token
            assert not any(sign in re.sub("⟨.*?⟩", "", token) for sign in "\n\t\r \x00\x07\u200b\u202e\u200d")
            token.encode()  # no half characters


def test_a_cut_character_stands_on_its_last_piece(tokenizer):
    tokens = read(a_model("GPT2"), tokenizer, "ش 日").stack.tokens
    assert tokens == ["⟨D8⟩", "…ش", "␣", "⟨E6⟩", "⟨97⟩", "…日"]


# tokens as people read them


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["Houston", "Ġwe"], ["Houston", "␣we"]),
        (["Ċ", "ĉ", "ĊĊ", "ĠĠĠa"], ["↵", "⇥", "↵↵", "␣␣␣a"]),
        (["ðŁ", "ĻĤ"], ["⟨F0 9F⟩", "…🙂"]),
        (["ĠðŁ", "ĻĤĠa"], ["␣⟨F0 9F⟩", "…🙂␣a"]),
        (["Ã", "©Ã", "©"], ["⟨C3⟩", "…é⟨C3⟩", "…é"]),
        (["ðŁ", "a", "ĻĤ"], ["⟨F0 9F⟩", "a", "⟨99 82⟩"]),
        (["ÿ", "Ł", "ÿþaÿÃ"], ["⟨FF⟩", "⟨9F⟩", "⟨FF FE⟩a⟨FF⟩⟨C3⟩"]),
        (["eÌģÌģ", "Ìģ"], ["e\u0301\u0301", "◌\u0301"]),
        (["âŁ©âŁ¨"], ["⟩⟨"]),
        (["<think>", "日本", None], ["<think>", "日本", "⟨?⟩"]),
        (["âĢĭ"], ["⟨U+200B⟩"]),
        (["ï¸ı"], ["⟨U+FE0F⟩"]),
    ],
)
def test_byte_level_pieces(pieces, shown):
    assert readable(pieces, [False] * len(pieces)) == shown


def test_other_pieces():
    assert readable(["▁the", "▁", "<0xE2>", "<0x82>", "<0xAC>"], [False] * 5, "metaspace") == [
        "␣the",
        "␣",
        "⟨E2⟩",
        "⟨82⟩",
        "…€",
    ]
    assert readable(["[CLS]", "hous", "##ton", "Ġ", "▁"], [True] + [False] * 4, "words") == [
        "[CLS]",
        "hous",
        "##ton",
        "Ġ",
        "▁",
    ]
    assert readable(["<0x0A>"], [True], "metaspace") == ["<0x0A>"]
    assert readable(["<0x0A>", "<0xZZ>"], [False] * 2, "metaspace") == ["↵", "<0xZZ>"]
    with pytest.raises(ValueError, match="shorter"):
        readable(["a"], [])
    with pytest.raises(ValueError, match='kind must be "bytes", "metaspace" or "words", got \'other\''):
        readable([], [], "other")


def test_every_byte_is_shown_and_none_is_lost():
    signs = {byte: sign for sign, byte in real_bytes().items()}
    for first in range(256):
        for second in (0x20, 0x61, 0x80, 0xBF, 0xC3, 0xF0, 0xFF):
            shown = readable([signs[first], signs[second]], [False] * 2)
            assert all(shown), (first, second)
            "".join(shown).encode()
    assert visible("") == "⟨⟩"
    assert visible("\u0301a") == "◌\u0301a"
    assert visible("\ud83d") == "⟨U+D83D⟩"


def real_bytes():
    from attnlib.models.tokens import BYTES

    assert sorted(BYTES.values()) == list(range(256))
    return BYTES


# a stack by itself


def a_stack(**changed):
    x = np.ones((2, 3, 4), np.float32)
    settings = {"layers": [Layer(x, x[:1], x[:1], 1.0)], "tokens": ["a", "b", "c"], "key_tokens": ["a", "b", "c"]}
    return Stack("self", **{**settings, "special": [False] * 3, "key_special": [False] * 3, **changed})


def test_a_stacks_bad_layers_and_places_are_named():
    x = np.ones((2, 3, 4), np.float32)
    with pytest.raises(ValueError, match="the stack self has no layers"):
        a_stack(layers=[])
    with pytest.raises(ValueError, match=r"the layers of self have \[2, 1\] heads: they differ"):
        a_stack(layers=[Layer(x, x, x, 1.0), Layer(x[:1], x, x, 1.0)])
    with pytest.raises(
        ValueError, match="layer 0 of self has 3 queries and 3 keys, but there are 2 tokens that ask and 3"
    ):
        a_stack(tokens=["a", "b"])
    stack = a_stack()
    with pytest.raises(ValueError, match="layer must be 0"):
        stack.grid(1, 0)
    with pytest.raises(ValueError, match="head must be 0 or more and at most 1, got 2"):
        stack.grid(0, 2)
    with pytest.raises(ValueError, match="rotates queries and keys in a way of its own"):
        stack.queries(0, 0, rotated=False)
    assert not stack.causal
    reading = Reading("toy", "abc", None, {"self": stack}, None, x[0])
    with pytest.raises(ValueError, match="toy has the stacks self, not cross"):
        reading.grid(0, 0, "cross")
    with pytest.raises(ValueError, match="came without its model"):
        reading.silenced([(0, 0)])
    with pytest.raises(ValueError, match="head must be 0 or more and at most 1, got 9"):
        reading.silenced([(0, 9)])


def test_a_reading_keeps_its_numbers_when_the_model_reads_on(tokenizer):
    reading = read(a_model("Llama"), tokenizer, TEXT)
    before = reading.grid(0, 0)
    read(a_model("Llama", seed=1), tokenizer, TEXT)
    np.testing.assert_array_equal(reading.grid(0, 0), before)


def test_an_encoder_alone_is_read_though_its_configuration_is_of_both(spaces):
    settings = real_models.FAMILIES["T5"][1]
    model = transformers.UMT5EncoderModel(transformers.UMT5Config(**settings)).eval()
    reading = read(model, spaces, TEXT)
    assert list(reading.stacks) == ["self"]
    assert reading.grid(0, 0).shape == (len(reading.stack.tokens),) * 2


def test_a_mask_of_one_row_is_that_of_every_query(words):
    settings = transformers.LayoutLMConfig(**real_models.SMALL, max_2d_position_embeddings=8)
    model = transformers.LayoutLMModel(settings).eval()
    model.set_attn_implementation("eager")
    reading = read(model, words, TEXT)
    with torch.no_grad():
        out = model(input_ids=torch.tensor([words(TEXT)["input_ids"]]), output_attentions=True)
    np.testing.assert_allclose(reading.grid(3, 1), as_numpy(out.attentions[3][0, 1]), atol=1e-5)
