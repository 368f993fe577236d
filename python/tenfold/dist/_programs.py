"""Programs of equations: methods as text, planned for any number of ranks, run and profiled."""
import numbers
import os
import typing

import numpy

from ._arguments import is_tensor
from ._contractions import options_of
from ._extension import engine
from ._tensors import Tensor


def is_number(given):
    return isinstance(given, numbers.Real) or (
        isinstance(given, numpy.ndarray) and given.shape == () and given.dtype.kind in "biuf")


def size_of(name, sizes):
    """The number of positions of a range, "virtual", or of pairs of one, "pairs(virtual)" or "strict_pairs(virtual)"."""
    if name in sizes:
        return sizes[name]
    kind, of = name.rstrip(")").split("(")
    return sizes[of] * (sizes[of] + (1 if kind == "pairs" else -1)) // 2


def filling_apart(function):
    """The same function over arrays of its own, which it may keep: blocks of inputs are freed after their last use."""

    def fill(offsets, block):
        own = numpy.zeros(block.shape, order="F")
        function(offsets, own)
        block[...] = own

    return fill


class ProgramTensor(typing.NamedTuple):
    """A tensor of a program: no ranges mean a scalar; role is "input", "output" or "intermediate"."""

    name: str
    ranges: list
    role: str


class PlannedLine(typing.NamedTuple):
    """What a line takes: predicted seconds and received bytes each time, the peak of memory of a rank."""

    line: int
    text: str
    times: int
    seconds: float
    received: int
    peak: int


class ExecutedLine(typing.NamedTuple):
    """What a line took in all its runs: seconds of the slowest rank, the plan's seconds, received bytes, and the peak of
    memory of a rank."""

    line: int
    text: str
    times: int
    seconds: float
    planned: float
    received: int
    peak: int


class ProgramResult:
    """What a program computed: scalars and tensors by name, whether every repeated block ended by its test (converged),
    lines with what they took, and the highest peak of memory of a rank. str() of it is a table of the lines."""

    def __init__(self, world, fields):
        self.scalars = fields["scalars"]
        self.tensors = {
            name: Tensor(world, made, numpy.dtype(numpy.float64)) for name, made in fields["tensors"].items()
        }
        self.converged = fields["converged"]
        self.lines = [ExecutedLine(*one) for one in fields["lines"]]
        self.peak = fields["peak"]
        self._text = fields["text"]

    def __getitem__(self, name):
        """An output, by its name: a float or a Tensor."""
        return self.scalars[name] if name in self.scalars else self.tensors[name]

    def __str__(self):
        return self._text

    def __repr__(self):
        found = [f"{name}={value:.12g}" for name, value in self.scalars.items()]
        found += [f"{name}{list(one.shape)}" for name, one in self.tensors.items()]
        return f"<tenfold.dist.ProgramResult {', '.join(found)}{'' if self.converged else ', not converged'}>"


class Program:
    """Lines of equations between named tensors over named index ranges (docs/programs.md):

        mp2 = tenfold.dist.Program('''
            index i, j: occupied
            index a, b: virtual
            input vovo[a,i,b,j], eo[i], ev[a]
            output E
            T[a,b,i,j] = vovo[a,i,b,j] / (eo[i] + eo[j] - ev[a] - ev[b])
            E = 2*vovo[a,i,b,j]*T[a,b,i,j] - vovo[b,i,a,j]*T[a,b,i,j]
        ''')
        plan = mp2.plan({"occupied": 5, "virtual": 20}, ranks=64)    # needs neither ranks nor MPI_Init
        print(plan)
        result = mp2.run(world, {"vovo": vovo, "eo": eo, "ev": ev})  # collective
        print(result["E"])

    A text that is wrong raises, with line and column.
    """

    def __init__(self, text):
        self._engine = engine.Program(text)

    @classmethod
    def read(cls, path):
        """The program in a file."""
        made = cls.__new__(cls)
        made._engine = engine.Program.read(os.fspath(path))
        return made

    @property
    def ranges(self):
        """Names of the index ranges, in the order in which they are declared, without those of pairs."""
        return self._engine.ranges

    @property
    def tensors(self):
        """All tensors and scalars, a ProgramTensor each, in the order in which they appear."""
        return [ProgramTensor(*one) for one in self._engine.tensors]

    def plan(self, sizes, ranks, repetitions=None, copies=True, copies_memory=None, **options):
        """A ProgramPlan: where tensors lie on so many ranks, and what each line takes. Not collective.

        sizes: the number of positions of each range, by its name
        repetitions: how often blocks are repeated, for the plan's sums; as often as they may if it is not given
        copies: whether tensors may be kept in several copies
        copies_memory: with copies, the most bytes of all tensors' blocks on one rank; a quarter more than without
            copies if it is not given

        Options are those of contract() that hold for every contraction: threads, reproducible and so on.
        """
        used = options_of(options)
        return ProgramPlan(self, used, self._engine.plan(dict(sizes), ranks, used, repetitions, copies, copies_memory))

    def run(self, world, inputs, sizes=None, **options):
        """Collective. Plans the program for the world's ranks, threads and nodes, and runs it; see ProgramPlan.run().

        sizes: of ranges that no tensor or array among the inputs has
        options: those of plan()
        """
        with world._preparing():
            found = dict(sizes or {})
            for one in self.tensors:
                for name, extent in zip(one.ranges, getattr(inputs.get(one.name), "shape", ())):
                    if name in self.ranges:  # sizes of ranges of pairs follow
                        found.setdefault(name, extent)
            of_world = {"threads": world.threads, "ranks_per_node": world.ranks_per_node}
            plan = self.plan(found, world.size, **{**of_world, **options})
        return plan.run(world, inputs)

    def __str__(self):
        return self._engine.text()

    def __repr__(self):
        names = (one.name + (f"[{','.join(one.ranges)}]" if one.ranges else "") for one in self.tensors)
        return f"<tenfold.dist.Program of {', '.join(names)}>"

    def __eq__(self, other):
        return str(self) == str(other) if isinstance(other, Program) else NotImplemented

    def __hash__(self):
        return hash(str(self))


