"""The proof of a kernel of a package, and what is said about it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import metadata

from hamlet import schema
from hamlet.numbers.binary32 import from_bits32, spell32
from hamlet.package.module import UNIVERSE_FILE, Module
from hamlet.schema import abi
from hamlet.universe import Universe
from hamlet.universe.codec import to_json
from hamlet_lab.proof.cells import NUMBER
from hamlet_lab.proof.placement import OF_AGENT, array_of
from hamlet_lab.proof.prove import Obligation, Proof, prove
from hamlet_lab.proof.states import KernelUnderProof, kernel_under_proof
from hamlet_lab.proof.waypoints import waypoints
from hamletc.compile import lower, schedule
from hamletc.ir.text import print_program

PREMISES = (
    "worlds of {agents}, 1 to {worlds} of them; no observations; the tick is the launch's own",
    "arrays and tables lie apart, are large enough, begin at multiples of 16, and tables hold what the module says",
    "the state and the actions are within the bounds of the schema, and numbers are finite",
    "all {block} threads of a block run{at_once}",
)
"""Premises of a proof, in words; `hamlet_lab.proof.states` says it in bounds."""
AT_ONCE = "; those of a warp execute each instruction together, so that all load before one of them stores"
"""A premise, too, where a world has several agents."""
WRITING: Mapping[abi.Kernel, tuple[str, ...]] = {
    "step": ("tick", "settle", "spread", "mask"),
    "reset": ("reset", "begin_cells", "mask"),
    "observe": ("mask",),
    "rollout": (),
}
"""The functions whose outputs a kernel writes."""
TRUSTED = "ptxas, the driver and the chip; bitwuzla, and hamlet_lab.proof itself"


@dataclass(frozen=True, slots=True)
class Report:
    """A proof of a kernel of a universe.

    Attributes:
        files: the contents of the package's files, by name.
        ptx: the text that was proven.
        triton: the version that made it.
    """

    universe: Universe
    files: Mapping[str, bytes]
    kernel: KernelUnderProof
    architecture: str
    ptx: str
    triton: str
    proof: Proof

    @property
    def ir(self) -> str:
        """The program that the PTX was held to, as text."""
        return print_program(self.kernel.program)

    def lines(self) -> Iterator[str]:
        """Lines about words that are proven, about others and where they are from, and about premises."""
        proof, failed = self.proof, self.proof.failed
        done = len(proof.obligations) - len(failed)
        yield (
            f"{self.universe.name}, {self.kernel.name}, {self.architecture}: "
            f"{done} of {len(proof.obligations)} words proven, "
            f"in {len(proof.cases)} cases of {proof.executed} instructions"
        )
        digest = hashlib.sha256(self.ptx.encode()).hexdigest()
        way = "side by side" if proof.merger.by_sides else "pass by pass"
        yield f"PTX {digest[:16]} against the tick IR as lowered, before all passes, {way}"
        yield "by " + ", ".join(f"{count} {reason}" for reason, count in sorted(proof.merger.reasons.items()))
        for each in failed:
            yield from self._failed(each)
        placement = self.kernel.placement
        agents = "one agent" if placement.agents == 1 else f"{placement.agents} agents"
        at_once = AT_ONCE if placement.agents > 1 else ""
        for number, premise in enumerate(PREMISES):
            said = premise.format(agents=agents, worlds=placement.most_worlds, block=placement.block, at_once=at_once)
            yield f"{'premises' if number == 0 else '':10}{said}"
        yield f"{'trusted':10}{TRUSTED}"

    def _failed(self, each: Obligation) -> Iterator[str]:
        name, row = each.word
        yield f"not proven: {self.place(each)} ({name}, row {row}), {each.case}"
        if each.counterexample is not None:
            yield f"  differs where {'; '.join(self._state(each.counterexample))}"
        yield f"  must be {each.left}"
        yield f"  is      {each.right}"

    def _state(self, words: Mapping[str, int]) -> Iterator[str]:
        """A state in words, what is done in it, and in which launch."""
        fields, placement = schema.state_fields(self.universe), self.kernel.placement
        named = [
            (f"{of}[{row}]", name + of.removeprefix(each.name), each.dtype)
            for each in fields
            for of in placement.names(each.name)
            for row, name in enumerate(each.names)
        ]
        one = [(key, name, dtype) for key, name, dtype in named if key in words and not name.startswith("cells.")]
        yield ", ".join(f"{name} = {_number(words[key], dtype)}" for key, name, dtype in one)
        if self.kernel.cells is not None:
            yield f"cell {words[NUMBER]} of {self.kernel.cells.count}"
        for each in (each for each in placement.names("actions") if f"{each}[0]" in words):
            yield f"action{each.removeprefix('actions')} {schema.action_names(self.universe)[words[f'{each}[0]']]}"
        world, seed = placement.world_of(words), words["seed_low"] | words["seed_high"] << 32
        waits = ", which waits where its episode ended" if words["waits"] else ""
        yield f"world {words['first_world'] + world}, number {world} of {words['worlds']} of the launch{waits}"
        yield f"tick {words['tick']}, seed {seed}"

    def place(self, each: Obligation) -> str:
        """The construct that writes a word last in a tick, and its line."""
        (name, row), (_, _, agent) = each.word, each.word[0].partition(OF_AGENT)
        name, of = array_of(name), f" of agent {agent}" if agent else ""
        fields = (*schema.state_fields(self.universe), *schema.outcome_fields(self.universe))
        names = {field.name: field.names for field in fields}
        register = names[name][row] if name in names else f"{name}.{row}"
        if name == schema.CELL_METERS and self.kernel.cells is not None:
            register = f"cells.{self.kernel.cells.meters[row]}"
        for function in self.kernel.program.functions:
            if function.name in WRITING[self.kernel.name]:
                for output in function.outputs:
                    if output.name == register:
                        origin = function.nodes[output.value].origin
                        return f"{register}{of}, {origin}" + (f", line {origin.line}" if origin.line else "")
        return f"{register}{of}"


def _number(word: int, dtype: schema.DType) -> str:
    """A word of an array in words."""
    match dtype:
        case "bool":
            return "true" if word else "false"
        case "f32":
            return spell32(from_bits32(word))
        case "i32":
            return str(word - ((word >> 31) << 32))


def prove_package(
    module: Module, architecture: str, text: Callable[[str], str] = lambda ptx: ptx, name: abi.Kernel = "step"
) -> Report:
    """Prove a kernel of a package for an architecture, `sm_90`; `text` may change its PTX first.

    Raises:
        UnprovenError: it has what the proof does not know.
        EnvError: Triton cannot compile it.
    """
    compilation = lower(module.universe)
    texts: list[str] = []

    def noted(ptx: str) -> str:
        texts.append(text(ptx))
        return texts[0]

    kernel = kernel_under_proof(
        module.kernels("triton"),
        module.universe,
        compilation.program,
        schedule(compilation),
        name,
        int(architecture.removeprefix("sm_")),
        noted,
    )
    files = {**module.sources, UNIVERSE_FILE: to_json(module.universe).encode()}
    kernel = replace(kernel, waypoints=tuple(waypoints(module.universe)))
    return Report(module.universe, files, kernel, architecture, texts[0], metadata.version("triton"), prove(kernel))
