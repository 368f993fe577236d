"""Worlds: the ranks that share tensors."""
import contextlib
import importlib
import operator

import numpy

from .._errors import UnsupportedError
from .._operands import INTEGER_TYPES, is_bfloat16
from ._arguments import type_of
from ._contexts import engine_context
from ._extension import engine
from ._tensors import new_tensor, told_by_root


def handle_address(comm):
    """Where mpi4py keeps a communicator's handle, if it is one of the MPI library that Tenfold uses."""
    mpi = mpi_of_mpi4py()
    if not isinstance(comm, mpi.Comm):
        raise TypeError(f"a World is made of a communicator of mpi4py, not of {type(comm).__name__}")
    theirs, own = mpi.Get_library_version().strip("\0 \n"), engine.mpi_library().strip("\0 \n")
    if theirs != own:
        raise UnsupportedError("mpi4py and Tenfold use different MPI libraries, so that communicators of one mean "
                               f"nothing to the other: mpi4py's is {first_line(theirs)}; Tenfold's is "
                               f"{first_line(own)}. Install mpi4py for Tenfold's")
    if mpi._sizeof(mpi.Comm) != engine.handle_size:  # the library that was loaded first answers for both
        raise UnsupportedError("mpi4py and Tenfold were built for different MPI libraries: communicators of mpi4py's have "
                               f"{mpi._sizeof(mpi.Comm)} bytes, of Tenfold's {engine.handle_size}. "
                               f"{first_line(own)} is loaded. Install mpi4py for the library that Tenfold was built for")
    return mpi._addressof(comm)


def mpi_of_mpi4py():
    """The module mpi4py.MPI. Raises ImportError, which tells the MPI library that mpi4py has to use."""
    try:
        return importlib.import_module("mpi4py.MPI")
    except ImportError as error:
        raise ImportError("tenfold.dist takes communicators of mpi4py, which cannot be imported here: "
                          f"{error}. Install mpi4py for {first_line(engine.mpi_library())}") from error


def first_line(text):
    """What an MPI library calls itself in the first line of many."""
    return text.strip("\0 \n").partition("\n")[0].strip()


