"""Opening hours."""

from __future__ import annotations

from hamlet.universe import Hours
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value


def is_open(builder: Builder, hours: Hours, hour: Value) -> Value:
    """Whether opening hours include this hour (I32)."""
    opened = builder.less_equal(builder.i32(hours.opens), hour)
    not_closed = builder.less(hour, builder.i32(hours.closes))
    return builder.and_(opened, not_closed) if hours.opens < hours.closes else builder.or_(opened, not_closed)
