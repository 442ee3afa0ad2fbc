"""How numba compiles kernels and what they call: one module of LLVM, which is optimised and becomes machine code once.

Numba optimises every function by itself, makes machine code of it, and then once more as part of each function that
calls it. A helper here is only linked into the kernel that calls it: most of the time to the first launch was spent on
code that nobody runs.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any

from hamlet.launch.cpu.ops.machinery import codegen, compiler, intrinsic, registry, typed_passes, untyped_passes
from hamlet.waiting import compiling


class _Linked(codegen.JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The code of a helper as it was generated: neither optimised nor machine code."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Nothing: the kernel is optimised."""

    def finalize(self) -> None:
        """Add what it calls itself."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.IRLegalization,
    typed_passes.AnnotateTypes,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)
"""Those of numba's passes that kernels need: no closures, object mode, array expressions or parallel loops."""


class KernelCompiler(compiler.CompilerBase):  # type: ignore[misc]  # numba has no types
    """Numba's compiler for kernels and what they call."""

    def define_pipelines(self) -> list[Any]:
        """The one way to compile."""
        passes = compiler.PassManager("kernel")
        for each in PASSES:
            passes.add_pass(each, each.__name__)
        passes.finalize()
        return [passes]

    def compile_extra(self, function: Any) -> Any:
        """Compile a function; whoever waits for it is told."""
        with compiling():
            return super().compile_extra(function)


def linked(function: Callable[..., Any], inlined: bool) -> Any:
    """A function for kernels to call; `inlined`: always as a part of its caller."""

    def typed(_context: Any, *given: Any) -> Any:
        result = compiled(function, given, inlined)

        def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            context.active_code_library.add_linking_library(result.library)
            return context.call_internal(builder, result.fndesc, signature, arguments)

        return result.signature, call

    return operation(function, typed)


def compiled(function: Callable[..., Any], given: tuple[Any, ...], inlined: bool = False, library: Any = None) -> Any:
    """A function for arguments of these types, by default in a library of its own."""
    flags = compiler.Flags()
    flags.error_model = "numpy"
    flags.forceinline = inlined
    flags.no_compile = True
    flags.no_cpython_wrapper = True
    flags.no_cfunc_wrapper = True
    target = registry.cpu_target
    if library is None:
        library = _Linked(target.target_context.codegen(), function.__qualname__)
    return compiler.compile_extra(
        target.typing_context, target.target_context, function, given, None, flags, {}, library, KernelCompiler
    )


def operation(function: Callable[..., Any], typed: Callable[..., Any]) -> Any:
    """An operation with the parameters of a function. `typed(context, *types)` gives its signature and its code."""
    context = Parameter("context", Parameter.POSITIONAL_ONLY)
    typed.__name__, typed.__qualname__, typed.__doc__ = function.__name__, function.__qualname__, function.__doc__
    typed.__module__, typed.__wrapped__ = function.__module__, function  # type: ignore[attr-defined]
    typed.__signature__ = Signature([context, *signature(function).parameters.values()])  # type: ignore[attr-defined]
    return intrinsic(typed)