class World:
    """The ranks that share tensors. Collective; the communicator is duplicated.

    comm: an intracommunicator of mpi4py; MPI.COMM_WORLD if it is not given. mpi4py has to use the MPI library that
    Tenfold was built with.
    context: a tenfold.Context whose settings the world takes: threads, watchdog_seconds and presence_seconds; if it is
    not given, those of `with tenfold.settings(..)`, or of the process.
    """

    def __init__(self, comm=None, context=None):
        if comm is None:
            comm = mpi_of_mpi4py().COMM_WORLD
        self._engine = engine.World(handle_address(comm), engine_context(context))
        self._comm = comm

    @property
    def rank(self):
        """This rank's number."""
        return self._engine.rank

    @property
    def size(self):
        """The number of ranks."""
        return self._engine.size

    @property
    def threads(self):
        """Threads of this rank's local work: the context's, TENFOLD_NUM_THREADS, OMP_NUM_THREADS, or its share of the
        cores."""
        return self._engine.threads

    @property
    def ranks_per_node(self):
        """Ranks of a node, if rank r is on node r // ranks_per_node for all of them; 0 if not, or if all are on one node.
        Contractions and programs plan with it."""
        return self._engine.ranks_per_node

    @property
    def comm(self):
        """The communicator that the world was made of."""
        return self._comm

    def split(self, group):
        """Collective. A World of the ranks that pass the same group, a number from 0, in their order; None on ranks
        that pass None:

            half = world.split(world.rank % 2)
            first = world.split(0 if world.rank < 4 else None)

        Threads, watchdog and presence are this world's. Its `comm` is a new communicator of mpi4py, which belongs to
        the caller. Tensor.copy_to_part() and copy_from_part() move tensors between the two.
        """
        with self._preparing():
            most = 2**31 - 1
            number = -1 if group is None else operator.index(group)
            if group is not None and not 0 <= number <= most:
                raise ValueError(f"group {number}: a group is a number from 0 to {most}, or None")
        made = self._engine.split(number)
        from mpi4py import MPI
        comm = self._comm.Split(MPI.UNDEFINED if group is None else number, self.rank)
        return None if made is None else World._made_of(made, comm)

    def split_by_node(self):
        """Collective. A World of the ranks on this rank's node, which can share memory, as split() makes it."""
        made = self._engine.split_by_node()
        from mpi4py import MPI
        return World._made_of(made, self._comm.Split_type(MPI.COMM_TYPE_SHARED, self.rank))

    @classmethod
    def _made_of(cls, handle, comm):
        made = cls.__new__(cls)
        made._engine, made._comm = handle, comm
        return made

    def for_each_task(self, count, function, costs=None):
        """Collective. Calls function(task) for the tasks 0 to count - 1. Each is done by one rank, which gets more when
        it has done others, so that all end together:

            energies = np.zeros(len(triples))

            def compute(task):
                energies[task] = energy_of(triples[task])

            world.for_each_task(len(triples), compute)
            energies = world.comm.allreduce(energies)  # 0 on the other ranks

        Functions make no collective calls on this world. If one raises on a rank, no more tasks are handed out, and all
        ranks raise. Rank 0 hands them out between its own, so a task should not take long.

        costs: a number for each task, in any unit, the same on all ranks; the largest are handed out first
        """
        with self._preparing():
            count = int(numpy.int64(operator.index(count)))
            if not callable(function):
                raise TypeError(f"tasks are done by a function, not {type(function).__name__}")
            given = [] if costs is None else [float(one) for one in costs]
            if costs is not None and len(given) != count:
                raise ValueError(f"{len(given)} costs of {count} tasks")
        self._engine.for_each_task(count, function, given)

    def zeros(self, shape, dtype=numpy.float64, distribution=None):
        """Collective. A tensor of zeros; a Distribution that is not given is Distribution.block()."""
        return new_tensor(self, shape, dtype, distribution)

    def full(self, shape, value, dtype=None, distribution=None):
        """Collective. A tensor of equal elements, of the value's type if no dtype is given."""
        with self._preparing():
            dtype = computing_type(numpy.asarray(value).dtype) if dtype is None else dtype
        return self.zeros(shape, dtype, distribution).fill(value)

    def from_function(self, function, shape, dtype=numpy.float64, distribution=None):
        """Collective. A tensor whose blocks a function fills, as Tensor.fill() calls it."""
        return self.zeros(shape, dtype, distribution).fill(function)

    def from_array(self, array, root=None, distribution=None):
        """Collective. A tensor with an array's elements, and its type if tensors have it; other integers than int8,
        uint8 and int32 become float64.

        root: the rank that has the whole array, and sends parts of it; others' is ignored. Not given: every
        rank has the whole array, and takes its part without any message.
        """
        if root is None:
            with self._preparing():
                array = computable(array)
            result = new_tensor(self, array.shape, array.dtype, distribution)
            result[...] = array
            return result
        with self._preparing():
            if not 0 <= root < self.size:
                raise ValueError(f"there is no rank {root} of {self.size}")
            facts = None
            if self.rank == root:
                array = computable(array)
                facts = array.shape, array.dtype
        shape, dtype = told_by_root(self, facts, root)
        result = new_tensor(self, shape, dtype, distribution)
        return result.scatter(array if self.rank == root else None, root)

    @contextlib.contextmanager
    def _preparing(self):
        """What one rank can find wrong before a collective call: it is raised, and fails the others' call."""
        try:
            yield
        except BaseException as error:
            self._engine.refuse_call(error)
            raise

    def __repr__(self):
        return f"<tenfold.dist.World rank {self.rank} of {self.size}, {self.threads} threads>"


def computable(array):
    """An array in the type that its distributed tensor has."""
    array = numpy.asarray(array)
    array = array.astype(computing_type(array.dtype), copy=False)
    type_of(array.dtype)
    return array


def computing_type(dtype):
    """The element type of a distributed tensor with the values of arrays of this type."""
    native = dtype if is_bfloat16(dtype) else dtype.newbyteorder("=")
    return numpy.dtype(numpy.float64) if dtype.kind in "biu" and native not in INTEGER_TYPES else native
