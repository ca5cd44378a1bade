"""What a difference between two policies on the same studies is worth."""

from benchmarks.statistics.bootstrap import Interval, Resamples
from benchmarks.statistics.mcnemar import mcnemar_exact
from benchmarks.statistics.seeds import mean_and_deviation
from benchmarks.statistics.spearman import mean_ranks, spearman

__all__ = ["Interval", "Resamples", "mcnemar_exact", "mean_and_deviation", "mean_ranks", "spearman"]
