"""Tenfold's errors as exceptions. Each is also the built-in exception that numpy's users expect."""
import re


class Error(Exception):
    """What all of Tenfold's errors are. Fields that do not apply are None, or "" for the label.

    code         "extent_mismatch" and so on: docs/python.md lists them
    label        the label at fault
    first        the operand at fault, a dict: name, mode, extent, order, type
    second       the operand that it does not go with
    position     the character of the expression, from 0
    least        bytes of the smallest workspace limit that would do
    """

    code = ""
    label = ""
    first = None
    second = None
    position = None
    least = None

    @property
    def operands(self):
        """Names of the operands that the error is about."""
        return tuple(one["name"] for one in (self.first, self.second) if one and one["name"])

    @property
    def modes(self):
        """Their modes, from 0; None where one does not matter."""
        return tuple(one["mode"] for one in (self.first, self.second) if one and one["name"])

    @property
    def extents(self):
        """The extents of these modes."""
        return tuple(one["extent"] for one in (self.first, self.second) if one and one["name"])


class InvalidError(Error, ValueError):
    """A wrong expression, shape or argument."""


class TypeMismatchError(Error, TypeError):
    """Element types that do not go together."""


class OutOfMemoryError(Error, MemoryError):
    """Memory cannot be had, or the workspace limit is too small: `least` is the least that would do."""


class UnsupportedError(Error, RuntimeError):
    """What this machine or this build lacks."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""


_CLASSES = {
    "type_mismatch": TypeMismatchError,
    "overflow": OutOfMemoryError,
    "out_of_memory": OutOfMemoryError,
    "workspace_too_small": OutOfMemoryError,
    "unsupported": UnsupportedError,
    "io": FileError,
    "disagreement": UnsupportedError,
    "communication": UnsupportedError,
    "stopped": UnsupportedError,
}


# The library's names of element types, and numpy's.
_TYPES = {"bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64", "c32": "complex64", "c64": "complex128",
          "i8": "int8", "u8": "uint8", "i32": "int32"}
_TYPE = re.compile(rf"\b({'|'.join(_TYPES)})\b")


def make_error(code, message, label, first, second, position, least):
    """Called by the extension for a tenfold::error."""
    operands = [one for one in (first, second) if one]
    for one in operands:
        one["type"] = _TYPES.get(one["type"], one["type"])
    if code == "type_mismatch":
        message = _TYPE.sub(lambda found: _TYPES[found[0]], message)
    what, line, rest = message.partition("\n")  # the rest shows the expression
    if any(one["name"] == "D" for one in operands) and re.search(r"\bD\b", what):  # which numpy's users call otherwise
        message = f"{what}; D is the output{line}{rest}"
    error = _CLASSES.get(code, InvalidError)(message)
    error.code = code
    error.label = label
    error.first = first
    error.second = second
    error.position = position
    error.least = least
    return error
