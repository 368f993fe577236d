"""Chains of operations that run later, as one program of equations on the server."""
from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence as _Sequence

    from ._session import Session as _Session


class _Leaf:
    def __init__(self, tensor: Tensor) -> None:
        if tensor.dtype != np.float64:
            raise TypeError(f"{tensor.name!r} has elements of {tensor.dtype}: chains are of float64")
        self.tensor = tensor
        self.shape: tuple[int, ...] = tensor.shape


class _Product:
    """Sums the products of its factors over the labels that the result lacks. Labels are letters."""

    def __init__(self, factors: list[tuple[_Node, str]], result: str) -> None:
        self.factors, self.result = factors, result
        extents: dict[str, tuple[int, int, int]] = {}  # with the operand and the mode that say so
        for operand, (factor, labels) in enumerate(factors):
            if len(labels) != len(factor.shape):
                raise ValueError(f"operand {operand} has {len(factor.shape)} modes, the expression {len(labels)}")
            for mode, (label, extent) in enumerate(zip(labels, factor.shape)):
                other, first, at = extents.setdefault(label, (extent, operand, mode))
                if other != extent:
                    raise ValueError(f"label {label!r}: operand {first} mode {at} has extent {other}, "
                                     f"operand {operand} mode {mode} has extent {extent}")
        for label in result:
            if label not in extents or result.count(label) > 1:
                raise ValueError(f"label {label!r} of the result must be in an operand, and once in the result")
        self.shape: tuple[int, ...] = tuple(extents[label][0] for label in result)


class _Sum:
    def __init__(self, terms: list[tuple[float, _Node]]) -> None:
        self.terms = terms
        self.shape: tuple[int, ...] = terms[0][1].shape


_Node = Union[_Leaf, _Product, _Sum]


class Lazy:
    """What a chain computes: a tensor of float64, or a number where the shape is (). Sums, differences, products with
    numbers, of elements, and Session.lazy() make longer chains; run() and get() have the server compute it."""

    __array_ufunc__ = None  # numpy's numbers leave products to __rmul__()

    def __init__(self, session: _Session, node: _Node) -> None:
        self.session, self._node = session, node

    @property
    def shape(self) -> tuple[int, ...]:
        return self._node.shape

    def run(self, name: Optional[str] = None) -> Any:
        """Runs the chain. Returns a new tensor, or a number."""
        return self.session.compute(self, names=[name])[0]

    def get(self) -> Any:
        """The elements, as an array of numpy's, or the number. The server keeps no tensor of it."""
        value = self.run()
        if not isinstance(value, Tensor):
            return value
        array = value.get()
        value.delete()
        return array

    def explain(self) -> dict[str, Any]:
        """Seconds, bytes and memory of the chain and of its lines. It is not run."""
        written = Program([self])
        return self.session.explain_program(written.text, written.inputs)

    def _terms(self) -> list[tuple[float, _Node]]:
        return self._node.terms if isinstance(self._node, _Sum) else [(1.0, self._node)]

    def _times(self, factor: float) -> Lazy:
        if not math.isfinite(factor):
            raise ValueError(f"a factor of {factor}: chains have finite ones")
        return Lazy(self.session, _Sum([(factor * each, node) for each, node in self._terms()]))

    def _plus(self, other: Any, factor: float) -> Any:
        if not isinstance(other, (Lazy, Tensor)):
            return NotImplemented
        more = lazy_of(other)._times(factor)
        if more.shape != self.shape:
            raise ValueError(f"a sum of shapes {self.shape} and {more.shape}")
        return Lazy(self.session, _Sum(self._terms() + more._terms()))

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __radd__(self, other: Any) -> Any:
        return self._plus(other, 1)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Lazy:
        return self._times(-1)

    def __mul__(self, other: Any) -> Any:
        """By a number, by a chain that is one, or by elements."""
        if isinstance(other, numbers.Real):
            return self._times(float(other))
        if not isinstance(other, (Lazy, Tensor)):
            return NotImplemented
        a, b = self, lazy_of(other)
        if a.shape != b.shape and a.shape != () and b.shape != ():
            raise ValueError(f"a product of elements of shapes {a.shape} and {b.shape}")
        labels = _letters(max(len(a.shape), len(b.shape)))
        return Lazy(self.session, _Product([(one._node, labels if one.shape else "") for one in (a, b)], labels))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._times(1 / float(other)) if isinstance(other, numbers.Real) else NotImplemented

    @property
    def T(self) -> Lazy:
        labels = _letters(len(self.shape))
        return Lazy(self.session, _Product([(self._node, labels)], labels[::-1]))

    def __repr__(self) -> str:
        return f"<Lazy: shape {self.shape}>"


