"""The promise of a calibrated policy, on parts of a real recording that it was not made from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.calibration_splits import Board, split
from index_build import build
from index_build.readers.openi import read_openi
from sdr_decode.calibration.certify import Demand
from sdr_decode.calibration.grid import DEFAULT_GRID, PolicySequence, proved_lossless
from sdr_decode.calibration.losses import Loss
from sdr_decode.calibration.trials import try_policies
from sdr_decode.load import load_studies, open_measure
from tests.data import real_data
from tests.fake_encoder import FakeEncoder

SPLITS, CONFIDENCE = 200, 0.95
