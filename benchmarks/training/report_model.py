"""The report model: a causal language model that turns a study's tags into reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clients.errors import MissingPackageError

INSTALL = "training needs trl: pip install 'sdr-decode[train]'"

BATCH = 256  # sequences that are sampled side by side


class ReportModel:
    """A model and its tokenizer, from a folder in the format of ``transformers``.

    Weights are held in 32 bits: in 16 the small steps of training would be rounded away.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415
            from transformers.utils import logging  # noqa: PLC0415
        except ImportError as error:
            raise MissingPackageError(f"{INSTALL} ({error})") from error
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self.network: Any = AutoModelForCausalLM.from_pretrained(folder, dtype="float32")
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder, padding_side="left")

    @property
    def parameters(self) -> int:
        return sum(each.numel() for each in self.network.parameters())

    def sample(
        self, prompts: Sequence[str], each: int, *, max_tokens: int, seed: int
    ) -> list[list[str]]:
        """``each`` reports for every prompt, sampled at temperature 1 from the whole vocabulary.

        The same weights, prompts and seed give the same reports, and no other draw is disturbed.
        """
        import torch  # noqa: PLC0415

        asked = [self.tokenizer.bos_token + prompt for prompt in prompts for _ in range(each)]
        reports: list[str] = []
        with torch.random.fork_rng(devices=[]), torch.inference_mode():
            torch.manual_seed(seed)
            for start in range(0, len(asked), BATCH):
                reports += self._generate(asked[start : start + BATCH], max_tokens)
        return [reports[start : start + each] for start in range(0, len(reports), each)]

    def _generate(self, asked: Sequence[str], max_tokens: int) -> list[str]:
        inputs = self.tokenizer(list(asked), padding=True, return_tensors="pt")
        made = self.network.generate(
            **inputs,
            max_new_tokens=max_tokens,
            do_sample=True,
            temperature=1.0,
            top_k=0,
            top_p=1.0,
            pad_token_id=self.tokenizer.pad_token_id,
        )
        written = made[:, inputs["input_ids"].shape[1] :]
        texts: list[str] = self.tokenizer.batch_decode(written, skip_special_tokens=True)
        return texts
