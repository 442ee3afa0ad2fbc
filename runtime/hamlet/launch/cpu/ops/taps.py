"""What lines of a function compute, for `hamletc diff`."""

from __future__ import annotations

from typing import Any

from hamlet.launch.cpu.ops.machinery import cgutils, intrinsic, types


@intrinsic
def tap(_context: Any, taps: Any, _row: Any, _lane: Any, value: Any) -> Any:
    """Store the bits of a value, one of a single lane, into `taps`, i32 [rows, lanes]."""

    def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        array, row, lane, bits = arguments
        if value == types.float32:
            bits = builder.bitcast(bits, context.get_value_type(types.int32))
        else:
            bits = context.cast(builder, bits, value, types.int32)
        contents = context.make_array(taps)(context, builder, array)
        place = cgutils.get_item_pointer(context, builder, taps, contents, [row, lane])
        context.pack_value(builder, types.int32, bits, place)
        return context.get_dummy_value()

    return types.none(taps, types.intp, types.intp, value), codegen
