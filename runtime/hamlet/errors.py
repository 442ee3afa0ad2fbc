"""Errors and warnings for users of worlds. Every message is one clear line that says what to do."""

from hamlet.terminal import visible


class HamletError(Exception):
    """The base class of the errors below. Their messages are one line, whatever a file holds that they quote."""

    def __str__(self) -> str:
        return visible(super().__str__())


class ModuleError(HamletError):
    """A folder is no generated package, or one whose files were changed after it was written."""


class EnvError(HamletError, ValueError):
    """An environment cannot be made, or refuses a value that it was given. Nothing was changed."""


class MissingAttributeError(EnvError, AttributeError):
    """An attribute does not exist or cannot be assigned; the message says what was probably meant."""


class PluginError(HamletError):
    """An entry point of another package cannot be loaded; the message names that package."""


class TraceError(HamletError):
    """A file is no recorded trace, is damaged, or belongs to another pack."""


class HamletWarning(UserWarning):
    """A warning about a universe, as `hamletc check` prints it. `hamlet.compile` issues each as a Python warning whose
    text begins with its code: `warnings.filterwarnings("ignore", "H072", hamlet.HamletWarning)` silences one code."""


def shown(value: object) -> str:
    """A value as a message shows it: short, in one line."""
    name = type(value).__name__
    kind = f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
    try:
        text = repr(value)
        return text if len(text) <= 60 and "\n" not in text else f"{kind} {list(value.shape)} of {value.dtype}"  # type: ignore[attr-defined]
    except Exception:
        # The `repr` of somebody else's class may raise anything, and few values have a shape.
        return kind
