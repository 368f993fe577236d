"""Integrals of a molecule, from an FCIDUMP file, as arrays and as distributed tensors."""
import operator
import typing

import numpy

from .._core import chem as engine
from ._files import read_fcidump_with


class ClosedShell(typing.NamedTuple):
    """The closed-shell determinant that integrals belong to."""

    order: tuple
    """orbitals of the integrals: occupied ones first, each class by diagonal element of the Fock matrix"""
    occupied: int
    virtuals: int
    energy: float
    """of the determinant, including the constant"""
    fock: numpy.ndarray
    """over ordered orbitals"""
    largest_coupling: float
    """the largest |f_ia|: 0 for converged Hartree-Fock orbitals"""


class OrderedIntegrals:
    """Integrals over orbitals in an order, made by Integrals.ordered().

        g[v, o, v, o]           # (ai|bj) with four indices, in chemists' notation
        g[o, o]                 # the one-electron integrals h_ij with two

    Indices are numbers, and slices of step 1.
    """

    def __init__(self, integrals, order):
        self.order = tuple(operator.index(one) for one in order)
        self._engine = engine.OrderedIntegrals(integrals, self.order)

    @property
    def orbitals(self):
        """Their number."""
        return len(self.order)

    def __getitem__(self, index):
        first, shape, kept = self._box_of(index)
        block = numpy.empty(shape, order="F")
        self._engine.write(first, block)
        return block[kept]

    def distributed(self, world, index, distribution=None):
        """Collective. The same block as a tensor of a tenfold.dist.World, of which each rank computes its own part:

            vvvv = g.distributed(world, (v, v, v, v))

        A mode with a number has extent 1. distribution: of the tensor; Distribution.block() if it is not given
        """
        with world._preparing():
            first, shape, _ = self._box_of(index)

        def fill(offsets, block):
            self._engine.write([a + b for a, b in zip(first, offsets)], block)

        return world.from_function(fill, shape, distribution=distribution)

    def _box_of(self, index):
        """Where a block begins, its shape, and the index that takes the modes with numbers away."""
        index = index if isinstance(index, tuple) else (index,)
        if len(index) not in (2, 4):
            raise IndexError(f"integrals have two or four indices, not {len(index)}")
        first, shape, kept = [], [], []
        for one in index:
            if isinstance(one, slice):
                start, stop, step = one.indices(self.orbitals)
                if step != 1:
                    raise IndexError("integrals are indexed by slices of step 1")
                first.append(start)
                shape.append(max(stop - start, 0))
                kept.append(slice(None))
                continue
            at = operator.index(one)
            if not -self.orbitals <= at < self.orbitals:
                raise IndexError(f"orbital {at} is not one of {self.orbitals}")
            first.append(at % self.orbitals)
            shape.append(1)
            kept.append(0)
        return first, shape, tuple(kept)


class Integrals(OrderedIntegrals):
    """Real integrals over the spatial orbitals of an FCIDUMP file, in its order; made by read_fcidump(). Each set of
    eight equal ones, (pq|rs) = (qp|rs) = (rs|pq) .., is stored once."""

    def __init__(self, handle):
        super().__init__(handle, range(handle.orbitals))
        self._all = handle

    @property
    def electrons(self):
        return self._all.electrons

    @property
    def spin(self):
        """Twice the spin projection: the number of unpaired electrons."""
        return self._all.spin

    @property
    def symmetries(self):
        """The irreducible representation of each orbital; () if the file has none."""
        return tuple(self._all.symmetries)

    @property
    def constant(self):
        """The nuclear repulsion, and the energy of a frozen core if there is one."""
        return self._all.constant

    @property
    def orbital_energies(self):
        """An array; None unless the file lists all."""
        return numpy.array(self._all.orbital_energies) if self._all.orbital_energies else None

    def ordered(self, order):
        """OrderedIntegrals over some orbitals, of which orbital p is orbital order[p] here: ClosedShell.order, without
        the first ones for a frozen core."""
        return OrderedIntegrals(self._all, order)

    def closed_shell(self):
        """The ClosedShell of these integrals, which no file states: occupied orbitals are found. Raises
        tenfold.InvalidError unless the electrons are of a closed shell."""
        fock = numpy.empty((self.orbitals, self.orbitals), order="F")
        order, occupied, virtuals, energy, coupling = engine.find_closed_shell(self._all, fock)
        return ClosedShell(tuple(order), occupied, virtuals, energy, fock, coupling)


def read_fcidump(file):
    """The Integrals of an FCIDUMP file, plain or compressed by gzip or xz. Raises tenfold.FileError, which names the
    line, for what is wrong with it. Not collective: on many ranks, each one reads the file.

    file: its path, or a file that is open for reading, in binary mode: what gzip.open() gives, or io.BytesIO(..)
    """
    return Integrals(read_fcidump_with(engine, file))
