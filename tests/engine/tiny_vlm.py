"""A vision-language model small enough for a test: Idefics3's architecture, random weights.

It writes nonsense, but through the whole image path of a real model: the image is cut into tiles,
the tiles become tokens of the prompt, and what they show changes the logits. Nothing is fetched.
"""

from __future__ import annotations

import json
from pathlib import Path

IMAGE = "<image>"
AROUND_IMAGE = "<fake_token_around_image>"
GLOBAL_IMAGE = "<global-img>"
END_OF_UTTERANCE = "<end_of_utterance>"
BEGIN, END = "<|begin|>", "<|end|>"
TILE_EDGE, PATCH_EDGE, SHRINK, MOST_TILES = 64, 16, 2, 4
TOKENS_PER_TILE = (TILE_EDGE // PATCH_EDGE) ** 2 // SHRINK**2

CHAT_TEMPLATE = (
    BEGIN + "{% for message in messages %}{{ message['role'] }}: "
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}" + IMAGE + "{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}" + END_OF_UTTERANCE + "\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)


def make_tiny_vlm(folder: Path) -> Path:
    """Write the model to ``folder`` (about 2 MB) and return it. The same weights every time."""
    import torch
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = _write_tokenizer(folder)
    torch.manual_seed(0)
    config = Idefics3Config(
        vision_config={
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": TILE_EDGE,
            "patch_size": PATCH_EDGE,
        },
        text_config={
            "model_type": "llama",
            "vocab_size": len(vocabulary),
            "hidden_size": 128,
            "intermediate_size": 256,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 4,
            "max_position_embeddings": 2048,
            "bos_token_id": vocabulary[BEGIN],
            "eos_token_id": vocabulary[END],
            "pad_token_id": vocabulary[END],
            # Wide enough for an image to move the logits by more than rounding does.
            "initializer_range": 0.2,
        },
        image_token_id=vocabulary[IMAGE],
        scale_factor=SHRINK,
        pad_token_id=vocabulary[END],
        tie_word_embeddings=False,
        initializer_range=0.2,
    )
    Idefics3ForConditionalGeneration(config).save_pretrained(folder)
    _write_processor(folder)
    return folder


def _write_tokenizer(folder: Path) -> dict[str, int]:
    """One token a byte, and the marks that the processor puts around tiles."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({sign: number for number, sign in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tiles = [
        f"<row_{row}_col_{column}>"
        for row in range(1, MOST_TILES + 1)
        for column in range(1, MOST_TILES + 1)
    ]
    marks = [BEGIN, END, IMAGE, AROUND_IMAGE, GLOBAL_IMAGE, END_OF_UTTERANCE, *tiles]
    tokenizer.add_special_tokens(
        [AddedToken(mark, special=True, normalized=False) for mark in marks]
    )
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=BEGIN,
        eos_token=END,
        pad_token=END,
        extra_special_tokens={
            "image_token": IMAGE,
            "fake_image_token": AROUND_IMAGE,
            "global_image_token": GLOBAL_IMAGE,
            "end_of_utterance_token": END_OF_UTTERANCE,
        },
        chat_template=CHAT_TEMPLATE,
    )
    wrapped.save_pretrained(folder)
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    return vocabulary


def _write_processor(folder: Path) -> None:
    """The settings with which images are cut and scaled."""
    image_processor = {
        "image_processor_type": "Idefics3ImageProcessor",
        "do_convert_rgb": True,
        "do_resize": True,
        "do_image_splitting": True,
        "size": {"longest_edge": MOST_TILES * TILE_EDGE},
        "max_image_size": {"longest_edge": TILE_EDGE},
        "do_rescale": True,
        "do_normalize": True,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "do_pad": True,
    }
    processor = {"processor_class": "Idefics3Processor", "image_seq_len": TOKENS_PER_TILE}
    for name, settings in (
        ("preprocessor_config.json", image_processor | {"processor_class": "Idefics3Processor"}),
        ("processor_config.json", processor),
    ):
        (folder / name).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
