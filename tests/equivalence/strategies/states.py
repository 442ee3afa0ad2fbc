"""States, what is written into them, and what looks back."""

from __future__ import annotations

from hamletc.intervals import Interval
from strategies.outcomes import Outcomes
from strategies.pieces import ATOM, Piece, joined
from strategies.sources import Source
from strategies.words import mentions

OPTIONS = ("calm", "angry", "real", "off", "if_so", "stormy")
LOOKING = ("tick", "ending", "acting")
"""Where an author looks back."""


class States(Outcomes):
    """Writes states of agents with rules that write them, and looks back."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.states: list[str] = []
        self.whole_states: list[str] = []

    def state_lines(self) -> list[str]:
        """Some states, and the rules that write and read them."""
        lines: list[str] = []
        for number in range(self.pick((0, 0, 0, 1, 2, 3))):
            called = self.late_name(f"state{number}")
            name = self.word(called)
            law, effect = (self.word(self.name(f"{kind}{number}", "rule")) for kind in ("keeps", "shows"))
            declared, written, holds = self._state(name)
            lines += [declared, f"rule {law}: {written}", f"rule {effect}: {holds} -> {self.assignment(False)}"]
            self.states.append(called)
            self.whole_states += [] if " real in " in declared else [called]
        return lines

    def _state(self, name: str) -> tuple[str, str, str]:
        """The declaration of a state, a statement that writes it, and a condition that reads it."""
        match self.integer(0, 3):
            case 0:
                low = self.integer(-3, 0)
                high = low + self.integer(2, 9)
                value = self.pick(("floor({})", "round({})", "ceil({})"))
                whole = value.format(self.number(1, constants=False).text)
                whole = self.pick((whole, f"{self.integer(1, 2)} when {self._comparison()}", "1", "integer(0, 2)"))
                op = self.pick(("+=", "-=", "="))
                declared = f"state {name}: int in {low} .. {high} = {self.integer(low, high)}"
                return declared, f"{name} {op} {whole}", f"{name} > {self.integer(low, high - 1)}"
            case 1:
                start = self.pick(("false", "true", "chance(0.5)"))
                written = self.condition(2).text
                typed = self.pick(("", ": bool"))
                return f"state {name}{typed} = {start}", f"{name} = {written}", self.pick((name, f"not {name}"))
            case 2:
                options = self.draw_order(OPTIONS)[: self.integer(2, 4)]
                first, second, *_ = options
                start = self.pick((first, f"choice({', '.join(options)})"))
                turn = f"choice({first}: 2, {second}: 1)" if self.chance(2) else second
                value = f"if {self.condition(1).text} then {first} else {turn}"
                return (
                    f"state {name}: {' '.join(f'`{option}`' for option in options)} = {start}",
                    f"{name} = {value}",
                    f"{name} {self.pick(('==', '!='))} {second}",
                )
            case _:
                return f"state {name}: real in -1 .. 2 = 0.5", f"{name} += uniform(-0.5, 0.5)", f"{name} >= 1"

    def _comparison(self) -> str:
        piece = self.condition(0)
        return piece.text if piece.level == ATOM else f"({piece.text})"

    def previous(self, depth: int) -> Piece:
        return self._past() if self.scope in LOOKING and self.chance(2) else super().previous(depth)

    def _past(self) -> Piece:
        """What looks back, as a number."""
        with self.about(tight=True), self.at("previous"):
            inner = self.number(1, constants=False)
            condition = self.condition(0)
        # Nothing is known of where a meter lies that a statement leaves unclamped.
        loose = any(plan.loose and mentions(inner.text, plan.name) for plan in self.meters)
        match self.integer(3 if loose else 0, 6):
            case 0:
                return Piece(f"lag({inner.text}, {self.pick((1, 2, 3, 5))})", ATOM, inner.lies)
            case 1:
                return Piece(f"smooth({inner.text}, {self.pick(('0.1', '0.5', '0.9'))})", ATOM, inner.lies)
            case 2:
                return Piece(f"clamp(mean({inner.text}, {self.integer(2, 5)}), -1, 1)", ATOM, Interval(-1.0, 1.0))
            case 3 | 4:
                most = self.integer(2, 9)
                return Piece(f"since({condition.text}, {most})", ATOM, Interval(0.0, float(most)))
            case _:
                edge = self.pick(("rising", "falling"))
                return Piece(f"(1 when {edge}({condition.text}))", ATOM, Interval(0.0, 1.0))

    def observed_states(self) -> str:
        """Sometimes an item of `observe`."""
        if not self.states or self.chance(3):
            return ""
        if self.whole_states and self.chance(2):
            return f"hot {' '.join(map(self.item, self.whole_states))}"
        return joined(["state", *map(self.item, self.states[:1])], " ") if self.chance(2) else "state"
