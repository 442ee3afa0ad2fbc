"""One first divergence: where two runs part, what parts them, and how it is told.

`hamletc verify` (backends beside the interpreter), `hamletc diff` (any two sides) and `hamletc replay` (a recorded run,
or a trace of HAMLET, beside a run now) ask the same question and answer it with the same record. A *side* is a universe
and what runs it; the left one is what the others are held to.

Narrowing goes from coarse to fine, and each step begins where the one before it ended:

| over | by | in |
|---|---|---|
| events | both sides do the same event from the same state and compare every array | `session` |
| ticks | a rollout that parts is run again from where both agree, by halves, down to one tick | `session` |
| fields, agents | arrays are compared by their bits, causes before consequences, then agent by agent | `arrays` |
| statements | what may write the field, and what the interpreter wrote to it in that tick | `locate` |
| nodes of the IR | who is to blame, and the first node, line or phase that differs though its inputs do not | `cause` |

The record of all this is `record.Divergence`: when, where, both values, how many more, who writes there, and the cause.
`Divergence.lines` is its one text, `dataclasses.asdict` its one JSON.

| word | means |
|---|---|
| side | a universe and what runs it, with its program and kernels where there are some (`sides`) |
| runner | a backend with buffers of its own (`events`) |
| event | a reset, an injected state, a step, a rollout, a jump to a tick (`events`) |
| parting | the shortest event after which two sides differ, all being equal before it (`session`) |
| difference | the first value of an array that differs (`arrays`) |
| divergence | the record of it: a parting in words and numbers (`record`) |
| cause | what parts the sides, with a reading of either (`record`, found by `cause`) |
| reading | what one side has: a value, the code it comes from, its inputs, its construct and line (`record`) |
| form | the program of a side after the lowering, a pass, or the passes of a target (`sides`) |
| evaluation | a function of a form, with the value of every node (`values`) |
"""

from hamlet_lab.divergence.events import CPU, Candidate
from hamlet_lab.divergence.record import Divergence

__all__ = ["CPU", "Candidate", "Divergence"]
