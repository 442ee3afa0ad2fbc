"""Terms: words as expressions, each there once, which are merged when they are equal in all states of a context.

An `Arena` is one context: variables with their sampled values and bounds, and premises. A term that it makes has its
values in the samples beside it. Terms whose samples agree are candidates; whoever holds the arena says by `equal` how
a candidate is proven, and an equal term is never made twice. Nothing is kept outside of an arena.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from hamlet_lab.proof import meanings
from hamlet_lab.proof.meanings import CELL, COMMUTATIVE, CONSTANT, FLOATING, INFINITY, PREDICATES, SIGN, VARIABLE, Words
from hamlet_lab.proof.term import Term, Variable

CANDIDATES = 3
"""Terms with the same samples that a new one is compared with."""


Equal = Callable[["Arena", Term, Term], bool]
Simpler = Callable[["Arena", Term], Term | None]
Shape = tuple[str, int, tuple[int, ...], object]


class Arena:
    """Terms of one context.

    Attributes:
        origin: the context that this one is a side of, by which condition, and whether it holds here. What was merged
            there is merged here.
        comparing: whether new terms are compared with candidates, and not brought to normal forms alone.
    """

    def __init__(self, variables: Mapping[str, Variable], equal: Equal, simpler: Simpler = lambda *_: None) -> None:
        self.variables = dict(variables)
        self.origin: tuple[Arena, Term, bool] | None = None
        self.premises: list[Term] = []
        self.terms: list[Term] = []
        self._equal, self._simpler = equal, simpler
        self._merging = True
        self.comparing = True
        self._asking = False
        self._shapes: dict[Shape, Term] = {}
        self._instead: dict[int, Term] = {}
        self._forms: dict[int, list[Term]] = {}
        self._twins: dict[int, Term] = {}
        self._of_twins: dict[int, Term] = {}
        self._copies: dict[int, Term] = {}
        self._classes: dict[tuple[int, bytes], list[Term]] = {}

    # --- contexts ---------------------------------------------------------------------------------------------------

    def under(self, condition: Term, holds: bool) -> Arena | None:
        """The context in which a condition of this one holds, or does not; `None` if no sample says so."""
        where = condition.samples if holds else ~condition.samples
        where = np.broadcast_to(where, self.size)
        if not where.any():
            return None
        variables = {name: _chosen(each, where) for name, each in self.variables.items()}
        result = Arena(variables, self._equal, self._simpler)
        result.origin = self, condition, holds
        for premise in self.premises:
            result.assume(result.copy(premise, merging=False))
        # What holds first says more of what holds as well.
        for each in _both(condition) if holds else (condition,):
            premise = result.copy(each, merging=False)
            result._merging = False
            premise = premise if holds else result.no(premise)
            result._merging = True
            result.assume(premise)
        return result

    def decide(self) -> None:
        """Take for decided what premises decide among the conditions that they are made of."""
        for term in list(self.terms):
            if term.bits == 1 and term.op != CONSTANT and len(term.samples) == 1 and self.instead_of(term) is term:
                value = self.constant(int(term.samples[0]), 1)
                if self._equal(self, term, value):
                    self._replace(term, value)

    @property
    def size(self) -> int:
        """How many states are sampled."""
        return max(len(each.samples) for each in self.variables.values())

    def assume(self, premise: Term) -> None:
        """Take a condition for true from now on. Both sides of a conjunction, and no side of what is not."""
        self.premises.append(premise)
        self._replace(premise, self.constant(1, 1))
        match premise.op, premise.operands:
            case "and", (left, right):
                self.assume(left)
                self.assume(right)
            case "xor", (left, right) if right.value == 1:
                self._replace(left, self.constant(0, 1))
            case "eq", (left, right) if right.value is not None:
                self._replace(left, right)
                if left.op == "ite":
                    # Of a choice that is not one side it is known that it is the other.
                    condition, then, otherwise = left.operands
                    for side, other, which in ((then, otherwise, condition), (otherwise, then, None)):
                        if other.value not in (None, right.value):
                            which = which or self.raw("xor", condition, self.constant(1, 1))
                            if which is premise:
                                self._replace(condition, self.constant(int(which is condition), 1))
                            else:
                                self.assume(which)
                            self.assume(self.raw("eq", side, right))
            case _:
                pass

    def _replace(self, term: Term, by: Term) -> None:
        if term.op != CONSTANT:
            self._instead[term.number] = by

    def copy(self, term: Term, merging: bool = True, instead: Mapping[int, Term] | None = None) -> Term:
        """A term of another arena in this one; `instead` has what stands for some terms, by their numbers."""
        (result,) = self.copies([term], merging, instead)
        return result

    def copies(
        self, roots: Iterable[Term], merging: bool = True, instead: Mapping[int, Term] | None = None
    ) -> list[Term]:
        """Terms of another arena in this one."""
        before, self._merging = self._merging, merging
        roots = list(roots)
        # Of the context that this one is a side of it is known what was copied before.
        done = dict(instead) if instead is not None else self._copies if merging and self._is_of(roots) else {}
        stack = list(roots)
        while stack:
            term = stack[-1]
            if term.number in done:
                stack.pop()
                continue
            missing = [each for each in term.operands if each.number not in done]
            if missing:
                stack += missing
                continue
            stack.pop()
            operands = tuple(done[each.number] for each in term.operands)
            done[term.number] = self.make(term.op, term.bits, operands, term.attribute)
        self._merging = before
        return [self.instead_of(done[root.number]) for root in roots]

    def _is_of(self, roots: list[Term]) -> bool:
        """Whether terms are of the context that this one is a side of."""
        terms = [] if self.origin is None else self.origin[0].terms
        return all(root.number < len(terms) and terms[root.number] is root for root in roots)

    # --- making terms -----------------------------------------------------------------------------------------------

    def constant(self, value: int, bits: int) -> Term:
        """A constant, modulo its width."""
        return self.make(CONSTANT, bits, (), value % (1 << bits))

    def variable(self, name: str) -> Term:
        """A variable of the context."""
        return self.make(VARIABLE, self.variables[name].bits, (), name)

    def make(self, op: str, bits: int, operands: tuple[Term, ...], attribute: object = None) -> Term:
        """The term of an operation, or one that is equal to it."""
        operands = _ordered(op, tuple(self._instead.get(each.number, each) for each in operands))
        simple = self._simple(op, bits, operands)
        if simple is not None:
            return self._instead.get(simple.number, simple)
        shape = op, bits, tuple(each.number for each in operands), attribute
        term = self._shapes.get(shape)
        if term is None:
            term = self._new(op, bits, operands, attribute, shape)
        return self._instead.get(term.number, term)

    def _new(self, op: str, bits: int, operands: tuple[Term, ...], attribute: object, shape: Shape) -> Term:
        match op:
            case meanings.CONSTANT:
                assert isinstance(attribute, int)
                samples = meanings.words(attribute, bits)
            case meanings.VARIABLE:
                assert isinstance(attribute, str)
                samples = self.variables[attribute].samples
            case _:
                samples = meanings.meaning(op, tuple(each.samples for each in operands), bits, attribute)
        if op not in (CONSTANT, VARIABLE) and operands and all(each.op == CONSTANT for each in operands):
            self._shapes[shape] = self.constant(int(samples[0]), bits)
            return self._shapes[shape]
        if op != CONSTANT and len(samples) > 1 and (samples == samples[0]).all():
            samples = samples[:1].copy()
        term = self._shapes[shape] = Term(len(self.terms), op, bits, operands, attribute, samples)
        self.terms.append(term)
        merged = self._merged_before(term)
        if merged is not None and merged is not term:
            self._instead[term.number] = merged
            return term
        key = bits, hashlib.sha256(samples.tobytes()).digest()
        candidates = self._classes.setdefault(key, [])
        asking, self._asking = self._asking, False
        simpler = self._simpler(self, term) if op != CONSTANT and self._merging else None
        if simpler is not None:
            self._instead[term.number] = simpler
            self._forms.setdefault(simpler.number, []).append(term)
            return term
        if op != CONSTANT and self._merging:
            alike = [] if asking or not self.comparing else candidates[:CANDIDATES]
            if len(samples) == 1 and not any(each.op == CONSTANT for each in alike):
                alike = [self.constant(int(samples[0]), bits), *alike]
            for candidate in alike:
                if candidate is not term and self._equal(self, term, candidate):
                    instead = self._instead.get(candidate.number, candidate)
                    self._instead[term.number] = instead
                    self._forms.setdefault(instead.number, []).append(term)
                    return term
        if op == CONSTANT:
            candidates.insert(0, term)
        else:
            candidates.append(term)
        return term

    def raw(self, op: str, *operands: Term) -> Term:
        """The term of an operation on these very terms, of which nothing else is tried."""
        before, self._merging = self._merging, False
        result = self.op(op, *operands)
        self._merging = before
        return result

    def settled(self, term: Term) -> Term:
        """The term that one is whose operands may have been merged since it was made."""
        operands = tuple(self.instead_of(each) for each in term.operands)
        by = self.make(term.op, term.bits, operands, term.attribute)
        if by is term:
            by = self._simpler(self, term) or term
        if by is not term:
            self._instead[term.number] = by
        return by

    def _merged_before(self, term: Term) -> Term | None:
        """The term that stands for this one in the context that this is a side of, if one does."""
        if self.origin is None:
            return None
        origin = self.origin[0]
        twins = [self._twins.get(each.number) for each in term.operands]
        operands = [each for each in twins if each is not None]
        if len(operands) < len(twins):
            return None
        twin = origin.made(term.op, term.bits, tuple(operands), term.attribute)
        if twin is None:
            return None
        self._twins[term.number], self._of_twins[twin.number] = twin, term
        instead = origin.instead_of(twin)
        return None if instead is twin else self.copy(instead, self._merging, self._of_twins)

    def made(self, op: str, bits: int, operands: tuple[Term, ...], attribute: object) -> Term | None:
        """The term that was made of these operands, before it was merged."""
        shape = op, bits, tuple(each.number for each in _ordered(op, operands)), attribute
        return self._shapes.get(shape)

    def twin(self, term: Term) -> Term | None:
        """The same term in the context that this is a side of, if it was made there."""
        return self._twins.get(term.number)

    def holds(self, op: str, left: Term, right: Term) -> bool:
        """Whether a predicate holds in all states; it is compared with nothing else."""
        self._asking = True
        result = self.op(op, left, right).value == 1
        self._asking = False
        return result

    def forms(self, term: Term) -> list[Term]:
        """The terms that were merged with one, and that one: those that were made last first."""
        return [*self._forms.get(term.number, ())[::-1], term]

    def instead_of(self, term: Term) -> Term:
        """The term that it is merged with."""
        return self._instead.get(term.number, term)

    def _simple(self, op: str, bits: int, operands: tuple[Term, ...]) -> Term | None:
        """The term that an operation is by a rule, if one fits."""
        match op, operands:
            case "ite", (condition, then, otherwise):
                if condition.value is not None:
                    return then if condition.value else otherwise
                if then is otherwise:
                    return then
                if condition.op == "xor" and condition.operands[1].value == 1:
                    return self.select(condition.operands[0], otherwise, then)
                if bits == 1 and then.value is not None:
                    no = self.no(condition)
                    return self.op("or", condition, otherwise) if then.value else self.op("and", no, otherwise)
                if bits == 1 and otherwise.value is not None:
                    no = self.no(condition)
                    return self.op("or", no, then) if otherwise.value else self.op("and", condition, then)
            case "and", (left, right):
                if left is right or right.value == 0:
                    return right
                if right.value == (1 << bits) - 1:
                    return left
            case "or", (left, right):
                if left is right or right.value == (1 << bits) - 1:
                    return right
                if right.value == 0:
                    return left
            case (("add" | "xor" | "sub" | "shl" | "lshr" | "ashr"), (left, right)) if right.value == 0:
                return left
            case "xor", (left, right) if left is right:
                return self.constant(0, bits)
            case "xor", (left, right) if right.value is not None and left.op == "xor":
                inner = left.operands[1].value
                if inner is not None:
                    return self.make("xor", bits, (left.operands[0], self.constant(inner ^ right.value, bits)))
            case "mul", (left, right) if right.value in (0, 1):
                return left if right.value else right
            case "eq", (left, right) if left is right:
                return self.constant(1, 1)
            case "eq", (left, right) if left.bits == 1 and right.value is not None:
                return left if right.value else self.no(left)
            case (("zext" | "sext" | "low"), (only,)) if only.bits == bits:
                return only
            case "low", (inner,) if inner.op in ("zext", "sext") and inner.operands[0].bits >= bits:
                return self.make("low", bits, inner.operands)
            case "fadd", (left, right) if right.value == SIGN and self.canonical(left):
                return left
            case (("fadd" | "fmul"), (left, right)):
                # Of two choices the order of terms would say which is the outer one.
                for one, other in ((left, right), (right, left)):
                    if _chooses_constants(other) and not _chooses_constants(one):
                        then, otherwise = (self.op(op, one, each) for each in other.operands[1:])
                        return self.select(other.operands[0], then, otherwise)
            case _:
                pass
        return None

    def canonical(self, term: Term) -> bool:
        """Whether a term is no NaN but the one that operations make."""
        if term.op == "ite":
            return all(map(self.canonical, term.operands[1:]))
        if term.op == VARIABLE:
            return self.variables[str(term.attribute)].floating
        return term.op in FLOATING or term.op == CELL or (term.value is not None and term.value & ~SIGN <= INFINITY)

    # --- short forms ------------------------------------------------------------------------------------------------

    def op(self, op: str, *operands: Term) -> Term:
        """An operation whose width is that of its last operand, or one bit."""
        return self.make(op, 1 if op in PREDICATES else operands[-1].bits, operands)

    def no(self, term: Term) -> Term:
        """All bits the other way round."""
        return self.op("xor", term, self.constant(-1, term.bits))

    def select(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """`then` where the condition holds."""
        return self.make("ite", then.bits, (condition, then, otherwise))

    def wide(self, term: Term, bits: int, signed: bool = False) -> Term:
        """The same number in more bits, or its lowest bits."""
        if bits < term.bits:
            return self.make("low", bits, (term,))
        return self.make("sext" if signed else "zext", bits, (term,))

    def negative(self, term: Term) -> Term:
        """A number in binary32 with the other sign."""
        return self.op("xor", term, self.constant(SIGN, 32))


def _chooses_constants(term: Term) -> bool:
    """Whether a term is one of two finite constants, of which none is -0."""
    return term.op == "ite" and all(
        each.value is not None and each.value != SIGN and each.value & ~SIGN < INFINITY for each in term.operands[1:]
    )


def _both(condition: Term) -> Iterator[Term]:
    """The conditions that must hold together."""
    if condition.op == "and":
        for each in condition.operands:
            yield from _both(each)
    else:
        yield condition


def _ordered(op: str, operands: tuple[Term, ...]) -> tuple[Term, ...]:
    """Operands in an order of their own, where an operation has none."""
    if op == "fma":
        return *_ordered("fmul", operands[:2]), operands[2]
    if op not in COMMUTATIVE:
        return operands
    return tuple(sorted(operands, key=lambda each: (each.op == CONSTANT, each.number)))


def _chosen(variable: Variable, where: Words) -> Variable:
    return Variable(variable.name, variable.samples[where], variable.low, variable.high, variable.floating)
