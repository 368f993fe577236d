"""Arrays for tests: small integers, so that results are exact, in any strides."""
import random

import numpy

FLOATS = ("float32", "float64", "complex64", "complex128")


def integers(shape, dtype="float64", seed=0):
    """An array of integers from -4 to 4, complex ones for complex types."""
    generator = numpy.random.default_rng(seed)
    array = generator.integers(-4, 5, shape)
    dtype = numpy.dtype(dtype)
    if dtype.kind == "c":
        array = array + 1j * generator.integers(-4, 5, shape)
    if dtype.kind == "u":
        array = abs(array)
    return array.astype(dtype)


def view_of(array, pick):
    """Equal numbers at other strides: transposed, reversed, with gaps."""
    order = list(range(array.ndim))
    pick.shuffle(order)
    steps = [pick.choice((1, 1, 2, -1, -3)) for _ in order]
    base = numpy.zeros([max(array.shape[mode] * abs(steps[mode]), 1) for mode in order], array.dtype)
    view = base.transpose([order.index(mode) for mode in range(array.ndim)])
    view = view[(*(slice(None, None, step) for step in steps), ...)][(*map(slice, array.shape), ...)]
    view[...] = array
    return view


EXTENTS = dict(zip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                   (2, 3, 4, 5, 2, 3, 2, 3, 3, 4, 5, 2, 3, 4, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3) * 2))
BROAD = (4, 3, 2)  # the modes of an ellipsis; fewer are the last ones


def shapes_of(expression, ellipses=()):
    """The shapes of the operands: extents by label, of the n-th ellipsis `ellipses[n]` modes."""
    ellipses = list(ellipses)
    shapes = []
    for term in expression.replace(" ", "").split("->")[0].split(","):
        before, dots, after = term.partition("...")
        count = ellipses.pop(0) if dots and ellipses else (2 if dots else 0)
        shapes.append([*(EXTENTS[label] for label in before), *BROAD[len(BROAD) - count:],
                       *(EXTENTS[label] for label in after)])
    return shapes


def operands_of(expression, dtype="float64", ellipses=(), seed=0):
    return [integers(shape, dtype, seed + number)
            for number, shape in enumerate(shapes_of(expression, ellipses))]


def shuffled(arrays, seed):
    pick = random.Random(seed)
    return [view_of(array, pick) for array in arrays]
