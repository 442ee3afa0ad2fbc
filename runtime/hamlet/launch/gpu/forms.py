"""The kernels of a package in the forms that launches compile, for a GPU that need not be there.

The same options and types as in a launch, f32 observations.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from hamlet import schema
from hamlet.errors import EnvError
from hamlet.launch.gpu.compile import compile_kernel
from hamlet.launch.gpu.options import WARPS, constants, interpreted, limit, options
from hamlet.schema import abi
from hamlet.universe import Universe

if TYPE_CHECKING:
    from triton.compiler import CompiledKernel
    from triton.runtime.jit import JITFunction

Form: TypeAlias = Literal["reset", "observe", "step", "rollout", "rollout_observing"]
FORMS: tuple[Form, ...] = get_args(Form)
"""The kernels; `rollout` is the random policy with statistics, `rollout_observing` also observes every tick."""

BLOCK = 32 * WARPS
POINTERS = {"f32": "*fp32", "i32": "*i32", "u32": "*u32", "bool": "*i1"}


def compile_form(
    kernels: ModuleType, universe: Universe, capability: int, form: Form, agents: int = 1, observing: bool = True
) -> CompiledKernel:
    """Compile one form for compute capability `capability` (90: sm_90), for worlds of so many agents, a power of two;
    with observations, unless `observing` is false.

    Raises:
        EnvError: the kernels were imported under TRITON_INTERPRET=1, or Triton cannot compile for this capability.
    """
    if interpreted(kernels):
        raise EnvError("kernels cannot be compiled under TRITON_INTERPRET=1: start Python without it")
    function: JITFunction = getattr(kernels, kernel_of(form))
    signature, values = _signature(function, kernels, universe, form, agents, observing)
    aligned = [index for index, type_ in enumerate(signature.values()) if type_.startswith("*")]
    chosen = options(max(BLOCK, agents), limit(kernels, universe, kernel_of(form)))
    return compile_kernel(function, signature, values, aligned, chosen, capability)


def kernel_of(form: Form) -> abi.Kernel:
    """The kernel that this is a form of."""
    return "rollout" if form == "rollout_observing" else form


def _signature(
    function: JITFunction, kernels: ModuleType, universe: Universe, form: Form, agents: int, observing: bool
) -> tuple[dict[str, str], dict[str, object]]:
    """The type of every argument, and the values of those that are constants."""
    types = {f.name: POINTERS[f.dtype] for f in (*schema.state_fields(universe), *schema.outcome_fields(universe))}
    types |= {"actions": "*i32", "observation": "*fp32", "final_observation": "*fp32", "mask": "*i1", "begins": "*i1"}
    types |= {"choices": "*i32", "thresholds": "*i32", "strides": "*i32", "bins": "*fp32"}
    types |= dict.fromkeys(abi.GIVEN, "*fp32")
    types |= dict.fromkeys(abi.SUMS, "*i64") | {"finished_return": "*fp32"}
    types |= dict.fromkeys(abi.LANE_COUNTS, "*i32") | {"lane_returns": "*fp32"}
    kernel = kernel_of(form)
    names = abi.array_arguments(universe, kernel)
    scalars = abi.scalar_arguments(kernel)
    unsigned = ("seed_low", "seed_high", "tick")
    listed = [
        *(types[name] for name in names),
        *(POINTERS[dtype] for _, dtype, _ in kernels.TABLES),
        *("u32" if name in unsigned else "i32" for name in scalars),
        *(["*i32"] if kernel == "step" else []),
    ]
    block, bins = max(BLOCK, agents), abi.length_bins(universe)
    settings: dict[str, object] = dict(constants(kernel, agents, block, bins, form == "rollout_observing"))
    absent = ["actions", *abi.TABULAR, *abi.GIVEN, *abi.LANE_COUNTS, abi.ENDED_METERS] if kernel == "rollout" else []
    observing = observing and form != "rollout" and bool(schema.observation_rows(universe))
    if not observing:
        absent += ["observation", "final_observation"]
    if kernel == "step":
        settings["elapsed_ptr"] = None
        if not kernels.KEPT or not observing:
            settings["kept_ptr"] = None
    settings |= {function.arg_names[names.index(name)]: None for name in absent if name in names}
    signature = dict(zip(function.arg_names, [*listed, *["constexpr"] * len(function.arg_names)], strict=False))
    return signature | dict.fromkeys(settings, "constexpr"), settings
