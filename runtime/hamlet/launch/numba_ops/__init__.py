"""What generated numba kernels are made of.

A kernel works on chunks of `LANES` lanes: `chunks` has their memory, `vectors` the values of several lanes side by
side, `operations` what is computed of them, `flags` the lanes to which something happens, `functions` the decorators.
"""

from hamlet.launch.numba_ops.cells import KEPT, find, scatter
from hamlet.launch.numba_ops.chunks import (
    AHEAD,
    ALIGNMENT,
    LANES,
    load_lanes,
    load_worlds,
    local_bool,
    local_f32,
    local_i8,
    local_i32,
    local_u8,
    local_u32,
    part,
    rows_bool,
    rows_f32,
    rows_i32,
    rows_u8,
    store_lanes,
    store_worlds,
)
from hamlet.launch.numba_ops.flags import all_set, any_set, choose_lanes
from hamlet.launch.numba_ops.functions import helper, inline, kernel
from hamlet.launch.numba_ops.machinery import intrinsic
from hamlet.launch.numba_ops.nothing import NO_ACTIONS, NO_BOOL, NO_F32, NO_I32, NO_I64, NO_REPORTS
from hamlet.launch.numba_ops.observations import encode, put
from hamlet.launch.numba_ops.operations import (
    absolute,
    add,
    bit_and,
    bit_or,
    bit_xor,
    divide,
    equal,
    fma,
    from_bits,
    less,
    less_equal,
    mulhigh,
    multiply,
    remainder,
    shift_left,
    shift_right,
    square_root,
    subtract,
    to_bits,
    to_f32,
    to_i32,
    to_u32,
    where,
)
from hamlet.launch.numba_ops.policies import draw, look_up
from hamlet.launch.numba_ops.tables import Short, take
from hamlet.launch.numba_ops.vectors import WIDE, ramp, wide
