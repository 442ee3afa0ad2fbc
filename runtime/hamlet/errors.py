"""What a user can do wrong at run time. Every message is one clear line that says what to do."""


class HamletError(Exception):
    """Base of the errors below."""


class ModuleError(HamletError):
    """A folder is no generated package, or not the one that was written."""


class EnvError(HamletError, ValueError):
    """An environment cannot be made, or was given a value that it cannot take. Nothing was changed."""


class MissingAttributeError(EnvError, AttributeError):
    """An attribute that is not there, or that cannot be assigned; the message says what was probably meant."""


class TraceError(HamletError):
    """A file is no recorded trace, a damaged one, or one of another pack."""


class HamletWarning(UserWarning):
    """A warning about a universe, as `hamletc check` prints it. `hamlet.compile` gives each as a Python warning that
    begins with its code: `warnings.filterwarnings("ignore", "H072", hamlet.HamletWarning)` silences one kind."""


def shown(value: object) -> str:
    """A value in a message: in a line, and a short one."""
    kind = f"a {type(value).__name__}"
    try:
        text = repr(value)
        return text if len(text) <= 60 and "\n" not in text else f"{kind} {list(value.shape)} of {value.dtype}"  # type: ignore[attr-defined]
    except Exception:
        # What somebody else wrote may fail in any way; and few things have a shape.
        return kind
