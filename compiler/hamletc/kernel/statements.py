"""The statements of a schedule: one thing each that kernels do around the functions of the tick IR.

A statement works on *registers*, named as functions of the tick IR name their inputs and outputs (`meter.energy`). A
register has a value for each lane; what belongs to a world is the same in all lanes of it, and `cells.<meter>` has a
value for each cell of each world.

Each statement declares its text form beside its meaning: words, and `{attribute}` where an attribute stands.
"""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias, get_args

from hamlet.frozen import dataclass
from hamletc.ir.ops import Type

Flag: TypeAlias = Literal["counting", "every_tick", "last_only", "shown"]
"""What holds or does not for a whole launch: it counts; it observes after every tick, or after the last alone; the last
observation of an episode is written, which is so where every tick is observed and worlds do not wait."""
FLAGS: tuple[Flag, ...] = get_args(Flag)

RUNNING = "running"
"""The register (bool) of the lanes that run the tick: those that were alive at its beginning, or, where episodes end by
hand, all."""
BEGINS = "begins"
"""The register (bool) of the lanes whose worlds begin an episode."""
OF_WORLD = ("hour", "tick", "seed_low", "seed_high", "world", "episode", "agents")
SHARED = ("world.", "before.world.", "param.")
"""What functions of cells read of the lanes of their world: names of registers, and beginnings of names."""


@dataclass(frozen=True, slots=True)
class Load:
    """Copy arrays of the state into registers, those of worlds into all lanes of a world."""

    form: ClassVar[str] = "load {fields}"

    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """Copy registers into arrays; an array of worlds gets what the first lane of each world has. Lanes in which the
    register `where` (bool) does not hold keep what their array has; empty: no lane does."""

    form: ClassVar[str] = "store {fields} where {where}"

    fields: tuple[str, ...]
    where: str = ""


@dataclass(frozen=True, slots=True)
class Agents:
    """Set `agent` (i32), the number of the lane's agent in its world, and `agents` (i32), how many that has."""

    form: ClassVar[str] = "agents"


@dataclass(frozen=True, slots=True)
class Counters:
    """Set what random words are drawn by, all u32: `lane` and `world`, numbers among those of all shards, `tick`, and
    `seed_low` and `seed_high`."""

    form: ClassVar[str] = "counters"


@dataclass(frozen=True, slots=True)
class Take:
    """Set `begins` by the argument of the launch of this name, [worlds] bool."""

    form: ClassVar[str] = "take"


@dataclass(frozen=True, slots=True)
class Act:
    """Set `action` (i32): recorded for this tick; or what a table has for the `situation` of the lane, a choice or the
    number of thresholds that the upper 30 bits of the tick's random word reach; or what `choose` makes of that word.
    `policy` makes the words of four ticks of one counter: a tick has number `tick & 3` of them."""

    form: ClassVar[str] = "act"


@dataclass(frozen=True, slots=True)
class Give:
    """Set the registers of a field to what the launch gives for this tick, if it gives some. Otherwise controls that a
    policy draws are set by `steered`, where the launch has no recorded actions; empty: they stay."""

    form: ClassVar[str] = "give {field} steered {steered}"

    field: str
    steered: str = ""


@dataclass(frozen=True, slots=True)
class Set:
    """Set a register to that of another name, or, where `number` is not empty, to whether it equals that number."""

    form: ClassVar[str] = "set {register} to {source} equals {number}"

    register: str
    source: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """Keep the values of registers as they are now under `<prefix>.<register>`."""

    form: ClassVar[str] = "copy {registers} to {prefix}"

    registers: tuple[str, ...]
    prefix: str


@dataclass(frozen=True, slots=True)
class Call:
    """Compute a function of the tick IR in each lane; its outputs are registers. An input `position.<axis>` is that of
    `at` where that is not empty: `moved.<axis>`."""

    form: ClassVar[str] = "call {function} at {at}"

    function: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Set `cell.<number>`, for each number, to what `place` has for that affordance at random, and where `own` is not
    empty, `cell` to the cell on which the lane's agent starts: that of the index of `own` more than its number."""

    form: ClassVar[str] = "place {numbers} own {own}"

    numbers: tuple[str, ...]
    own: str = ""


