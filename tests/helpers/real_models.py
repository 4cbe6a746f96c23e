"""Small random models of many families, and tokenizers trained on four lines: nothing is fetched."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXT = "Houston we have a problem with the pump 🙂 and the pump has a problem"
LINES = [TEXT, "Wir haben ein Problem", "we have the pump", "a problem we have"] * 5
SIZE = 400  # of each vocabulary, at most
SMALL = {
    "vocab_size": SIZE,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
}
SMALL |= {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2, "max_position_embeddings": 64}
SHARED = {**SMALL, "num_key_value_heads": 2, "head_dim": 8}
GPT2 = {"n_positions": 64, "n_embd": 32, "n_layer": 3, "n_head": 4} | {
    name: SMALL[name] for name in ("vocab_size", "bos_token_id", "eos_token_id", "pad_token_id")
}
BOTH = {"vocab_size": SIZE, "d_model": 32, "encoder_layers": 2, "decoder_layers": 3, "max_position_embeddings": 64}
BOTH |= {"encoder_attention_heads": 4, "decoder_attention_heads": 2, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48}
BOTH |= {
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": 2,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": None,
}
ALTERNATE = ["sliding_attention", "full_attention"] * 2

FAMILIES = {  # the head that it is loaded with, and the settings
    "GPT2": ("LMHeadModel", GPT2),
    "Llama": ("ForCausalLM", SHARED),
    "Mistral": ("ForCausalLM", {**SHARED, "sliding_window": 5}),
    "Qwen2": ("ForCausalLM", {**SMALL, "num_key_value_heads": 2}),
    "Qwen3": ("ForCausalLM", SHARED),
    "Gemma2": (
        "ForCausalLM",
        {
            **SHARED,
            "sliding_window": 5,
            "attn_logit_softcapping": 2.0,
            "query_pre_attn_scalar": 16,
            "layer_types": ALTERNATE,
        },
    ),
    "Gemma3": (
        "ForCausalLM",
        {**SHARED, "sliding_window": 5, "query_pre_attn_scalar": 16, "layer_types": ALTERNATE},
    ),
    "GptOss": (
        "ForCausalLM",
        {**SHARED, "sliding_window": 5, "layer_types": ALTERNATE, "num_local_experts": 2, "num_experts_per_tok": 1},
    ),
    "GPTBigCode": ("ForCausalLM", {**GPT2, "multi_query": True}),
    "GPTNeoX": (
        "ForCausalLM",
        {**SMALL, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25}},
    ),
    "Phi": ("ForCausalLM", {**SMALL, "num_key_value_heads": 4}),
    "OPT": (
        "ForCausalLM",
        {**SMALL, "word_embed_proj_dim": 32, "ffn_dim": 48},
    ),
    "DeepseekV3": (
        "ForCausalLM",
        {
            **SMALL,
            "num_key_value_heads": 4,
            "q_lora_rank": 8,
            "kv_lora_rank": 8,
            "qk_rope_head_dim": 4,
            "qk_nope_head_dim": 8,
            "v_head_dim": 6,
        }
        | {"first_k_dense_replace": 4},
    ),
    "Bert": ("ForMaskedLM", SMALL),
    "DistilBert": (
        "ForMaskedLM",
        {"vocab_size": SIZE, "dim": 32, "hidden_dim": 48, "n_layers": 3, "n_heads": 4, "max_position_embeddings": 64},
    ),
    "Roberta": ("ForMaskedLM", SMALL),
    "ModernBert": ("ForMaskedLM", {**SMALL, "local_attention": 6, "cls_token_id": 0, "sep_token_id": 1}),
    "T5": (
        "ForConditionalGeneration",
        {"vocab_size": SIZE, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 3, "num_heads": 4}
        | {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 16, "decoder_start_token_id": 2}
        | {"eos_token_id": 1, "pad_token_id": 2},
    ),
    "Marian": ("MTModel", BOTH),
    "Bart": ("ForConditionalGeneration", BOTH),
}


def a_model(family, head=None, attention="eager", seed=0, **changed):
    """A model of the family, with weights large enough that heads differ in what they read."""
    usual, settings = FAMILIES[family]
    torch.manual_seed(seed)
    kind = getattr(transformers, f"{family}{usual if head is None else head}")
    model = kind(kind.config_class(**{**settings, **changed}))
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if weights.ndim > 1 or "sinks" in name:
                weights.normal_(0, 0.15 if family == "T5" else 0.3)  # its scores are not divided by √d
    model.set_attn_implementation(attention)
    return model.eval()


def byte_level(**settings):
    """A byte-level tokenizer, as GPT-2's."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE, special_tokens=["<s>", "</s>", "<pad>"], initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(LINES, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<s>", eos_token="</s>", pad_token="<pad>", **settings
    )


def word_pieces():
    """A WordPiece tokenizer that puts [CLS] and [SEP] around a text, as BERT's."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    special = ["[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"]
    made.train_from_iterator(
        LINES, trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=special, show_progress=False)
    )
    made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)])
    names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names)


def marked_spaces():
    """A tokenizer that marks a space with ▁ and ends a text with </s>, as T5's."""
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer, made.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    special = ["<s>", "</s>", "<pad>", "<unk>"]
    made.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=SIZE, special_tokens=special, show_progress=False))
    made.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names)
