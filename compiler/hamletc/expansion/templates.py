"""`template` and `use`: each use becomes the declarations of its template, with arguments in place of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic, Finding
from hamletc.expansion.binding import NAMES_OF_WORDS, binding_of, namespaces
from hamletc.expansion.lets import MOST_PARTS, ExpansionError, circle
from hamletc.expansion.places import Copy, Places
from hamletc.expansion.series import in_step
from hamletc.expansion.trees import Field, as_written, names_in, of_language, rebuilt
from hamletc.language import syntax
from hamletc.language.declared import Namespace, declared, in_use, names_of
from hamletc.language.heights import complaint, too_high
from hamletc.language.tokens import LONGEST_NAME
from hamletc.language.words import MEANINGS

DEEPEST_USES = 32
"""The most templates that may use each other in a row."""
OF_ROLES = (
    *(syntax.LetDecl, syntax.OnceDecl, syntax.MeterDecl, syntax.SlotsDecl, syntax.ItemDecl),
    *(syntax.RuleDecl, syntax.CascadeDecl, syntax.AffordanceDecl, syntax.ActionDecl, syntax.AllowDecl),
    *(syntax.ActsDecl, syntax.DiesDecl, syntax.EndsDecl, syntax.RewardDecl, syntax.ReportDecl, syntax.ObserveDecl),
)
"""What can stand in a role."""


@dataclass(slots=True)
class _Use:
    """A use that is being written out.

    Attributes:
        arguments: what stands for the parameters, whatever they name.
        own: the names of what the use declares, by those in the template, in each namespace.
        series: how many uses it is one of, that go through a series; 0 where it stands alone.
        copies: its texts by the files that they come from.
    """

    template: syntax.TemplateDecl
    span: Span
    arguments: Mapping[str, syntax.Expr]
    own: Mapping[tuple[Namespace, str], str]
    level: int
    series: int
    copies: dict[int, int] = field(default_factory=dict)


class Templates:
    """Writes out the uses of templates. `used` are the names of those that something uses; `problems` is what is wrong
    with templates and uses."""

    def __init__(
        self, templates: tuple[syntax.TemplateDecl, ...], declarations: tuple[syntax.Decl, ...], places: Places
    ) -> None:
        self._places = places
        self._parts = 0
        self.used: set[str] = set()
        self.problems: list[Diagnostic] = []
        self._templates: dict[str, syntax.TemplateDecl] = {}
        self._declarations = declarations
        self._bodies: dict[int, tuple[syntax.Decl, ...]] = {}
        taken = {name.text: name for item in declarations for name in names_of(item)}
        for template in templates:
            self._declare(template, taken)

    def written_out(self, declarations: tuple[syntax.Decl, ...]) -> tuple[syntax.Decl, ...]:
        """The declarations without templates, those of each use in its place.

        Raises:
            ExpansionError: templates use themselves, or stand for too much.
        """
        self._check_circles()
        return tuple(made for item in declarations for made in self._declaration(item, None))

    def _declare(self, template: syntax.TemplateDecl, taken: Mapping[str, syntax.Name]) -> None:
        first = self._templates.setdefault(template.name.text, template)
        if first is not template:
            self._say(messages.templates.TemplateTwice(template.name.span, template.name.text, first.name.span))
        read = {name.text for name in names_in(template.declarations)}
        known: dict[str, syntax.Name] = {}
        for name in template.parameters:
            shadowed = taken.get(name.text)
            if name.text in MEANINGS and not name.quoted:
                self._say(messages.templates.ParameterOfWord(name.span, name.text))
            elif name.text in known:
                self._say(messages.templates.ParameterTwice(name.span, name.text, known[name.text].span))
            elif shadowed is not None:
                self._say(messages.templates.ParameterLikeDeclaration(name.span, name.text, shadowed.span))
            elif name.text not in read:
                self._say(messages.templates.UnusedParameter(name.span, template.name.text, name.text))
            known.setdefault(name.text, name)

    def _say(self, finding: Finding) -> None:
        self.problems.append(self._places.told(finding))

    def _check_circles(self) -> None:
        uses = {
            name: frozenset(item.template.text for item in _inside(template.declarations))
            for name, template in self._templates.items()
        }
        names = circle(uses)
        if names:
            first, *others = (self._templates[name].name.span for name in names)
            circular = messages.templates.TemplatesInCircle(first, tuple(names), tuple(others))
            raise ExpansionError(self._places.told(circular))

    def _declaration(self, item: Any, user: _Use | None) -> Iterator[syntax.Decl]:
        """What a declaration is in a use, or outside of templates."""
        if isinstance(item, syntax.TemplateDecl):
            return
        if isinstance(item, syntax.OverrideDecl):
            for inner in self._declaration(item.declaration, user):
                yield replace(item, declaration=inner)
            return
        made = item if user is None else self._tree(item, user)
        level = 0 if user is None else user.level
        match made:
            case syntax.UseDecl():
                yield from self._written(made, level)
            case syntax.RoleDecl(items=items):
                parts = (each for part in items for each in self._of_role(part, level))
                yield replace(made, items=tuple(parts))
            case _:
                yield made

    def _written(self, item: syntax.UseDecl, level: int) -> Iterator[syntax.Decl]:
        """The declarations that a use stands for."""
        uses = tuple(self._each_of_series(item))
        for each in uses:
            use = self._use(each, level, len(uses))
            for inner in () if use is None else self._bound(use.template):
                yield from self._declaration(inner, use)

    def _each_of_series(self, item: syntax.UseDecl) -> Iterator[syntax.UseDecl]:
        """The uses that one with series stands for; itself without."""
        series = tuple(
            each if isinstance(each, syntax.SeriesList) else syntax.SeriesList((each,), each.span)
            for each in item.arguments
            if isinstance(each, syntax.Series | syntax.SeriesList)
        )
        if not series:
            yield item
            return
        found = in_step(series, item.span)
        if isinstance(found, Finding):
            self._say(found)
            return
        for step in found:
            given = iter(step)
            arguments = tuple(
                next(given) if isinstance(each, syntax.Series | syntax.SeriesList) else each for each in item.arguments
            )
            yield replace(item, arguments=arguments)

    def _bound(self, template: syntax.TemplateDecl) -> tuple[syntax.Decl, ...]:
        """The declarations of a template, with their names bound: those that an argument brings along are not its."""
        bound = self._bodies.get(id(template))
        if bound is None:
            binding = binding_of((*template.declarations, *self._declarations))
            bound = self._bodies[id(template)] = tuple(map(binding.tree, template.declarations))
        return bound

    def _of_role(self, item: syntax.RolePart, level: int) -> Iterator[syntax.RolePart]:
        """What stands in a role for one of its items."""
        if not isinstance(item, syntax.UseDecl):
            yield item
            return
        for made in self._written(item, level):
            if isinstance(made, OF_ROLES):
                yield made
            else:
                self._say(messages.templates.NotInRole(item.span, item.template.text, made.span))

    def _use(self, use: syntax.UseDecl, level: int, uses: int) -> _Use | None:
        """What the names of a template mean in a use; `None` where they do not fit."""
        name, arguments = use.template.text, use.arguments
        template = self._templates.get(name)
        if template is None:
            self._say(messages.templates.UnknownTemplate(use.template.span, name, tuple(self._templates)))
            return None
        self.used.add(name)
        parameters = tuple(parameter.text for parameter in template.parameters)
        if len(parameters) != len(arguments):
            about = name, parameters, len(arguments), template.name.span
            self._say(messages.templates.ArgumentsOfTemplate(use.span, *about))
            return None
        if level == DEEPEST_USES:
            self._say(messages.templates.TemplatesTooDeep(use.span, DEEPEST_USES, template.name.span))
            return None
        meanings: dict[str, Any] = dict(zip(parameters, arguments, strict=True))
        symbols = [each for item in template.declarations for each in declared(item)]
        names = [meanings[each.name.text] for each in symbols if each.name.text in meanings]
        argument = next((each.text for each in names if isinstance(each, syntax.Name)), "")
        own: dict[tuple[Namespace, str], str] = {}
        for each in symbols:
            if each.name.text in meanings:
                continue
            made = in_use(each.name, argument)
            if len(made) > LONGEST_NAME:
                self._say(messages.templates.MadeNameTooLong(use.span, made, LONGEST_NAME, each.span))
                return None
            own[each.namespace, each.name.text] = made
        return _Use(template, use.span, meanings, own, level + 1, uses if uses > 1 else 0)

    # --- copying ---

    def _moved(self, span: Span, use: _Use) -> Span:
        """A place of the template in a use."""
        if span.file not in use.copies:
            label = f"in this use of `{use.template.name.text}`"
            use.copies[span.file] = self._places.add(Copy(span.file, use.span, "written", label, rounds=use.series))
        return replace(span, file=use.copies[span.file])

    def _tree(self, node: Any, use: _Use) -> Any:
        self._count(use.span)

        def each(item: Any, field: Field) -> Any:
            return self._name(item, field, use, node) if isinstance(item, syntax.Name) else self._tree(item, use)

        made = rebuilt(node, each, lambda span: self._moved(span, use))
        return as_written(made) if isinstance(made, syntax.Signed) else made

    def _name(self, item: syntax.Name, field: Field, use: _Use, node: Any) -> Any:
        """What stands for a name in a field of a node; a word only changes its place."""
        is_word = _is_word(node, field.name)
        span = self._moved(item.span, use)
        known = not is_word and (item.quoted or item.text not in MEANINGS)
        is_parameter = isinstance(item, syntax.Bound) and item.space == "parameter"
        meaning = use.arguments.get(item.text) if known and not is_parameter else None
        match meaning:
            case None:
                spaces = namespaces(node, field.name, item) if known else ()
                made = next((use.own[each, item.text] for each in spaces if (each, item.text) in use.own), None)
                return replace(item, span=span) if made is None else syntax.Name(made, span, quoted=True)
            case _ if field.role == "tree" and not isinstance(meaning, syntax.Name):
                self._say(messages.templates.NoNameForParameter(meaning.span, use.template.name.text, item.text, span))
                return replace(item, span=span)
            case _:
                if too_high(meaning) is not None:
                    # An argument in an argument in an argument: each of them may have as many levels as a tree.
                    raise ExpansionError(complaint(self._places.shown(use.span)))
                copy = Copy(meaning.span.file, span, "written", f"`{item.text}` in `template {use.template.name.text}`")
                return self._argument(meaning, self._places.add(copy), use)

    def _argument(self, node: Any, copy: int, use: _Use) -> Any:
        """An argument in the place of its parameter. All of it comes from one file."""
        self._count(use.span)
        return rebuilt(node, lambda item, _: self._argument(item, copy, use), lambda span: replace(span, file=copy))

    def _count(self, span: Span) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise ExpansionError(self._places.told(messages.templates.TemplatesTooLarge(span, MOST_PARTS)))


def _inside(declarations: tuple[syntax.RolePart, ...]) -> Iterator[syntax.UseDecl]:
    """The uses among declarations, also those in roles."""
    for item in declarations:
        match item:
            case syntax.UseDecl():
                yield item
            case syntax.RoleDecl(items=items):
                yield from _inside(items)
            case _:
                pass


def _is_word(node: object, name: str) -> bool:
    """Whether a field holds words of the language, or of a namespace of their own."""
    match node:
        case syntax.CallExpr(function=function) if name == "function":
            return of_language(function)
        case syntax.AssignStmt(owner=owner):
            return name == "meter" and owner is not None
        case _:
            return (type(node), name) in NAMES_OF_WORDS
