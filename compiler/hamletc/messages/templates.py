"""Lets and templates."""

from __future__ import annotations

from typing import Literal

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.diagnostics.edit import guessed
from hamletc.language.spelling import counted
from hamletc.suggest import closest

MOST_LABELS = 8
"""How many of the names of a circle are shown where they are declared."""


def _circle(names: tuple[str, ...]) -> str:
    return " -> ".join(f"`{name}`" for name in (*names, names[0]))


def _others(spans: tuple[Span, ...]) -> tuple[Label, ...]:
    return tuple(Label(span, "on the way") for span in spans[:MOST_LABELS])


@finding("H085")
class LetsInCircle(Finding):
    """Lets that stand for each other; the span is that of the first one, `others` are those of the others."""

    names: tuple[str, ...]
    others: tuple[Span, ...]

    def told(self) -> Told:
        hint = "Let one of them stand for something else; what has a value from tick to tick is a meter."
        return Told(f"`{self.names[0]}` stands for itself: {_circle(self.names)}", hint, "", _others(self.others))


@finding("H086")
class LetsTooLarge(Finding):
    most: int

    def told(self) -> Told:
        hint = "Let a rule compute a meter that others read: a `let` is written out wherever it is used."
        return Told(f"lets stand for more than {self.most:,} names, numbers and operations", hint)


@finding("H015")
class LetsTooDeep(Finding):
    most: int

    def told(self) -> Told:
        hint = "Split it: a rule can compute a meter in steps."
        return Told(f"an expression of more than {self.most} levels", hint)


@finding("H085")
class TemplatesInCircle(Finding):
    names: tuple[str, ...]
    others: tuple[Span, ...]

    def told(self) -> Told:
        hint = "A template may use others, but not one that uses it."
        message = f"the template `{self.names[0]}` uses itself: {_circle(self.names)}"
        return Told(message, hint, "", _others(self.others))


@finding("H086")
class TemplatesTooLarge(Finding):
    most: int

    def told(self) -> Told:
        message = f"templates stand for more than {self.most:,} names, numbers and operations"
        return Told(message, "Use them less often.")


@finding("H022")
class TemplateTwice(Finding):
    template: str
    first: Span

    def told(self) -> Told:
        secondary = (Label(self.first, "first declared here"),)
        return Told(f"the template `{self.template}` is declared twice", "Rename one of them.", "", secondary)


@finding("H023")
class ParameterOfWord(Finding):
    parameter: str

    def told(self) -> Told:
        return Told(f"a parameter cannot be called `{self.parameter}`", "Choose another name.")


@finding("H022")
class ParameterTwice(Finding):
    parameter: str
    first: Span

    def told(self) -> Told:
        secondary = (Label(self.first, "the first one"),)
        return Told(f"two parameters are called `{self.parameter}`", "Rename one of them.", "", secondary)


@finding("H022")
class ParameterLikeDeclaration(Finding):
    parameter: str
    declared: Span

    def told(self) -> Told:
        hint = "Rename the parameter, so that readers know which is meant."
        secondary = (Label(self.declared, "declared here"),)
        return Told(f"the parameter `{self.parameter}` has the name of something else", hint, "", secondary)


@finding("H060")
class UnusedParameter(Finding):
    template: str
    parameter: str
    kind: Literal["template", "function"] = "template"

    def told(self) -> Told:
        message = f"`{self.template}` does not use its parameter `{self.parameter}`"
        return Told(message, f"Use it in the {self.kind}, or delete it.")


@finding("H023")
class FunctionOfLanguage(Finding):
    """A function with the name of one that every universe has."""

    function: str

    def told(self) -> Told:
        hint = f"Choose another name, as in `own_{self.function}`: every universe has a function of this one."
        return Told(f"a function cannot be called `{self.function}`", hint)


@finding("H030")
class FunctionWithoutArguments(Finding):
    function: str
    parameters: tuple[str, ...]
    declared: Span

    def told(self) -> Told:
        message = f"`{self.function}` is a function of {counted(len(self.parameters), 'argument')}"
        hint = f"Write `{self.function}({', '.join(self.parameters)})`."
        return Told(message, hint, "", (Label(self.declared, "the function"),))


@finding("H030")
class ArgumentsOfFunction(Finding):
    function: str
    parameters: tuple[str, ...]
    declared: Span
    arguments: int

    def told(self) -> Told:
        message = f"`{self.function}` takes {counted(len(self.parameters), 'argument')}, not {self.arguments}"
        hint = f"Write `{self.function}({', '.join(self.parameters)})`."
        return Told(message, hint, "", (Label(self.declared, "the function"),))


@finding("H215")
class NotInRole(Finding):
    template: str
    declared: Span

    def told(self) -> Told:
        hint = "A role has meters, things, lets, rules, affordances, actions, masks, ends and observations."
        message = f"`{self.template}` declares what a role cannot have"
        return Told(message, hint, "", (Label(self.declared, "this"),))


@finding("H020")
class UnknownTemplate(Finding):
    name: str
    templates: tuple[str, ...]

    def told(self) -> Told:
        meant = closest(self.name, self.templates)
        hint = f"Did you mean `{meant}`?" if meant else f"Declare `template {self.name}(...) {{ ... }}`."
        return Told(f"there is no template `{self.name}`", hint, edits=guessed(self.span, self.name, meant))


@finding("H030")
class ArgumentsOfTemplate(Finding):
    template: str
    parameters: tuple[str, ...]
    arguments: int
    declared: Span

    def told(self) -> Told:
        message = f"`{self.template}` takes {counted(len(self.parameters), 'argument')}, not {self.arguments}"
        hint = f"Write `use {self.template}({', '.join(self.parameters)})`."
        return Told(message, hint, "", (Label(self.declared, "the template"),))


@finding("H015")
class TemplatesTooDeep(Finding):
    most: int
    declared: Span

    def told(self) -> Told:
        message = f"more than {self.most} templates use each other"
        return Told(message, "Let fewer templates use each other.", "", (Label(self.declared, "the template"),))


@finding("H007")
class MadeNameTooLong(Finding):
    name: str
    most: int
    declared: Span

    def told(self) -> Told:
        hint = f"Names have at most {self.most} characters: choose a shorter one."
        return Told(f"the name `{self.name}` is too long", hint, "", (Label(self.declared, "this one"),))


@finding("H087")
class NoNameForParameter(Finding):
    template: str
    parameter: str
    there: Span

    def told(self) -> Told:
        secondary = (Label(self.there, f"`{self.parameter}` names something here"),)
        message = f"`{self.template}` needs a name for `{self.parameter}`"
        return Told(message, "Write a name, as in `Bed`.", "", secondary)
