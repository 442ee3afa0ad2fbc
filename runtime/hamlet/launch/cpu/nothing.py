"""Arrays that stand for nothing."""

from __future__ import annotations

import numpy as np

NO_ACTIONS = np.zeros((0, 0), np.int32)
NO_BOOL = np.zeros(0, np.bool_)
NO_F32 = np.zeros(0, np.float32)
NO_GIVEN = np.zeros((0, 0), np.float32)
NO_I32 = np.zeros(0, np.int32)
NO_I64 = np.zeros(0, np.int64)
NO_LANE_COUNTS = np.zeros((0, 0), np.int32)
NO_LANE_RETURNS = np.zeros((0, 0), np.float32)
NO_REPORTS = np.zeros((0, 0), np.float32)
