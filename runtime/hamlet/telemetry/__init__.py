"""Telemetry of a running environment: counts of windows of ticks, which gather on the device and wait for nobody.

`Env.telemetry` begins it. `counting` adds up on the device, `ring` brings a window to the host beside the work of the
device, `window` says what is in it, and `sinks` and `trackers` are where records go.
"""

from hamlet.telemetry.sinks import JsonLines, TensorBoard
from hamlet.telemetry.trackers import MLflow, WandB
from hamlet.telemetry.window import Record

__all__ = ["JsonLines", "MLflow", "Record", "TensorBoard", "WandB"]
