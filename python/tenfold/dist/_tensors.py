"""Distributed tensors."""
import contextlib
import html
import operator

import numpy

from ._arguments import same_kind, stored_type, type_named, type_of
from ._extension import engine
from ._futures import Future
from ._interchange import Interchange
from ._operations import Operations
from ._slices import Selection

MOST_ROWS = 64  # of tables in notebooks


def new_tensor(world, shape, dtype, distribution=None):
    """Collective. A tensor of zeros."""
    with world._preparing():
        shape = [operator.index(one) for one in (shape if hasattr(shape, "__iter__") else (shape,))]
        numpy.array(shape, numpy.int64)  # raises where an extent has more bits
        dtype = type_of(dtype)
        if distribution is not None:
            check_distribution(distribution)
    return Tensor(world, engine.Tensor(world._engine, shape, dtype, distribution), dtype)


def check_distribution(given):
    if not isinstance(given, engine.Distribution):
        raise TypeError(f"a distribution is a Distribution, not {type(given).__name__}")


def told_by_root(world, facts, root):
    """Collective. Shape and dtype of an array that one rank has, on all ranks."""
    most = 64  # modes of NumPy's arrays
    message = new_tensor(world, most + 2, numpy.float64)
    if world.rank == root:
        shape, dtype = facts
        message.write(slice(len(shape) + 2), [engine.type_names.index(dtype.name), len(shape), *shape])
    else:
        message.write(None)
    kind, order, *extents = map(int, message[...])
    with world._preparing():
        return extents[:order], type_named(engine.type_names[kind])


def index_arrays(offsets, shape):
    """The indices in the whole tensor of a block's elements, one array for each mode, which broadcast against the block."""
    return numpy.ix_(*(numpy.arange(at, at + extent) for at, extent in zip(offsets, shape)))


def _range_text(box):
    """A block of a Distribution as an index."""
    return "none" if box is None else f"[{', '.join(f'{at}:{at + extent}' for at, extent in zip(*box))}]"


