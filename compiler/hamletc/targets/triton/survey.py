"""The scene of lanes, which stays for an episode, and what is written of their state with it, in kernels for GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet.frozen import dataclass
from hamletc.ir.ops import Fold, Type
from hamletc.kernel.code import Code, Function, assign, do, function, give, when
from hamletc.kernel.expressions import Expression, Name, call, expression, names, several
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import same_bits
from hamletc.targets.triton.columns import operations
from hamletc.targets.triton.memory import (
    PLACE,
    address,
    agent,
    count_agents,
    fetch,
    lane,
    lanes,
    unpack,
    unpacked,
    unpacked_columns,
    valid,
    world,
    worlds_at,
)
from hamletc.targets.triton.slots import word

WORTH = 20
"""Operations of a lane that an H100 does while it moves a word to or from memory: a step is bound by the latter."""


@dataclass(frozen=True, slots=True)
class SceneWord:
    """A value of the scene as memory keeps it, in a row of an array of words (I32)."""

    row: int
    name: str
    type: Type

    @property
    def address(self) -> Expression:
        """Where it is."""
        return address("kept_ptr", self.row, "worlds", world)

    @property
    def bits(self) -> Name:
        """The variable of its word."""
        return Name(f"{self.name}_bits")

    @property
    def loaded(self) -> Expression:
        """The value of the word."""
        match self.type:
            case Type.F32:
                return same_bits(self.bits, "float32")
            case Type.U32:
                return same_bits(self.bits, "uint32")
            case Type.I32:
                return self.bits
            case Type.BOOL:
                return self.bits.differs(0)


def scene_words(bindings: Bindings) -> list[SceneWord]:
    """The scene as steps keep it, where it follows from the layout and is worth the memory."""
    scene = bindings.bodies["scene"]
    loops = {(op.function, op.count) for node in scene.function.nodes if isinstance(op := node.op, Fold)}
    in_loops = sum(count * operations(bindings.program.function(name)) for name, count in loops)
    of_layout = all(parameter.input == "layout" for parameter in scene.parameters)
    if not of_layout or operations(scene.function) + in_loops < WORTH * (1 + len(bindings.scene)):
        return []
    types = [scene.type(output.value) for output in scene.outputs]
    return [SceneWord(row, name, type_) for row, (name, type_) in enumerate(zip(bindings.scene, types, strict=True), 1)]


def survey(bindings: Bindings) -> list[Function]:
    """The functions that find the scene, keep it from step to step, and write observations and masks with it."""
    values = scene_words(bindings)
    keeping = [_recall(values), _keep(bindings, values)] if values else []
    return [_look(bindings), *keeping, _survey(bindings)]


def _look(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place", "state")
        yield from fetch(bindings, "scene")
        yield give(call("_scene", *bindings.arguments("scene")))

    return function("_look", (), "The scene of each lane.", body())


def _recall(values: list[SceneWord]) -> Function:
    layout, known, scene = names("kept known scene")

    def body() -> Iterator[Code]:
        yield unpack(PLACE, "place")
        loaded = call("tl.load", expression("kept_ptr") + world, mask=valid, other=0)
        yield assign(layout, same_bits(loaded, "uint32"))
        for each in values:
            yield assign(each.bits, call("tl.load", each.address, mask=valid, other=0))
        some: Expression = values[0].bits
        for each in values[1:]:
            some = some | each.bits
        yield assign(known, layout.equals("layout") & some.differs(0))
        yield assign(scene, several(each.loaded for each in values))
        yield give(scene, known | ~valid)

    summary = (
        "The scene that an earlier step kept, and in which lanes it is that of the layout. Zeros alone are no scene."
    )
    return function("_recall", (), summary, body())


def _keep(bindings: Bindings, values: list[SceneWord]) -> Function:
    changed = Name("changed")

    def body() -> Iterator[Code]:
        yield unpack(PLACE, "place")
        yield unpack(bindings.scene, "scene")
        yield assign(changed, changed & valid & agent.equals(0))
        yield do("tl.store", expression("kept_ptr") + world, same_bits("layout", "int32"), mask=changed)
        for each in values:
            yield do("tl.store", each.address, word(each.name, each.type), mask=changed)

    return function("_keep", (), "Keep the scene of worlds in which it has changed.", body())


def _survey(bindings: Bindings) -> Function:
    def observed() -> Iterator[Code]:
        yield unpack(bindings.scene, "scene")
        yield from fetch(bindings, "observe")
        yield do("_observe", expression("observation_ptr") + lane, lanes, valid, *bindings.arguments("observe"))

    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "arrays", "place")
        yield from worlds_at(bindings)
        if bindings.counts("mask"):
            yield count_agents()
        yield from unpacked(bindings, "state")
        yield from unpacked_columns(bindings, "observe", "mask")
        yield when(Name("observation_ptr").present(), observed())
        yield from fetch(bindings, "mask")
        living = [] if bindings.universe.by_hand else ["alive"]
        yield do("_mask", "mask_ptr", lanes, lane, valid, *living, *bindings.arguments("mask"))

    return function("_survey", (), "Write observations, unless they are written already, and masks.", body())