@dataclass(frozen=True, slots=True)
class Some:
    """Set a register (bool) to whether a condition holds in a running lane of the world."""

    form: ClassVar[str] = "some {register} of {condition}"

    register: str
    condition: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Compute the function of pairs of a stage for each running lane and each running lane of its world. Then what it
    gives as `pairs.<state>` is what the one has of the other; in other lanes that stays."""

    form: ClassVar[str] = "pair {stage}"

    stage: str


@dataclass(frozen=True, slots=True)
class Join:
    """Set `among.<name>` to what the running lanes of the world have together: `hamletc.ir.together`."""

    form: ClassVar[str] = "join {name}"

    name: str


@dataclass(frozen=True, slots=True)
class BeginPairs:
    """Compute `begin_pairs` in each lane for each lane `other` of its world; set `pairs.<state>` to its outputs."""

    form: ClassVar[str] = "pairs"


@dataclass(frozen=True, slots=True)
class Near:
    """Compute the function `near` in each cell; set its outputs to their sums over the neighbours of the cell, side by
    side. Beyond an edge is nothing, unless edges wrap."""

    form: ClassVar[str] = "near"


@dataclass(frozen=True, slots=True)
class OnCells:
    """Set `among.<name>` of each cell to what the running lanes that stand on it have together, in the order of their
    agents."""

    form: ClassVar[str] = "on cells {name}"

    name: str


@dataclass(frozen=True, slots=True)
class CallCells:
    """Compute a function of the tick IR in each cell of each world; its outputs are registers of cells."""

    form: ClassVar[str] = "call cells {function}"

    function: str


@dataclass(frozen=True, slots=True)
class Over:
    """Compute the function `over` in each cell; set `world.<meter>` for each meter, in order, to what its outputs come
    to over all cells: halves of what is left are joined until one number is left."""

    form: ClassVar[str] = "over {meters}"

    meters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Crowd:
    """Compute the function `crowd` in each lane; set `cells.<meter>` of each cell for each meter, in order, to the sum
    of what the lanes of the world give that are counted and stand on it, from 0 on in the order of agents; or to the
    least or the greatest of it, from the bound of the meter on that none is beyond."""

    form: ClassVar[str] = "crowd {meters}"

    meters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gain:
    """Add `reward` to `episode_return`."""

    form: ClassVar[str] = "gain"


@dataclass(frozen=True, slots=True)
class Live:
    """Set `alive` to false where the lane's episode is `terminated` or `truncated`."""

    form: ClassVar[str] = "live"


@dataclass(frozen=True, slots=True)
class End:
    """Set `begins` in the lanes of worlds in which no lane is `alive`; where worlds wait, in none of which an episode
    ended in this tick (`cause` is -1)."""

    form: ClassVar[str] = "end"


@dataclass(frozen=True, slots=True)
class Fill:
    """Set registers to a constant: `0.0` is f32, `0` is i32, `true` and `false` are bool."""

    form: ClassVar[str] = "fill {registers} with {value}"

    registers: tuple[str, ...]
    value: str


def literal_type(value: str) -> Type:
    """The type of a constant of `Fill`."""
    if value in ("true", "false"):
        return Type.BOOL
    return Type.F32 if "." in value else Type.I32


@dataclass(frozen=True, slots=True)
class Next:
    """Add 1 to `episode`."""

    form: ClassVar[str] = "next"


@dataclass(frozen=True, slots=True)
class Count:
    """Add the tick to what the launch counts: uses, causes, lengths and returns of episodes, and of single lanes."""

    form: ClassVar[str] = "count"


@dataclass(frozen=True, slots=True)
class Observe:
    """Compute `observe`, and write its outputs, in order, to the rows of an array [rows, lanes] in lanes in which the
    register `where` holds (empty: in all), each in the type of the array. Without observations nothing happens."""

    form: ClassVar[str] = "observe {array} where {where}"

    array: Literal["observation", "final_observation"]
    where: str = ""


@dataclass(frozen=True, slots=True)
class Allow:
    """Compute `mask`, and write its outputs, in order, to the rows of the array `mask`, [actions, lanes]. A lane that
    is not `alive` may do action `wait` alone; empty: it may what all may."""

    form: ClassVar[str] = "allow wait {wait}"

    wait: str = ""


@dataclass(frozen=True, slots=True)
class Within:
    """Run a body in the lanes in which a register (bool) holds. In the others a register keeps its value."""

    form: ClassVar[str] = "within {condition} {body}"

    condition: str
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Run a body where a flag holds for the launch."""

    form: ClassVar[str] = "if {flag} {body}"

    flag: Flag
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Ticks:
    """Run a body once for each tick of the launch."""

    form: ClassVar[str] = "ticks {body}"

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Do:
    """Run a routine."""

    form: ClassVar[str] = "do {routine}"

    routine: str


Statement: TypeAlias = (
    Load
    | Store
    | Agents
    | Counters
    | Take
    | Act
    | Give
    | Set
    | Copy
    | Call
    | Place
    | Some
    | Pair
    | Join
    | BeginPairs
    | Near
    | OnCells
    | CallCells
    | Over
    | Crowd
    | Gain
    | Live
    | End
    | Fill
    | Next
    | Count
    | Observe
    | Allow
    | Within
    | If
    | Ticks
    | Do
)


STATEMENTS: tuple[type[Statement], ...] = get_args(Statement)