class Tensor(Operations, Interchange):
    """A tensor that lies on the ranks of a world, each of which owns one block. Made by World's functions,
    contract(), and files'. Its type is float32, float64, complex64, complex128, float16, bfloat16 (of ml_dtypes), int8,
    uint8 or int32."""

    def __init__(self, world, handle, dtype):
        self._world = world
        self._engine = handle
        self._dtype = dtype
        self._stored = stored_type(dtype)
        self._distribution = handle.distribution

    @property
    def world(self):
        return self._world

    @property
    def shape(self):
        return self._distribution.shape

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        """The number of elements, on all ranks together."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def dtype(self):
        return self._dtype

    @property
    def distribution(self):
        """The Distribution: which rank owns what."""
        return self._distribution

    @property
    def local(self):
        """This rank's block: a view in Fortran order, through which its elements are read and written. Read-only where
        the tensor is kept in copies, which fill(), map() and t[...] = keep equal, and writing() at its end."""
        return self._seen(self._engine.local)

    def _seen(self, stored):
        """An array of the engine's as one of the tensor's type."""
        return stored if self._stored == self._dtype else stored.view(self._dtype)

    def _kept(self, array):
        """An array of the tensor's type as the engine takes it."""
        return array if self._stored == self._dtype else array.view(self._stored)

    def _fill(self, function):
        """Collective. fill() with a function."""
        if self._stored == self._dtype:
            self._engine.fill(function)
        else:
            self._engine.fill(lambda offsets, block: function(offsets, self._seen(block)))

    @contextlib.contextmanager
    def writing(self):
        """This rank's block, to be written by hand in a block of Python's, also where the tensor is kept in copies:

            with tensor.writing() as block:
                block[...] = values[tensor.local_slices]

        Its end is collective: what was written to the first copy is sent to the others, and what was written to those
        is lost (distribution.copy_of(rank) tells them). If it raises on one rank, all ranks raise, and the copies may
        differ: what reads the tensor raises until refresh(), or until all its elements are written.
        """
        block = self._seen(self._engine.local_to_write())
        with self._world._preparing():
            yield block
        if self._distribution.copies > 1:
            block.flags.writeable = False
        self._engine.refresh()

    def refresh(self):
        """Collective. Makes all copies equal to the first one, after a block of writing() that raised. Does nothing if
        there is one copy."""
        self._engine.refresh()

    @property
    def offsets(self):
        """The position of local's first element in the tensor."""
        box = self._engine.box
        return box[0] if box else ()

    @property
    def local_slices(self):
        """Where local lies, as an index: array[tensor.local_slices] is its part of an array."""
        box = self._engine.box
        return tuple(slice(at, at + extent) for at, extent in zip(*box)) if box else ()

    def fill(self, what):
        """Collective. Sets all elements to a number, or lets a function set them, and returns the tensor.

        what: the number; or function(offsets, block), which each rank that owns elements calls for its block, a
        numpy array in Fortran order, with its position in the tensor. If it raises on one rank, all ranks raise, and
        the elements are unspecified.
        """
        function = what
        if not callable(what):
            with self._world._preparing():
                value = same_kind(what, self._dtype)
                if value.ndim:
                    raise ValueError(f"fill() takes a number or a function, not an array of shape {value.shape}")

            def function(offsets, block):
                block[...] = value

        self._fill(function)
        return self

    def map(self, function, *others, out=None, dtype=None, offsets=False, indices=False):
        """Collective. A tensor whose blocks are function(block, ...) of this tensor's blocks and the others':

            magnitude = tensor.map(numpy.abs, dtype="f8")
            quotient = residual.map(numpy.divide, denominators)
            banded = tensor.map(lambda i, j, x: numpy.where(abs(i - j) < 3, x, 0), indices=True)

        The function gets numpy arrays. Before them it gets, with offsets=True, their position in the tensor, and with
        indices=True an array of indices in the whole tensor for each mode, which broadcast against the blocks as those
        of numpy.ogrid do. It returns an array or a number; what numpy.frompyfunc() makes will do, too. Where others lie
        differently they are redistributed. If it raises on one rank, all ranks raise.

        out: a tensor for the result, which may be this one; a new one of `dtype`, or of this tensor's type, if
        it is not given.
        """
        with self._world._preparing():
            if not callable(function):
                raise TypeError(f"map() takes a function, not {type(function).__name__}")
            if offsets and indices:
                raise TypeError("map() passes offsets or indices, not both")
            for number, one in enumerate((*others, *(() if out is None else (out,)))):
                name = f"tensor {number}" if number < len(others) else "out"
                if not isinstance(one, Tensor):
                    raise TypeError(f"{name} is no distributed tensor, but {type(one).__name__}")
                if one.world is not self._world:
                    raise ValueError(f"{name} belongs to another world")
                if one.shape != self.shape:
                    raise ValueError(f"{name} has shape {one.shape}, but the tensor has {self.shape}")
            if out is not None and dtype is not None and numpy.dtype(dtype) != out.dtype:
                raise TypeError(f"out has elements of {out.dtype}, not {numpy.dtype(dtype)}")
        if out is None:
            out = new_tensor(self._world, self.shape, self._dtype if dtype is None else dtype, self._distribution)
        # References, which keep redistributed copies until the end.
        tensors = [one._lying_as(out._distribution) for one in (self, *others)]
        blocks = [one.local for one in tensors]

        def compute(where, block):
            places = (where,) if offsets else index_arrays(where, block.shape) if indices else ()
            values = numpy.asarray(function(*places, *blocks))
            if values.dtype == object:  # Python's numbers, in the type that they have together
                values = numpy.array(values.tolist())
            block[...] = same_kind(values, block.dtype)

        out._fill(compute)
        return out

    def __getitem__(self, index):
        """Collective. An array of the elements that an index of numbers and slices selects, which each rank
        chooses for itself. tensor[...] is the whole tensor on every rank."""
        with self._world._preparing():
            chosen = Selection(index, self.shape)
            box = numpy.empty(chosen.extents, self._stored, order="F")
        self._engine.read_into(chosen.offsets, box)
        return chosen.of_box(self._seen(box))

    def __setitem__(self, index, values):
        """Collective. Sets elements that an index selects, the same on all ranks: each rank takes from the values
        what it owns."""
        with self._world._preparing():
            chosen = Selection(index, self.shape)
            values = chosen.expanded(same_kind(values, self._dtype))
        self._fill(lambda offsets, block: chosen.assign_within(offsets, block, values))

    def write(self, index, values=()):
        """Collective. Each rank sets a box of its own: numbers and slices of step 1, or None for no element. No
        element may be in the boxes of two ranks."""
        with self._world._preparing():
            if index is None:
                offsets, values = None, numpy.empty((0,) * self.ndim, self._dtype)
            else:
                chosen = Selection(index, self.shape)
                if not chosen.is_box:
                    raise ValueError("write() takes slices of step 1; tensor[...] = values takes others, too")
                offsets, values = chosen.offsets, chosen.expanded(same_kind(values, self._dtype))
        self._engine.write(offsets, self._kept(values))

    def gather(self, root=0):
        """Collective. The whole tensor as an array on one rank, and None on the others."""
        with self._world._preparing():
            root = operator.index(root)
            whole = numpy.empty(self.shape, self._stored, order="F") if self._world.rank == root else None
        self._engine.gather_into(whole, root)
        return None if whole is None else self._seen(whole)

    def scatter(self, array, root=0):
        """Collective. Sets the whole tensor from an array of one rank, and returns it; others' array is ignored."""
        with self._world._preparing():
            root = operator.index(root)
            mine = self._kept(same_kind(array, self._dtype)) if self._world.rank == root else None
        self._engine.scatter(mine, root)
        return self

    def redistribute(self, distribution):
        """Collective. A copy that lies on the ranks as another Distribution says."""
        with self._world._preparing():
            check_distribution(distribution)
        return Tensor(self._world, self._engine.redistribute(distribution), self._dtype)

    def redistribute_async(self, distribution):
        """Collective. Begins redistribute(), and returns a Future, whose wait() returns the new tensor."""
        with self._world._preparing():
            check_distribution(distribution)
        begun = engine.redistribute_async(self._engine, distribution, self)
        return Future(begun, lambda made: Tensor(self._world, made, self._dtype))

    def copy(self):
        """Collective. A copy that lies on the ranks as this one."""
        return self.redistribute(self._distribution)

    def _lying_as(self, distribution):
        return self if self._distribution == distribution else self.redistribute(distribution)

    __iter__ = None  # each step would be collective

    def __array__(self, *arguments, **options):
        raise TypeError("a distributed tensor is no array: tenfold.dist.contract() contracts it, tensor.map(function) "
                        "applies a function of numpy's, tensor[...] is the whole of it on every rank, and tensor.local "
                        "this rank's block")

    def _repr_html_(self):
        """For notebooks: what the tensor is, and which block each rank has. Not collective, and without its elements."""
        rows = "".join(f"<tr><td>{rank}</td><td>{_range_text(self._distribution.block_of(rank))}</td></tr>"
                       for rank in range(min(self._world.size, MOST_ROWS)))
        left = f"<p>.. {self._world.size} ranks</p>" if self._world.size > MOST_ROWS else ""
        return f"<pre>{html.escape(repr(self))}</pre><table><tr><th>rank</th><th>block</th></tr>{rows}</table>{left}"

    def __repr__(self):
        grid = "x".join(map(str, self._distribution.grid)) or "1"
        here = ", ".join(f"{one.start}:{one.stop}" for one in self.local_slices)
        return (f"<tenfold.dist.Tensor {self._dtype}{list(self.shape)}, grid {grid} of {self._world.size} ranks, "
                f"here [{here}]>")
