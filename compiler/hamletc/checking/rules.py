"""Rules and cascades, and the statements that they, affordances and actions consist of."""

from __future__ import annotations

from typing import Literal

from hamlet.universe import (
    Assign,
    Cascade,
    Continuous,
    Grid,
    Guarded,
    Let,
    Push,
    Rule,
    Span,
    Statement,
    Together,
    nodes,
)
from hamletc import messages
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
from hamletc.checking.forgotten import forgotten
from hamletc.checking.names import Names
from hamletc.checking.relocations import Relocations
from hamletc.checking.report import Findings, between
from hamletc.checking.standpoint import Threshold, Whose
from hamletc.checking.states import is_written
from hamletc.checking.states import written as held
from hamletc.checking.symbols import axis_of, builtin
from hamletc.expansion.trees import names_in
from hamletc.language import syntax
from hamletc.language.declared import VALUES, ValueKind


class Statements:
    """Resolves the statements of one declaration; those with errors are left out. `whose` meters they write."""

    def __init__(self, names: Names, report: Findings, expressions: Expressions, whose: Whose = "agent") -> None:
        self._names = names
        self._report = report
        self._expressions = expressions
        self._whose = whose
        self._forgotten: set[str] = set()

    def body(self, statements: tuple[syntax.Stmt, ...]) -> tuple[Statement, ...]:
        """Statements one after the other."""
        if len(statements) > 1:
            self._note_forgotten(statements)
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
            case syntax.LetStmt():
                let = self._let(statement)
                return () if let is None else (let,)
            case syntax.TogetherStmt():
                body = self.together(statement.body, statement.span)
                return (Together(body, statement.span),) if body else ()
            case syntax.IfStmt():
                return self._if(statement)
            case syntax.RepeatStmt(body=repeated):
                return self.body(repeated)
            case syntax.BeginStmt():
                return self._begin(statement)
            case syntax.MoveStmt() | syntax.TeleportStmt():
                return self._relocation(statement)
            case syntax.SpawnStmt() | syntax.PostStmt():
                return ()  # it is written out

    def _if(self, statement: syntax.IfStmt) -> tuple[Statement, ...]:
        """`if hungry { ... } else { ... }`."""
        condition = self._expressions.condition(statement.condition)
        body, otherwise = self.body(statement.body), self.body(statement.others)
        if condition is None:
            self._names.suspects |= written((statement,))
            return ()
        return (Guarded(condition, body, statement.span, otherwise),) if body or otherwise else ()

    def together(self, statements: tuple[syntax.Stmt, ...], outer: Span) -> tuple[Assign | Let, ...]:
        """Statements that are clamped together, since `outer` says so."""
        self._note_forgotten(statements)
        members = (self._member(member, outer) for member in statements)
        return tuple(member for member in members if member is not None)

    def _note_forgotten(self, statements: tuple[syntax.Stmt, ...]) -> None:
        """Say of which statements the `let` was forgotten, once in a declaration."""
        for statement, again in forgotten(statements, self._names):
            name = statement.meter
            if name.text not in self._forgotten:
                self._forgotten.add(name.text)
                self._names.forgotten.add(name.text)
                guess = self._names.guess(name.text, self._names.of_kind(*VALUES))
                about = name.text, statement.span, again, guess
                self._report.add(messages.locals.LetForgotten(name.span, *about))

    def _let(self, statement: syntax.LetStmt) -> Let | None:
        """A local, by its key."""
        value = self._expressions.worked_out(statement)
        if value is None or not isinstance(statement.name, syntax.LocalName):
            return None
        let = Let(statement.name.key, value, statement.span)
        self._names.lets.append(let)
        return let

    def _member(self, statement: syntax.Stmt, outer: Span) -> Assign | Let | None:
        match statement:
            case syntax.LetStmt():
                return self._let(statement)
            case syntax.AssignStmt(unclamped=unclamped):
                if unclamped is not None:
                    self._report.add(messages.rules.UnclampedInTogether(unclamped, outer))
                return self._assign(statement, clamped=False)
            case syntax.PushStmt():
                self._report.add(messages.rules.VelocityInTogether(statement.span, outer))
                self._expressions.number(statement.value)
                return None
            case syntax.TogetherStmt():
                self._report.add(messages.rules.TogetherTwice(statement.span, outer))
                self.body(statement.body)
                return None
            case syntax.RepeatStmt() | syntax.SpawnStmt() | syntax.PostStmt():
                return None
            case syntax.IfStmt():
                self._report.add(messages.rules.NotInTogether(statement.span, "if", outer))
                self.statement(statement)
                return None
            case syntax.BeginStmt(word=word):
                self._report.add(messages.rules.NotInTogether(statement.span, word, outer))
                return None
            case syntax.MoveStmt():
                self._report.add(messages.rules.NotInTogether(statement.span, "move", outer))
                return None
            case syntax.TeleportStmt():
                self._report.add(messages.rules.NotInTogether(statement.span, "teleport", outer))
                return None

    def _relocation(self, statement: syntax.MoveStmt | syntax.TeleportStmt) -> tuple[Statement, ...]:
        """`move (1, 0)`, `teleport home`."""
        relocations = Relocations(self._names, self._report, self._expressions)
        if self._whose != "agent":
            word: Literal["move", "teleport"] = "move" if isinstance(statement, syntax.MoveStmt) else "teleport"
            self._report.add(messages.relocations.NobodyToMove(statement.span, word, self._owner))
            return ()
        relocation = (
            relocations.move(statement) if isinstance(statement, syntax.MoveStmt) else relocations.teleport(statement)
        )
        return () if relocation is None else (relocation,)

    def _begin(self, statement: syntax.BeginStmt) -> tuple[Statement, ...]:
        """`begin poisoned`, `end poisoned`."""
        effects, name = self._names.effects, self._names.find(statement.effect, "effect")
        effect = None if name is None else effects.known.get(name)
        if effect is None:
            return ()
        if effect.of_world != (self._whose == "world"):
            self._report.add(messages.effects.EffectOfOthers(statement.span, statement, effect.of_world, effect.span))
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
            self._report.add(messages.effects.TooManyStatements(statement.span, MOST_STATEMENTS))
            return ()
        return found

    def _assign(self, statement: syntax.AssignStmt, *, clamped: bool) -> Assign | None:
        if statement.owner is not None:
            self._refuse_owner(statement, statement.owner)
            return None
        if self._whose in ("world", "cell", "pair"):
            targets = {"world": self._names.target_of_world, "cell": self._names.target_of_cells}
            target = targets.get(self._whose, self._names.target_of_pairs)
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
            self._report.add(messages.effects.WrittenPartOfEffect(read.span, statement.meter.text, owner.text))

    def _is_meant_to_become_zero(self, statement: syntax.AssignStmt) -> None:
        """`mood = 1 when rested` reads like a condition of the statement, and writes 0 in all other ticks. A value that
        expansion has written has the place of its statement."""
        match statement:
            case syntax.AssignStmt(op="=", value=syntax.WhenExpr(span=span)) if span != statement.span:
                self._report.add(messages.rules.BecomesZero(span, statement.meter.text))
            case _:
                pass

    def _push(self, statement: syntax.PushStmt) -> Push | None:
        """A statement that writes the velocity on an axis."""
        value = self._expressions.number(statement.value)
        if statement.unclamped is not None:
            self._report.add(messages.rules.UnclampedVelocity(statement.unclamped))
        space, axis = self._names.space, statement.axis.text
        if self._whose != "agent":
            self._report.add(messages.rules.VelocityOfNobody(statement.span, axis, self._owner))
            return None
        if space is None or not self._names.has("space", "`velocity`", statement.span):
            return None
        found = axis_of(statement.axis, self._names, self._report)
        if found is None:
            return None
        if not isinstance(space, Continuous) or space.momentum is None:
            grid = isinstance(space, Grid)
            self._report.add(messages.rules.VelocityWithoutMomentum(statement.span, axis, space.span, grid))
            return None
        return None if value is None else Push(found, statement.op, value, statement.span)

    @property
    def _owner(self) -> Literal["the world", "cells"]:
        """Who has rules besides the agents."""
        return "the world" if self._whose == "world" else "cells"

    def _never_unclamped(self, span: Span | None, *, clamped: bool) -> bool:
        if span is None:
            return clamped
        self._report.add(messages.rules.NeverUnclamped(span, self._owner))
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
            case syntax.TogetherStmt(body=body) | syntax.RepeatStmt(body=body):
                names |= written(body)
            case syntax.IfStmt(body=body):
                names |= written((*body, *statement.others))
            case syntax.BeginStmt(effect=effect):
                names |= {left_of(effect.text), stacks_of(effect.text)}
            case syntax.PushStmt() | syntax.MoveStmt() | syntax.TeleportStmt() | syntax.SpawnStmt() | syntax.PostStmt():
                pass
            case syntax.LetStmt():
                pass
    return names


