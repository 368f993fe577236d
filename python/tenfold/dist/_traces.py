"""Traces of how ranks spend their time."""
import typing

from ._extension import engine
from ._files import path_of


class TraceTotals(typing.NamedTuple):
    """Seconds of one rank since its trace began. compute, pack, communication, idle and plan do not overlap, and add up
    to calls, except for some bookkeeping."""

    calls: float
    """in collective calls"""
    compute: float
    """products and sums of tensors, and functions over blocks"""
    pack: float
    """copies into and out of messages and panels"""
    communication: float
    """in MPI while it moves bytes"""
    idle: float
    """in MPI, waiting for other ranks"""
    plan: float
    """plans and memory"""
    under_way: float
    """while messages of this rank were in flight"""
    exposed: float
    """the part of it spent in MPI"""
    overlap: float
    """1 - exposed / under_way, a share; 1 if there were no messages"""


class Trace:
    """Records what the collective calls on a world do, until close() or the end of a block:

        with tenfold.dist.Trace(world) as trace:
            tenfold.dist.contract("abij=abef*efij", v, t, out=r)
            trace.write("contract.json")
        print(trace.totals().idle)

    Collective. A world has one trace at a time. While it records, waits poll instead of sleeping, to tell time in which
    MPI moves bytes from time in which nothing arrives.
    """

    def __init__(self, world):
        self._world = world
        self._engine = engine.Trace(world._engine)
        self._last = None

    def totals(self):
        """The sums of this rank, as TraceTotals; after close() those of the end. Not collective."""
        return self._last if self._engine is None else TraceTotals(*self._engine.totals())

    def reset_totals(self):
        """Sets the sums to 0 and keeps the intervals. Not collective."""
        self._recording().reset_totals()

    def write(self, file):
        """Collective. Rank 0 writes one file for all ranks, which Perfetto and chrome://tracing show."""
        with self._world._preparing():
            recording = self._recording()
        recording.write(path_of(self._world, file))

    def close(self):
        """Ends the trace. Not collective, but the world can be traced again only when all ranks have closed it."""
        if self._engine is not None:
            self._last = self.totals()
            self._engine = None

    def _recording(self):
        if self._engine is None:
            raise ValueError("the trace is closed")
        return self._engine

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()
