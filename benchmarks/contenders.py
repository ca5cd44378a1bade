"""What competes: every policy with every launch plan and selector, as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from sdr_decode.defaults import DEFAULT_PRUNE

FULL = "none"
PARALLEL = "parallel"
DEFAULT = DEFAULT_PRUNE


@dataclass(frozen=True, slots=True, order=True)
class Contender:
    """A policy, a launch plan and a selector, by their specs."""

    prune: str
    launch: str
    select: str

    def __str__(self) -> str:
        return f"{self.prune} / {self.launch} / {self.select}"


@dataclass(frozen=True, slots=True)
class Entry:
    """Every policy with every launch plan and every selector."""

    prunes: Sequence[str]
    launches: Sequence[str]
    selects: Sequence[str]

    def contenders(self) -> Iterator[Contender]:
        for prune, launch, select in product(self.prunes, self.launches, self.selects):
            yield Contender(prune, launch, select)


SIZES = (2, 4, 8, 16)

OWN = Entry(
    prunes=(
        FULL,
        "lossless",
        "lossless:chamfer,max_sentences=12",
        "lossless:hausdorff",
        "threshold:0.04",
        "quantile:0.9",
        "halving:2",
        "halving:4",
        "margin:0.02",
        DEFAULT,
        "margin:0.01,warmup=2",
        "margin:0.005,ties=4",
        "any:margin:0.005+halving:4",
    ),
    launches=(PARALLEL,),
    selects=(
        "corpus",
        "corpus:tie=consensus",
        "corpus-hausdorff",
        "consensus",
        "blend:0.8",
        "random:0",
    ),
)
CAREFUL = Entry(
    prunes=(FULL, "threshold:0.04", "quantile:0.9", DEFAULT),
    launches=(PARALLEL,),
    selects=("nearest-report", "findings-guard:consensus", "findings-guard:blend:0.8"),
)
LATER = Entry(
    prunes=(FULL, "lossless", "lossless:hausdorff", DEFAULT, "margin:0.005"),
    launches=(
        "staged:1,accept=0",
        "staged:1,accept=0.03",
        "staged:1,accept=0.1,least=2",
        "staged:2,accept=0.03",
    ),
    selects=("corpus", "corpus-hausdorff", "consensus", "blend:0.8"),
)
CONTROLS = Entry((FULL,), (PARALLEL,), ("longest", "shortest"))
PEERS = (
    Entry(("speculative-rejection:0.5",), (PARALLEL,), ("corpus", "consensus")),
    Entry(("st-bon",), (PARALLEL,), ("st-bon",)),
    Entry(("deepconf:0.9", "deepconf:0.1"), ("after-warm-up",), ("deepconf",)),
    Entry((FULL,), (PARALLEL,), ("log-probability", "mbr")),
)
GRID = (OWN, CAREFUL, LATER, CONTROLS, *PEERS)


def contenders(entries: Sequence[Entry] = GRID) -> list[Contender]:
    """All of them, each once, grouped by policy and launch plan."""
    every = dict.fromkeys(one for entry in entries for one in entry.contenders())
    return sorted(every, key=lambda one: (one.prune, one.launch))
