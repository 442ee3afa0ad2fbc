"""Reading the keys of a mapping, one by one, with their types and limits.

Every method notes what is wrong and then gives a stand-in (an empty name, a number within the limits), so that one run
finds as many mistakes as it can. A pack with an error is never handed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from hamlet.universe import Span
from hamlet_townlet.reader.limits import LARGEST_FLOAT, LARGEST_INTEGER, LONGEST_NAME
from hamlet_townlet.reader.nodes import Doubtful, ListNode, MapNode, Node, ScalarNode, Value, meaning, start
from hamlet_townlet.reader.report import PackFindings
from hamlet_townlet.spanned import Spanned
from hamletc.diagnostics import Diagnostic, Label

W = TypeVar("W", bound=str)


class Fields:
    """The keys of one mapping. `what` names it in messages (`the bar`)."""

    def __init__(self, report: PackFindings, node: Node | None, what: str) -> None:
        self.report = report
        self.what = what
        self.node = node
        self.known: list[str] = []
        self.missing: dict[str, Diagnostic] = {}
        self.entries: Mapping[str, tuple[ScalarNode, Node]] = {}
        self.readable = isinstance(node, MapNode)
        match node:
            case MapNode(entries=entries):
                self.entries = {entry.key.text: (entry.key, entry.value) for entry in entries}
            case ListNode() | ScalarNode():
                mismatch(report, node, "keys and values", what)
            case None:
                pass

    @property
    def span(self) -> Span:
        """The whole mapping."""
        return Span(1, 1, 1, 1, self.report.file) if self.node is None else self.node.span

    @property
    def place(self) -> Span:
        """Where to point at when something is missing."""
        return Span(1, 1, 1, 1, self.report.file) if self.node is None else start(self.node)

    def key(self, name: str) -> Span:
        """The place of a key, or of the mapping where there is no such key."""
        return self.entries[name][0].span if name in self.entries else self.place

    def find(self, name: str) -> Node | None:
        """The value of a key that may be missing; a value that is empty (`null`) is missing too."""
        self.known.append(name)
        if name not in self.entries:
            return None
        node = self.entries[name][1]
        return None if isinstance(node, ScalarNode) and meaning(node) is None else node

    def need(self, name: str) -> Node | None:
        """The value of a key that must be there."""
        node = self.find(name)
        if node is None and self.readable:
            if name in self.entries:
                message, hint = f"`{name}` of {self.what} is empty", f"Give `{name}` a value."
            else:
                message, hint = f"{self.what} has no `{name}`", f"Add `{name}`."
            self.report.add("H108", message, self.key(name), hint=hint)
            self.missing[name] = self.report.found[-1]
        return node

    def documentation(self, *names: str) -> None:
        """Keys that are there for readers."""
        self.known.extend(names)

    def ignored(self, *names: str, why: str = "") -> None:
        """Keys without effect, in HAMLET too."""
        for name in names:
            if self.find(name) is not None:
                self.report.ignore(f"`{name}`", self.key(name), why)

    def done(self) -> None:
        """Refuse the keys that nobody asked for."""
        self.correct()
        for name, (key, _) in self.entries.items():
            if name not in self.known:
                near = self.report.suggest(name, self.known)
                hint = f"Did you mean `{near}`?" if near else f"Known here: {listed(sorted(set(self.known)))}."
                self.report.add("H107", f"{self.what} has no key `{shown(name)}`", key.span, hint=hint)

    def correct(self) -> None:
        """Where an unknown key is like a missing one, note the one misspelling instead."""
        for name, (key, _) in self.entries.items():
            near = None if name in self.known else self.report.suggest(name, self.missing)
            if near is not None:
                self.report.found.remove(self.missing.pop(near))
                self.known.append(name)
                message = f"{self.what} has no key `{shown(name)}`"
                self.report.add("H107", message, key.span, hint=f"Did you mean `{near}`?")

    def number(
        self,
        name: str,
        *,
        least: float = -LARGEST_FLOAT,
        most: float = LARGEST_FLOAT,
        above: float | None = None,
    ) -> Spanned[float]:
        """A number from `least` to `most`, and greater than `above`."""
        node = self.need(name)
        stand_in = least if least > -LARGEST_FLOAT else 1.0
        if node is None:
            return Spanned(stand_in, self.place)
        return number(self.report, node, f"`{name}`", least=least, most=most, above=above, stand_in=stand_in)

    def optional_number(self, name: str) -> Spanned[float] | None:
        """A number that may be missing."""
        node = self.find(name)
        return None if node is None else number(self.report, node, f"`{name}`")

    def integer(self, name: str, *, least: int = -LARGEST_INTEGER, most: int = LARGEST_INTEGER) -> Spanned[int]:
        """A whole number from `least` to `most`."""
        node = self.need(name)
        stand_in = max(least, 0)
        if node is None:
            return Spanned(stand_in, self.place)
        return integer(self.report, node, f"`{name}`", least=least, most=most, stand_in=stand_in)

    def optional_integer(
        self, name: str, *, least: int = -LARGEST_INTEGER, most: int = LARGEST_INTEGER
    ) -> Spanned[int] | None:
        """A whole number that may be missing."""
        return self.integer(name, least=least, most=most) if self.find(name) is not None else None

    def flag(self, name: str) -> Spanned[bool]:
        """`true` or `false`."""
        node = self.need(name)
        if node is None:
            return Spanned(False, self.place)
        value = meaning(node) if isinstance(node, ScalarNode) else None
        if not isinstance(value, bool):
            mismatch(self.report, node, "`true` or `false`", f"`{name}`")
            return Spanned(False, start(node))
        return Spanned(value, node.span)

    def name(self, name: str) -> Spanned[str]:
        """A name."""
        node = self.need(name)
        return Spanned("", self.place) if node is None else text(self.report, node, f"`{name}`")

    def reference(self, name: str, known: Iterable[str], what: str) -> Spanned[str]:
        """A name that must be one of those known; `what` is `meter`, `affordance`, ..."""
        found = self.name(name)
        refer(self.report, found, known, what)
        return found

    def optional_name(self, name: str) -> Spanned[str] | None:
        """A name that may be missing."""
        node = self.find(name)
        return None if node is None else text(self.report, node, f"`{name}`")

    def word(self, name: str, allowed: Sequence[W]) -> Spanned[W]:
        """One of some words."""
        found = self.name(name)
        for word in allowed:
            if word == found.value:
                return Spanned(word, found.span)
        if found.value:
            near = self.report.suggest(found.value, allowed)
            hint = f"Did you mean `{near}`?" if near else f"Write {listed(allowed, 'or')}."
            self.report.add("H111", f"`{name}` cannot be `{shown(found.value)}`", found.span, hint=hint)
        return Spanned(allowed[0], found.span)

    def items(self, name: str) -> tuple[Node, ...]:
        """The items of a list that must be there."""
        node = self.need(name)
        return () if node is None else items(self.report, node, f"`{name}`")

    def at_most(self, most: int, name: str, count: int, what: str) -> None:
        """Refuse a list that is too long. `what` names the items: `custom actions`."""
        if count > most:
            self.report.add("H110", f"there are {count} {what}", self.key(name), hint=f"A pack has at most {most}.")

    def optional_items(self, name: str) -> tuple[Node, ...]:
        """The items of a list; none where it is missing."""
        node = self.find(name)
        return () if node is None else items(self.report, node, f"`{name}`")

    def names(self, name: str) -> tuple[Spanned[str], ...]:
        """A list of names; empty where it is missing."""
        return tuple(text(self.report, item, f"an item of `{name}`") for item in self.optional_items(name))

    def section(self, name: str, what: str) -> Fields:
        """A mapping that must be there."""
        return Fields(self.report, self.need(name), what)


def number(
    report: PackFindings,
    node: Node,
    what: str,
    *,
    least: float = -LARGEST_FLOAT,
    most: float = LARGEST_FLOAT,
    above: float | None = None,
    stand_in: float = 0.0,
) -> Spanned[float]:
    """A number within limits."""
    value = meaning(node) if isinstance(node, ScalarNode) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        mismatch(report, node, "a number", what)
    elif not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
        hint = f"Write a number from {-LARGEST_FLOAT:.5g} to {LARGEST_FLOAT:.5g}."
        report.add("H110", f"{what} is no finite binary32 number", node.span, hint=hint)
    elif not least <= value <= most or (above is not None and value <= above):
        report.add("H110", f"{what} is {spelled(value)}", node.span, hint=_limits(least, most, above))
    else:
        return Spanned(float(value), node.span)
    return Spanned(stand_in, start(node))


def integer(
    report: PackFindings,
    node: Node,
    what: str,
    *,
    least: int = -LARGEST_INTEGER,
    most: int = LARGEST_INTEGER,
    stand_in: int = 0,
) -> Spanned[int]:
    """A whole number within limits; `3.0` is one."""
    value = meaning(node) if isinstance(node, ScalarNode) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        mismatch(report, node, "a whole number", what)
    elif isinstance(value, float) and not value.is_integer():
        report.add("H109", f"{what} is not a whole number", node.span, hint="Write it without a fraction.")
    elif not least <= value <= most:
        report.add("H110", f"{what} is {spelled(value)}", node.span, hint=_limits(least, most, None))
    else:
        return Spanned(int(value), node.span)
    return Spanned(stand_in, start(node))


def text(report: PackFindings, node: Node, what: str) -> Spanned[str]:
    """A name: text of at least one character, on one line."""
    value = meaning(node) if isinstance(node, ScalarNode) else None
    if not isinstance(value, str):
        mismatch(report, node, "a name", what)
    elif not value.strip() or not value.isprintable():
        hint = "Write letters, digits and what else can be printed, on one line."
        report.add("H109", f"{what} is empty or has characters that cannot be shown", node.span, hint=hint)
    elif "`" in value:
        report.add("H109", f"{what} has a backtick", node.span, hint="Leave it out: names are quoted with backticks.")
    elif len(value) > LONGEST_NAME:
        report.add("H110", f"{what} has {len(value)} characters", node.span, hint=f"{LONGEST_NAME} are allowed.")
    else:
        return Spanned(value, node.span)
    return Spanned("", start(node))


def items(report: PackFindings, node: Node, what: str) -> tuple[Node, ...]:
    """The items of a list."""
    if isinstance(node, ListNode):
        return node.items
    mismatch(report, node, "a list", what)
    return ()


def mismatch(report: PackFindings, node: Node, wanted: str, what: str) -> None:
    """Note that a value is of another type than wanted."""
    value = meaning(node) if isinstance(node, ScalarNode) else None
    if isinstance(value, Doubtful):
        report.add("H106", f"`{shown(_source(node))}` {value.reason}", node.span, hint=value.hint)
    elif isinstance(value, bool) and wanted == "a name" and _source(node).lower() not in ("true", "false"):
        hint = f"Write `'{_source(node)}'` for the word."
        report.add("H106", f"`{_source(node)}` is `{str(value).lower()}` for YAML", node.span, hint=hint)
    else:
        message = f"{what} is {_kind(node, value)}, {wanted} is needed"
        report.add("H109", message, start(node), hint=_help(node, value, wanted))


def _source(node: Node) -> str:
    return node.text if isinstance(node, ScalarNode) else ""


def _kind(node: Node, value: Value) -> str:
    match node, value:
        case MapNode(), _:
            return "a mapping"
        case ListNode(), _:
            return "a list"
        case _, bool():
            return f"`{str(value).lower()}`"
        case _, int() | float():
            return "a number"
        case _, str():
            return "text"
        case _:
            return "empty"


def _help(node: Node, value: Value, wanted: str) -> str:
    if isinstance(value, str) and wanted in ("a number", "a whole number", "`true` or `false`"):
        bare = meaning(ScalarNode(value, True, node.span))
        if isinstance(bare, bool | int | float):
            return "Remove the quotes."
    if wanted == "a name" and isinstance(value, int | float):
        return f"Write `'{_source(node)}'`, with quotes."
    if wanted == "a list":
        return "Write the items in `[` and `]`, or one to a line after `- `."
    return f"Write {wanted} here."


def _limits(least: float, most: float, above: float | None) -> str:
    low = f"greater than {spelled(above)}" if above is not None else f"at least {spelled(least)}"
    bounded_below = above is not None or least > -LARGEST_INTEGER
    high = f"at most {spelled(most)}"
    if bounded_below and most < LARGEST_INTEGER:
        return f"It must be {low} and {high}."
    return f"It must be {low if bounded_below else high}."


def spelled(value: float) -> str:
    """A number the way a person writes it."""
    if abs(value) < 1e15 and value == int(value):
        return str(int(value))
    return repr(float(value)) if abs(value) <= LARGEST_FLOAT else "too large"


def shown(name: str) -> str:
    """A name for a message, cut where it is long."""
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "..."


def listed(names: Iterable[str], last: str = "and", most: int = 12) -> str:
    """`a`, `b` and `c`, or the first dozen of more; `last` is `and` or `or`."""
    quoted = [f"`{shown(name)}`" for name in names]
    if len(quoted) > most:
        return ", ".join(quoted[:most]) + f" and {len(quoted) - most} more"
    return f" {last} ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else "".join(quoted)


def given_twice(report: PackFindings, names: Iterable[Spanned[str]], what: str) -> None:
    """Refuse names that were given before. `what` names the things that have them: `the bar`."""
    first: dict[str, Span] = {}
    for name in names:
        if name.value and first.setdefault(name.value, name.span) is not name.span:
            secondary = (Label(first[name.value], "the first time"),)
            message = f"{what} `{name.value}` is given twice"
            report.add("H113", message, name.span, secondary=secondary, hint="Change or remove one of the two.")


def refer(report: PackFindings, name: Spanned[str], known: Iterable[str], what: str) -> bool:
    """Whether a name is known; a finding where it is not. `what` is `meter`, `affordance`, ..."""
    names = tuple(known)
    if name.value in names:
        return True
    if name.value:
        near = report.suggest(name.value, names)
        hint = (
            f"Did you mean `{near}`?" if near else (f"There are {listed(names)}." if names else f"There is no {what}.")
        )
        report.add("H112", f"no {what} is called `{name.value}`", name.span, hint=hint)
    return False
