"""Rules and cascades, and the statements that they, affordances and actions consist of."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Assign, Cascade, Continuous, Grid, Guarded, Push, Rule, Span, Statement, Together, nodes
from hamletc.checking.effects import (
    LONGEST_EFFECT,
    MOST_STATEMENTS,
    Effect,
    Effects,
    Moment,
    again_of,
    blocks_of,
    check_blocks,
    check_circle,
    declared_effects,
    going_on,
    left_of,
    stacks_of,
)
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, between
from hamletc.checking.standpoint import Threshold, Whose
from hamletc.checking.states import is_written
from hamletc.checking.states import written as held
from hamletc.checking.symbols import axis_of, builtin
from hamletc.diagnostics import Label
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name


class Statements:
    """Resolves the statements of one declaration; those with errors are left out. `whose` meters they write."""

    def __init__(self, names: Names, report: Findings, expressions: Expressions, whose: Whose = "agent") -> None:
        self._names = names
        self._report = report
        self._expressions = expressions
        self._whose = whose

    def body(self, statements: tuple[syntax.Stmt, ...]) -> tuple[Statement, ...]:
        """Statements one after the other."""
        return tuple(resolved for statement in statements for resolved in self.statement(statement))

    def statement(self, statement: syntax.Stmt) -> tuple[Statement, ...]:
        """What one statement becomes; nothing where it has an error."""
        match statement:
            case syntax.AssignStmt(unclamped=unclamped):
                assign = self._assign(statement, clamped=unclamped is None)
                return () if assign is None else (assign,)
            case syntax.PushStmt():
                push = self._push(statement)
                return () if push is None else (push,)
            case syntax.TogetherStmt():
                body = self.together(statement.body, statement.span)
                return (Together(body, statement.span),) if body else ()
            case syntax.BeginStmt():
                return self._begin(statement)

    def together(self, statements: tuple[syntax.Stmt, ...], outer: Span) -> tuple[Assign, ...]:
        """Statements that are clamped together, since `outer` says so."""
        members = (self._member(member, outer) for member in statements)
        return tuple(member for member in members if member is not None)

    def _member(self, statement: syntax.Stmt, outer: Span) -> Assign | None:
        match statement:
            case syntax.AssignStmt(unclamped=unclamped):
                if unclamped is not None:
                    self._report.add(
                        "H064",
                        "`unclamped` has no effect inside `together`",
                        unclamped,
                        secondary=(Label(outer, "clamps once, at its end"),),
                        hint="Leave `unclamped` out.",
                    )
                return self._assign(statement, clamped=False)
            case syntax.PushStmt():
                self._report.add(
                    "H156",
                    "velocity cannot be written inside `together`",
                    statement.span,
                    "it is brought within its limit at once",
                    secondary=(Label(outer, "clamps meters once, at its end"),),
                    hint="Write it before or after.",
                )
                self._expressions.number(statement.value)
                return None
            case syntax.TogetherStmt():
                self._report.add(
                    "H052",
                    "`together` cannot stand inside `together`",
                    statement.span,
                    secondary=(Label(outer, "the outer one"),),
                    hint="Write the statements of both in one `together { }`.",
                )
                self.body(statement.body)
                return None
            case syntax.BeginStmt(word=word):
                self._report.add(
                    "H052",
                    f"`{word}` cannot stand inside `together`",
                    statement.span,
                    secondary=(Label(outer, "clamps once, at its end"),),
                    hint="Write it before or behind the braces, or leave `together` out.",
                )
                return None

    def _begin(self, statement: syntax.BeginStmt) -> tuple[Statement, ...]:
        """`begin poisoned`, `end poisoned`."""
        effects, name = self._names.effects, self._names.find(statement.effect, "effect")
        effect = None if name is None else effects.known.get(name)
        if effect is None:
            return ()
        if effect.of_world != (self._whose == "world"):
            self._refuse(effect, statement)
            return ()
        if statement.word == "begin":
            effects.begun.add(effect.name)
            found = effect.begun(block(effect, "on start", self._names, self._report), statement.span)
        else:
            done = block(effect, "on end", self._names, self._report)
            ended = effect.ended(done, statement.span)
            found = (Guarded(effect.lasts(statement.span), ended, statement.span),) if done else ended
        effects.statements += sum(len(each.assigns) for each in found)
        if effects.statements > MOST_STATEMENTS:
            hint = "Begin it at fewer places: its `on start` stands for its statements at each."
            message = f"effects stand for more than {MOST_STATEMENTS:,} statements"
            self._report.add("H086", message, statement.span, hint=hint)
            return ()
        return found

    def _refuse(self, effect: Effect, statement: syntax.BeginStmt) -> None:
        word, name = statement.word, spell_name(statement.effect)
        if effect.of_world:
            message = f"an agent cannot {word} `{effect.name}`, which is the world's"
            rule = f"`rule NAME: count(used == Shop) > 0 -> {word} {name}`"
            hint = f"A rule of the world can, by what its agents did: {rule} in `world {{ }}`."
        else:
            message = f"a rule of the world cannot {word} `{effect.name}`, which each agent has"
            hint = (
                f"Write a rule of the agents; it can read meters of the world: `rule NAME: CONDITION -> {word} {name}`."
            )
        label = Label(effect.span, "an effect of the world" if effect.of_world else "an effect of agents")
        self._report.add("H171", message, statement.span, secondary=(label,), hint=hint)

    def _assign(self, statement: syntax.AssignStmt, *, clamped: bool) -> Assign | None:
        if statement.owner is not None:
            self._refuse_owner(statement, statement.owner)
            return None
        if self._whose in ("world", "cell"):
            of_world = self._whose == "world"
            target = self._names.target_of_world if of_world else self._names.target_of_cells
            meter = target(statement.meter)
            clamped = self._never_unclamped(statement.unclamped, clamped=clamped)
        else:
            meter = self._names.target(statement.meter)
        spec = self._names.state(statement.meter)
        if meter is not None and not is_written(statement, spec, self._report):
            self._names.suspects.add(meter)
            return None
        value = held(statement.value, spec, self._expressions, self._names, self._report)
        if meter is None:
            return None
        self._is_meant_to_become_zero(statement)
        if value is None:
            self._names.suspects.add(meter)
            return None
        return Assign(meter, statement.op, value, clamped, statement.span)

    def _refuse_owner(self, statement: syntax.AssignStmt, owner: syntax.Name) -> None:
        """Say why `left of poisoned = 3` cannot be. Meters of affordances have no owner any more."""
        read = syntax.OfExpr(statement.meter, owner, between(statement.meter.span, owner.span))
        if self._expressions.number(read) is not None:
            hint = f"`begin {owner.text}` and `end {owner.text}` say when it lasts."
            message = f"`{statement.meter.text} of {owner.text}` is no meter"
            self._report.add("H176", message, read.span, "no statement writes it", hint=hint)

    def _is_meant_to_become_zero(self, statement: syntax.AssignStmt) -> None:
        """`mood = 1 when rested` reads like a condition of the statement, and writes 0 in all other ticks. A value that
        expansion has written has the place of its statement."""
        match statement:
            case syntax.AssignStmt(op="=", value=syntax.WhenExpr(span=span)) if span != statement.span:
                self._report.add(
                    "H084",
                    f"`{statement.meter.text}` becomes 0 where the condition does not hold",
                    span,
                    "`A when C` is a value: A, or 0",
                    hint="Write `if C then A else 0` if that is meant, or its name behind `else` where it is to stay.",
                )
            case _:
                pass

    def _push(self, statement: syntax.PushStmt) -> Push | None:
        """A statement that writes the velocity on an axis."""
        value = self._expressions.number(statement.value)
        if statement.unclamped is not None:
            message, hint = "a velocity never leaves its limit", "Leave it out, or raise `momentum up to`."
            self._report.add("H156", message, statement.unclamped, hint=hint)
        space, axis = self._names.space, statement.axis.text
        if self._whose != "agent":
            owner = "the world" if self._whose == "world" else "cells"
            hint = f"Let a rule of the agents do it; it can read meters of {owner}."
            label = "each agent has its own"
            message = f"a rule of {owner} cannot change `velocity {axis}`"
            self._report.add("H156", message, statement.span, label, hint=hint)
            return None
        if space is None or not self._names.has("space", "`velocity`", statement.span):
            return None
        found = axis_of(statement.axis, self._names, self._report)
        if found is None:
            return None
        if not isinstance(space, Continuous) or space.momentum is None:
            grid = isinstance(space, Grid)
            hint = (
                "Give a continuous space momentum, as in `{ step 0.1  reach 1  momentum up to 2 }`."
                if grid
                else "Add `momentum up to 2` to the space: then pushes add up, and positions follow from velocities."
            )
            label = "moves change positions, and the velocity is what they did"
            there = (Label(space.span, "a grid has no momentum" if grid else "this space has no momentum"),)
            message = f"`velocity {axis}` cannot be written without momentum"
            self._report.add("H150", message, statement.span, label, secondary=there, hint=hint)
            return None
        return None if value is None else Push(found, statement.op, value, statement.span)

    def _never_unclamped(self, span: Span | None, *, clamped: bool) -> bool:
        if span is None:
            return clamped
        hint = "Leave it out, or give the meter wider bounds."
        self._report.add(
            "H096",
            f"a meter of {'the world' if self._whose == 'world' else 'cells'} never leaves its bounds",
            span,
            hint=hint,
        )
        return True


def block(effect: Effect, moment: Moment, names: Names, report: Findings) -> tuple[Statement, ...]:
    """What a block of an effect does."""
    bodies, item = names.effects.bodies, blocks_of(effect.declaration).get(moment)
    if (effect.name, moment) not in bodies:
        whose: Whose = "world" if effect.of_world else "agent"
        # What begins and ends an effect can be an action or a use, when not all has been used.
        expressions = Expressions(
            names, report, scope="tick" if effect.of_world or moment == "each tick" else "acting", whose=whose
        )
        found = () if item is None else Statements(names, report, expressions, whose).body(item.body)
        bodies[effect.name, moment] = found
    return bodies[effect.name, moment]


def resolve_effects(file: syntax.File, names: Names, report: Findings) -> Effects:
    """The effects of a universe, none where they lead to themselves."""
    declared = [(each, of_world) for each, of_world in declared_effects(file.declarations) if names.owns(each.name)]
    known: dict[str, Effect] = {}
    for declaration, of_world in declared:
        check_blocks(declaration, report)
        lasts, ticks = declaration.duration, 0
        if isinstance(lasts, syntax.Signed):
            ticks = names.duration(lasts, LONGEST_EFFECT, "an effect in") or 0
        item = next((item for item in declaration.items if isinstance(item, syntax.AgainItem)), None)
        most = None
        if item is not None and item.how == "add" and item.most is not None and ticks:
            most = names.duration(item.most, LONGEST_EFFECT, "an effect in")
        again = again_of(declaration, ticks, most, report)
        if again is not None:
            how, longest, stacks = again
            where = declaration.name.span if item is None else item.span
            known[declaration.name.text] = Effect(declaration, of_world, ticks, how, longest, stacks, where)
    return Effects(known if check_circle(declared, report) else {})


def resolve_effect(declaration: syntax.EffectDecl, names: Names, report: Findings) -> Rule | None:
    """The rule by which an effect goes on."""
    effect = names.effects.known.get(declaration.name.text)
    if effect is None or effect.declaration is not declaration:
        return None
    block(effect, "on start", names, report)
    tick, end = (block(effect, moment, names, report) for moment in ("each tick", "on end"))
    until = next((item for item in declaration.items if isinstance(item, syntax.UntilItem)), None)
    expressions = Expressions(names, report, whose="world" if effect.of_world else "agent")
    over = None if until is None else expressions.condition(until.condition)
    return going_on(effect, tick, end, over)


def written(statements: tuple[syntax.Stmt, ...]) -> set[str]:
    """The names that the statements write."""
    names: set[str] = set()
    for statement in statements:
        match statement:
            case syntax.AssignStmt(meter=meter):
                names.add(meter.text)
            case syntax.TogetherStmt(body=body):
                names |= written(body)
            case syntax.BeginStmt(effect=effect):
                names |= {left_of(effect.text), stacks_of(effect.text)}
            case syntax.PushStmt():
                pass
    return names


def left_unclamped(file: syntax.File) -> frozenset[str]:
    """The meters that some statement of the file leaves unclamped."""
    found = (node for node in nodes(file) if isinstance(node, syntax.AssignStmt) and node.unclamped is not None)
    return frozenset(statement.meter.text for statement in found)


def resolve_rule(declaration: syntax.RuleDecl, names: Names, report: Findings, whose: Whose = "agent") -> Rule | None:
    """`rule NAME: guard -> statements`, of agents, of the world or of cells."""
    expressions = Expressions(names, report, whose=whose)
    guard = None if declaration.guard is None else expressions.condition(declaration.guard)
    if declaration.guard is not None and guard is None:
        names.suspects |= written(declaration.body)
    body = Statements(names, report, expressions, whose=whose).body(declaration.body)
    return Rule(declaration.name.text, guard, body, declaration.span) if body else None


def resolve_cascade(declaration: syntax.CascadeDecl, names: Names, report: Findings) -> Cascade | None:
    """`cascade NAME: meter < threshold -> statements`."""
    guard = declaration.guard
    source, threshold = None, None
    if (
        isinstance(guard, syntax.BinaryExpr)
        and guard.op == "<"
        and isinstance(guard.left, syntax.Name)
        and names.value_kind(guard.left) in ("meter", None)
        and builtin(guard.left) is None
    ):
        source = names.find(guard.left, "meter")
        threshold = Expressions(names, report).constant(guard.right, "the threshold of a cascade")
    else:
        hint = _other_guard(declaration, names)
        report.add(
            "H039", "a cascade is guarded by `meter < constant`", guard.span, "this is another condition", hint=hint
        )
    written = guard.right.span if isinstance(guard, syntax.BinaryExpr) else guard.span
    expressions = Expressions(names, report, Threshold(threshold, written))
    body = Statements(names, report, expressions).body(declaration.body)
    if source is None or threshold is None or not body:
        return None
    who = None if declaration.who is None else expressions.condition(declaration.who)
    if who is None and declaration.who is not None:
        return None
    return Cascade(declaration.name.text, source, threshold, body, declaration.span, who)


def _other_guard(declaration: syntax.CascadeDecl, names: Names) -> str:
    """What to write for a guard that is not `meter < constant`."""
    guard = declaration.guard
    name = spell_name(declaration.name)
    if (
        isinstance(guard, syntax.BinaryExpr)
        and guard.op == "<="
        and isinstance(guard.left, syntax.Name)
        and names.value_kind(guard.left) == "meter"
    ):
        below = spell_expression(replace(guard, op="<"))
        return f"Write `{below}`; or `rule {name}: {spell_expression(guard)} -> ...`, which has no `deficit`."
    return f"Write `rule {name}: guard -> ...` for other guards."