def left_unclamped(file: syntax.File) -> frozenset[str]:
    """The meters that some statement of the file leaves unclamped."""
    found = (node for node in nodes(file) if isinstance(node, syntax.AssignStmt) and node.unclamped is not None)
    return frozenset(statement.meter.text for statement in found)


def resolve_rule(declaration: syntax.RuleDecl, names: Names, report: Findings, whose: Whose = "agent") -> Rule | None:
    """`rule NAME: guard -> statements`, of agents, of the world, of cells or of pairs."""
    expressions = Expressions(names, report, whose=whose, rule=declaration)
    if whose == "pair":
        expressions = Expressions(names, report, scope="early among", asker="each")
    guard = None if declaration.guard is None else expressions.condition(declaration.guard)
    if declaration.guard is not None and guard is None:
        names.suspects |= written(declaration.body)
    body = Statements(names, report, expressions, whose=whose).body(declaration.body)
    return Rule(declaration.name.text, guard, body, declaration.span) if body else None


_CHANGING: tuple[ValueKind, ...] = ("meter", "world meter", "param", "input")


def _asks(declaration: syntax.CascadeDecl) -> bool:
    """Whether statements ask how far the meter is below the threshold."""
    return any(name.text in ("deficit", "shortfall") for name in names_in(declaration.body))


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
        inside = () if isinstance(guard.right, syntax.Numeral) else names_in(guard.right)
        if any(names.value_kind(name) in _CHANGING for name in inside):
            report.add(messages.rules.OtherGuard(guard.span, declaration, True, _asks(declaration)))
        else:
            threshold = Expressions(names, report).constant(guard.right, "the threshold of a cascade")
    else:
        left = guard.left if isinstance(guard, syntax.BinaryExpr) else guard
        of_meter = isinstance(left, syntax.Name) and names.value_kind(left) == "meter"
        report.add(messages.rules.OtherGuard(guard.span, declaration, of_meter, _asks(declaration)))
    written = guard.right.span if isinstance(guard, syntax.BinaryExpr) else guard.span
    expressions = Expressions(names, report, Threshold(threshold, written))
    body = Statements(names, report, expressions).body(declaration.body)
    if source is None or threshold is None or not body:
        return None
    who = None if declaration.who is None else expressions.condition(declaration.who)
    if who is None and declaration.who is not None:
        return None
    return Cascade(declaration.name.text, source, threshold, body, declaration.span, who)
