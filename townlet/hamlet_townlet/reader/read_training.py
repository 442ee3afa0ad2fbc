"""training.yaml: the sections about the environment. Sections about learning are accepted and not looked into."""

from __future__ import annotations

from hamlet.universe import Span
from hamlet_townlet.pack import Aspatial, Continuous, Grid, Substrate, Training
from hamlet_townlet.reader.fields import Fields, given_twice, text
from hamlet_townlet.reader.limits import MOST_CELLS, MOST_TICKS
from hamlet_townlet.reader.nodes import Node
from hamlet_townlet.reader.report import PackFindings
from hamlet_townlet.spanned import Spanned
from hamletc.diagnostics import Label

_LEARNING = (
    "device",
    "max_episodes",
    "train_frequency",
    "target_update_frequency",
    "batch_size",
    "max_grad_norm",
    "use_double_dqn",
    "epsilon_start",
    "epsilon_decay",
    "epsilon_min",
    "sequence_length",
    "allow_unfeasible_universe",
)


def read_training(report: PackFindings, node: Node, substrate: Substrate) -> Training:
    """What training.yaml says about the environment in this space."""
    fields = Fields(report, node, "training.yaml")
    environment = fields.section("environment", "the environment")
    population = fields.section("population", "the population")
    curriculum = fields.section("curriculum", "the curriculum")
    learning = fields.find("training")
    fields.correct()
    partial = environment.flag("partial_observability")
    vision = environment.integer("vision_range", least=0)
    training = Training(
        partial,
        vision,
        environment.flag("enable_temporal_mechanics"),
        environment.flag("randomize_affordances"),
        _names(report, environment, "enabled_affordances"),
        _enabled_actions(report, learning),
        population.integer("num_agents", least=1),
        curriculum.integer("max_steps_per_episode", least=1, most=MOST_TICKS),
    )
    if not partial.value and vision.value != 0:
        environment.ignored("vision_range", why="Without partial observability there is no window.")
    if isinstance(substrate, Aspatial) and training.randomize_affordances.value:
        environment.ignored("randomize_affordances", why="There are no positions: substrate.yaml says `aspatial`.")
    if not isinstance(substrate, Grid) and training.num_agents.value != 1:
        population.ignored("num_agents", why="An environment is given its number of agents when it is made.")
    environment.done()
    population.documentation("learning_rate", "gamma", "replay_buffer_capacity", "mask_unused_obs")
    population.done()
    curriculum.documentation("survival_advance_threshold", "survival_retreat_threshold")
    curriculum.documentation("entropy_gate", "min_steps_at_stage")
    curriculum.done()
    if training.enabled_affordances == ():
        hint = "Name at least one, or write `null` for all."
        report.add("H110", "no affordance is enabled", environment.key("enabled_affordances"), hint=hint)
    if partial.value and not report.failed:
        _check_window(report, environment, vision, substrate)
    return training


def _names(report: PackFindings, fields: Fields, key: str) -> tuple[Spanned[str], ...] | None:
    """A list of names, or `None` where there is none."""
    if fields.find(key) is None:
        return None
    first: dict[str, Span] = {}
    for name in fields.names(key):
        if name.value and first.setdefault(name.value, name.span) is not name.span:
            secondary = (Label(first[name.value], "the first time"),)
            hint = "Remove one of the two."
            report.add("H134", f"`{name.value}` is given twice", name.span, secondary=secondary, hint=hint)
    return tuple(Spanned(name, span) for name, span in first.items())


def _enabled_actions(report: PackFindings, node: Node | None) -> tuple[Spanned[str], ...] | None:
    if node is None:
        return None
    fields = Fields(report, node, "the training")
    fields.documentation(*_LEARNING)
    if fields.find("enabled_actions") is None:
        fields.done()
        return None
    read = [text(report, item, "an item of `enabled_actions`") for item in fields.items("enabled_actions")]
    names = tuple(Spanned(name.value.strip(), name.span) for name in read)
    fields.done()
    given_twice(report, names, "the action")
    return names


def _check_window(report: PackFindings, environment: Fields, vision: Spanned[int], substrate: Substrate) -> None:
    """Refuse the windows that HAMLET refuses."""
    key: Span = environment.key("partial_observability")
    hint = "Write `partial_observability: false`."
    match substrate:
        case Aspatial():
            report.add("H120", "HAMLET has no partial observability without a space", key, hint=hint)
        case Continuous():
            report.add("H120", "HAMLET has no partial observability in continuous spaces", key, hint=hint)
        case Grid(sizes=sizes) if len(sizes) >= 4:
            message = f"HAMLET has no partial observability with {len(sizes)} axes"
            report.add("H120", message, key, hint=hint)
        case Grid(sizes=sizes, encoding=encoding):
            cells = (2 * vision.value + 1) ** len(sizes)
            if len(sizes) == 3 and cells > 125:
                message = f"a window of {cells} cells: HAMLET runs at most 125 on three axes"
                report.add("H120", message, vision.span, hint="Write `vision_range: 2`, or less.")
            elif cells > MOST_CELLS:
                report.add("H117", f"a window of {cells} cells", vision.span, hint=f"At most {MOST_CELLS} are allowed.")
            if encoding.value != "relative":
                message = (
                    f"partial observability with `observation_encoding: {encoding.value}`: HAMLET runs `relative` only"
                )
                report.add("H120", message, key, hint="Change substrate.yaml, or write `partial_observability: false`.")