class ProgramPlan:
    """A program for given sizes and a number of ranks. str() of it is a table of lines and layouts."""

    def __init__(self, program, options, handle):
        self._program = program
        self._options = options  # whose context contractions use
        self._engine = handle
        self._summary = handle.summary

    @property
    def program(self):
        return self._program

    @property
    def ranks(self):
        return self._summary["ranks"]

    @property
    def seconds(self):
        """Predicted, of all lines in all their runs."""
        return self._summary["seconds"]

    @property
    def received(self):
        """Bytes that the busiest ranks receive in all lines."""
        return self._summary["received"]

    @property
    def peak(self):
        """The highest peak of memory of a rank, in bytes."""
        return self._summary["peak"]

    @property
    def lines(self):
        """A PlannedLine for each line that computes, in the order of the text."""
        return [PlannedLine(*one) for one in self._engine.lines]

    @property
    def layouts(self):
        """The Distribution of each tensor, by name."""
        return self._engine.layouts

    def run(self, world, inputs):
        """Collective. Runs the program and returns a ProgramResult.

        inputs: by name a number for a scalar; a Tensor of float64, which is read where it lies if that is where the
        plan has it, and copied otherwise; an array, the whole of which each rank has; or function(offsets, block), as
        Tensor.fill() takes it
        """
        with world._preparing():
            if world.size != self.ranks:
                raise ValueError(f"the program is planned for {self.ranks} ranks, but the world has {world.size}")
            needed = {one.name: one for one in self._program.tensors if one.role == "input"}
            values, tensors, functions = {}, {}, {}
            for name, given in inputs.items():
                if is_number(given):
                    values[name] = float(given)
                elif is_tensor(given):
                    if given.world is not world:
                        raise ValueError(f"input {name!r} belongs to another world")
                    if given.dtype != numpy.float64:
                        raise TypeError(f"input {name!r} has elements of {given.dtype}; programs take float64")
                    tensors[name] = given._engine
                elif name not in needed:
                    raise ValueError(f"the program has no input {name!r}")
                else:
                    functions[name] = filling_apart(given) if callable(given) else self._whole(needed[name], given)
        return ProgramResult(world, self._engine.run(world._engine, values, tensors, functions))

    def _whole(self, needed, given):
        """A function that fills blocks with those of an array."""
        array = numpy.asarray(given)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"input {needed.name!r} has elements of {array.dtype}; programs take float64")
        shape = tuple(size_of(one, self._engine.sizes) for one in needed.ranges)
        if array.shape != shape:
            raise ValueError(f"input {needed.name!r} has the shape {array.shape}, expected {shape}")

        def fill(offsets, block):
            block[...] = array[tuple(slice(at, at + extent) for at, extent in zip(offsets, block.shape))]

        return fill

    def __str__(self):
        return self._engine.describe()

    def __repr__(self):
        return (f"<tenfold.dist.ProgramPlan of {len(self.lines)} lines on {self.ranks} ranks: {self.received} bytes "
                f"received, {self.peak} bytes of memory per rank>")
