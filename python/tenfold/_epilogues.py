"""Epilogues: element-wise steps on a contraction's result, before it is stored for the last time."""
import numbers

from . import _core
from ._operands import Operand, array_of, converted, dtype_of, operand_of, shape_of


class Epilogue:
    """Steps that contract() and plans apply in order to every element of D, once:
    D = f(alpha op(A) op(B) + beta op(C)).

        finish = tenfold.Epilogue().add("j", bias).apply("gelu_erf").add("ij", residual, 0.5)
        tenfold.contract("ij=ik*kj", a, b, epilogue=finish)

    At most 8 steps. Arrays have some or all of D's labels, are not copied where they have D's type,
    and share no memory with D. Complex results are scaled, added to and multiplied only. Results of
    int32 wrap around, with arrays and factors that are integers, and "relu" alone.
    """

    def __init__(self):
        self._steps = []

    def scale(self, factor):
        """d *= factor. Returns the epilogue, as all steps do."""
        return self._with("scale", checked_factor(factor))

    def add(self, labels, x, factor=1.0):
        """d += factor x, along the labels of x, written as in the expression: "j" adds a bias of one number
        for each position of j, "" a number. Some or all of D's labels, in any order; tenfold.conj(x) is
        conjugated as it is read."""
        return self._with("add", checked_labels(labels), array_of(x), checked_factor(factor))

    def multiply(self, labels, x, factor=1.0):
        """d *= factor x, element by element, likewise."""
        return self._with("multiply", checked_labels(labels), array_of(x), checked_factor(factor))

    def apply(self, function):
        """d = function(d), one of "relu", "exp", "tanh", "sigmoid", "gelu_tanh" and "gelu_erf"."""
        if function not in _core.elementwise_functions:
            raise ValueError(f"there is no element-wise function {function!r}; there are "
                             f"{', '.join(_core.elementwise_functions)}")
        return self._with("apply", function)

    def _with(self, *step):
        self._steps.append(step)
        return self

    def __len__(self):
        return len(self._steps)

    def __repr__(self):
        return f"<tenfold.Epilogue {', '.join(described(step) for step in self._steps) or 'of no steps'}>"


def described(step):
    kind, *rest = step
    if kind in ("add", "multiply"):
        labels, array, factor = rest
        return f"{kind} {labels!r} {dtype_of(array)}{list(shape_of(array))}" + (f" * {factor}" if factor != 1 else "")
    return f"{kind} {rest[0]}"


def checked_labels(labels):
    """Labels as the library reads them: a text, or a list of numbers for expressions of such lists."""
    if isinstance(labels, str):
        return labels
    return f"[{','.join(str(label.__index__()) for label in labels)}]"


def checked_factor(factor):
    if not isinstance(factor, numbers.Number):
        raise TypeError(f"a factor is a number, not {factor!r}")
    return factor


def steps_for(epilogue, dtype):
    """The steps for the extension, their arrays converted to D's type."""
    if epilogue is None:
        return []
    if not isinstance(epilogue, Epilogue):
        raise TypeError(f"epilogue is a tenfold.Epilogue, not {type(epilogue).__name__}")
    return [(step[0], step[1], tensor_for(step[2], dtype), step[3]) if len(step) == 4 else step
            for step in epilogue._steps]


def tensor_for(array, dtype):
    one = operand_of(array)
    if dtype_of(one).kind not in "biufc":
        raise TypeError(f"an epilogue has no arithmetic for {dtype_of(one)}")
    if dtype_of(one).kind in {"i": "fc", "c": ""}.get(dtype.kind, "c"):
        raise TypeError(f"the result has elements of {dtype}, an array of its epilogue of {dtype_of(one)}")
    return converted(one, dtype)