def lazy_of(value: Union[Lazy, Tensor]) -> Lazy:
    return value if isinstance(value, Lazy) else Lazy(value.session, _Leaf(value))


def contraction(session: _Session, expression: str, inputs: _Sequence[Union[Lazy, Tensor]]) -> Lazy:
    """Of an expression such as "ij,jk->ik"."""
    operands, arrow, result = expression.replace(" ", "").partition("->")
    labels = operands.split(",")
    if not arrow or len(labels) != len(inputs) or not all(one.isalpha() or not one for one in (*labels, result)):
        raise ValueError(f"{expression!r}: expected letters for {len(inputs)} operands and the result, such as ij,jk->ik")
    return Lazy(session, _Product([(lazy_of(one)._node, own) for one, own in zip(inputs, labels)], result))


def _letters(count: int) -> str:
    return "".join(chr(ord("a") + mode) for mode in range(count))


class Program:
    """Chains as a program: what several of them share is computed once."""

    def __init__(self, chains: _Sequence[Lazy]) -> None:
        self.inputs: dict[str, Union[Tensor, float]] = {}
        self.results: list[str] = []  # the names of the chains' results in the program
        self._shapes: dict[str, tuple[int, ...]] = {}  # of inputs
        self._generations: dict[int, str] = {}  # inputs by those of their tensors
        self._names: dict[int, str] = {}  # of nodes, by their ids
        self._uses: dict[int, int] = {}
        self._lines: list[str] = []
        self._labels: dict[int, int] = {}  # how many there are of each extent
        for one in chains:
            self._count(one._node)
        ranges: dict[str, tuple[int, ...]] = {}
        for one in chains:
            name = self._write(one._node) if not isinstance(one._node, _Leaf) else self._line(one._node)
            self.results.append(name)
            ranges[name] = one.shape
        declared = [f"index {', '.join(f'x{extent}_{i}' for i in range(count))}: r{extent}"
                    for extent, count in self._labels.items()]
        declared += [f"input {_indexed(name, [f'r{extent}' for extent in shape])}"
                     for name, shape in self._shapes.items()]
        declared += [f"output {_indexed(name, [f'r{extent}' for extent in shape])}" for name, shape in ranges.items()]
        self.text = "\n".join(declared + self._lines) + "\n"

    def _count(self, node: _Node) -> None:
        self._uses[id(node)] = self._uses.get(id(node), 0) + 1
        if self._uses[id(node)] == 1 and not isinstance(node, _Leaf):
            for one in ([one for one, _ in node.factors] if isinstance(node, _Product)
                        else [one for _, one in node.terms]):
                self._count(one)

    def _write(self, node: _Node) -> str:
        """The name of a node, whose lines are written."""
        if id(node) not in self._names:
            self._names[id(node)] = self._input(node.tensor) if isinstance(node, _Leaf) else self._line(node)
        return self._names[id(node)]

    def _input(self, tensor: Tensor) -> str:
        if tensor.generation not in self._generations:
            name = self._generations[tensor.generation] = f"a{len(self.inputs)}"
            self._shapes[name] = tensor.shape
            self.inputs[name] = tensor if tensor.shape else float(tensor.get())  # a program's scalars are numbers
        return self._generations[tensor.generation]

    def _line(self, node: _Node) -> str:
        used: dict[int, int] = {}
        own = [self._label(extent, used) for extent in node.shape]
        terms = node.terms if isinstance(node, _Sum) else [(1.0, node)]
        text = ""
        for factor, one in terms:
            # What no other line needs, and the whole line, has no name of its own.
            parts = self._product(one, own, dict(used)) if isinstance(one, _Product) \
                and (one is node or self._uses[id(one)] == 1) else [_indexed(self._write(one), own)]
            sign = "- " if factor < 0 else "+ " if text else ""
            text += f" {sign}" + "*".join([repr(abs(factor)), *parts])
        name = f"t{len(self._lines)}"
        self._lines.append(f"{_indexed(name, own)} ={text}")
        return name

    def _product(self, node: _Product, own: list[str], used: dict[int, int]) -> list[str]:
        labels = dict(zip(node.result, own))
        parts = []
        for factor, letters in node.factors:
            for letter, extent in zip(letters, factor.shape):
                if letter not in labels:
                    labels[letter] = self._label(extent, used)
            parts.append(_indexed(self._write(factor), [labels[letter] for letter in letters]))
        return parts

    def _label(self, extent: int, used: dict[int, int]) -> str:
        number = used.get(extent, 0)
        used[extent] = number + 1
        self._labels[extent] = max(self._labels.get(extent, 0), number + 1)
        return f"x{extent}_{number}"


def _indexed(name: str, labels: list[str]) -> str:
    return f"{name}[{','.join(labels)}]" if labels else name
