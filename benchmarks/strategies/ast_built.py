"""(e) The code of (d) built with Python's `ast` module, node by node: the same tick, without text in between."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from string_template import StringTemplate
from town import Config

OPERATORS: dict[str, Callable[[], ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "&": ast.BitAnd,
    "|": ast.BitOr,
}
COMPARISONS: dict[str, Callable[[], ast.cmpop]] = {"<": ast.Lt, "<=": ast.LtE, ">=": ast.GtE, "==": ast.Eq}


def name(text: str) -> ast.expr:
    return ast.Name(text, ast.Load())


def number(value: float) -> ast.expr:
    """A constant, as the parser sees it: a minus sign is an operation."""
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if str(value).startswith("-") else ast.Constant(value)


def binary(left: ast.expr, op: str, right: ast.expr) -> ast.expr:
    return ast.BinOp(left, OPERATORS[op](), right)


def compare(left: ast.expr, op: str, right: ast.expr) -> ast.expr:
    return ast.Compare(left, [COMPARISONS[op]()], [right])


def inverted(operand: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Invert(), operand)


def method(owner: ast.expr, attribute: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(owner, attribute, ast.Load()), list(arguments), [])


def torch_call(function: str, *arguments: ast.expr) -> ast.expr:
    return method(name("torch"), function, *arguments)


def where(condition: ast.expr, then: ast.expr, otherwise: ast.expr) -> ast.expr:
    return torch_call("where", condition, then, otherwise)


def assign(target: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(target, ast.Store())], value)


class Builder:
    """Collects the statements of the tick in order."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.body: list[ast.stmt] = []
        self.limits = {meter["name"]: (number(meter["low"]), number(meter["high"])) for meter in config["meters"]}

    def add(self, target: str, value: ast.expr) -> None:
        self.body.append(assign(target, value))

    def clamped(self, meter: str, value: ast.expr) -> ast.expr:
        return method(value, "clamp", *self.limits[meter])

    def effect(self, meter: str, amount: float, who: ast.expr) -> None:
        changed = self.clamped(meter, binary(name(meter), "+", number(amount)))
        self.add(meter, where(who, changed, name(meter)))

    def act(self) -> None:
        """Moves and the universe's own actions, and what a move costs."""
        config, action = self.config, name("action")
        for axis, last, which in (("x", config["width"] - 1, 0), ("y", config["height"] - 1, 1)):
            for index, deltas in enumerate(config["moves"]):
                if deltas[which]:
                    moved = binary(name(axis), "+", number(deltas[which]))
                    moved = method(moved, "clamp", number(0), number(last))
                    self.add(axis, where(compare(action, "==", number(index)), moved, name(axis)))
        for index, item in enumerate(config["actions"], start=config["interact"] + 2):
            for effect in item["effects"]:
                self.effect(effect["meter"], effect["amount"], compare(action, "==", number(index)))
        for meter in config["meters"]:
            if meter["move"]:
                self.effect(meter["name"], -meter["move"], compare(action, "<", number(config["interact"])))

    def interact(self) -> None:
        """What INTERACT costs, and the affordances."""
        config, interacting = self.config, name("interacting")
        self.add("interacting", compare(name("action"), "==", number(config["interact"])))
        for meter in config["meters"]:
            if meter["interact"]:
                self.effect(meter["name"], -meter["interact"], interacting)
        cell = binary(name("x"), "+", binary(number(config["width"]), "*", name("y")))
        index = method(method(cell, "long"), "unsqueeze", number(1))
        self.add("here", method(method(name("board"), "gather", number(1), index), "squeeze", number(1)))
        self.add("used", torch_call("full_like", name("action"), number(-1)))
        for kind, item in enumerate(config["affordances"]):
            who = binary(interacting, "&", compare(name("here"), "==", number(kind)))
            if item["needs"] is not None:
                who = binary(who, "&", compare(name(item["needs"]), ">=", number(item["price"])))
            self.add(item["name"], who)
            self.add("used", where(name(item["name"]), number(kind), name("used")))
            for effect in item["effects"]:
                self.effect(effect["meter"], effect["amount"], name(item["name"]))

    def dynamics(self) -> None:
        """Decay, modulations, cascades."""
        for meter in self.config["meters"]:
            if meter["decay"]:
                left = binary(name(meter["name"]), "-", number(meter["decay"]))
                self.add(meter["name"], self.clamped(meter["name"], left))
        for rule in self.config["modulations"]:
            missing = binary(number(rule["top"]), "-", name(rule["source"]))
            factor = binary(number(rule["base"]), "+", binary(number(rule["span"]), "*", missing))
            lost = binary(number(rule["scale"]), "*", factor)
            self.add(rule["target"], self.clamped(rule["target"], binary(name(rule["target"]), "-", lost)))
        for cascade in self.config["cascades"]:
            source, target, threshold = name(cascade["source"]), cascade["target"], number(cascade["threshold"])
            divisor = ast.Call(name("constant"), [threshold], [])
            deficit = binary(binary(threshold, "-", source), "/", divisor)
            self.add("lost", binary(number(cascade["strength"]), "*", deficit))
            changed = self.clamped(target, binary(name(target), "-", name("lost")))
            self.add(target, where(compare(source, "<", threshold), changed, name(target)))

    def end(self) -> None:
        """Death, age and reward."""
        config = self.config
        terminated, truncated, reward = name("terminated"), name("truncated"), name("reward")
        self.add("terminated", torch_call("zeros_like", name("interacting")))
        self.add("cause", torch_call("full_like", name("action"), number(-1)))
        for index, cause in enumerate(config["causes"]):
            self.add("dies", compare(name(cause["meter"]), "<=", number(cause["at_most"])))
            first = binary(name("dies"), "&", inverted(terminated))
            self.add("cause", where(first, number(index), name("cause")))
            self.add("terminated", binary(terminated, "|", name("dies")))
        self.add("age", binary(name("age"), "+", number(1)))
        old = compare(name("age"), ">=", number(config["lifespan"]))
        self.add("truncated", binary(old, "&", inverted(terminated)))
        self.add("cause", where(truncated, number(len(config["causes"])), name("cause")))
        left, right = config["reward"]
        self.add("reward", binary(name(left), "*", name(right)))
        bonus = binary(reward, "+", number(config["lifespan_reward"]))
        self.add("reward", where(truncated, bonus, reward))
        self.add("reward", where(terminated, number(0.0), reward))


def module(config: Config) -> ast.Module:
    """The module that defines the tick."""
    builder = Builder(config)
    builder.act()
    builder.interact()
    builder.dynamics()
    builder.end()
    meters = [meter["name"] for meter in config["meters"]]
    outcomes = ("x", "y", "age", "reward", "terminated", "truncated", "used", "cause")
    builder.body.append(ast.Return(ast.Tuple([name(item) for item in (*meters, *outcomes)], ast.Load())))
    arguments = [ast.arg(item) for item in (*meters, "x", "y", "age", "board", "action")]
    signature = ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[])
    tick = ast.FunctionDef("tick", signature, builder.body, [], type_params=[])  # Python 3.12 wants the last
    return ast.fix_missing_locations(ast.Module([tick], []))


class AstBuilt(StringTemplate):
    """See the module."""

    def compiled(self) -> Any:
        return compile(module(self.config), "<ast>", "exec")
