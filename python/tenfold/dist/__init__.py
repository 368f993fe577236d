"""Tensors and contractions across MPI ranks, over mpi4py's communicators. See docs/python-distributed.md.

    from mpi4py import MPI
    import tenfold.dist
    world = tenfold.dist.World(MPI.COMM_WORLD)
    a = world.full((60, 50), 2.0)
    b = world.full((50, 40), 3.0)
    c = tenfold.dist.contract("ab=ak*kb", a, b)

All ranks of a world make every call that is marked "collective", in the same order, and with the same
arguments unless it says otherwise. If one rank's arguments are wrong, its exception is raised there, and a
tenfold.Error that tells it on the others.
"""
from ._extension import Distribution
from ._combinations import combine, transpose
from ._contractions import (Plan, PlannedLayouts, conj, contract, contract_async, dot, explain, plan, plan_layouts)
from ._files import (load, load_hdf5, load_npy, save, save_hdf5, save_npy, stored, stored_hdf5, stored_npy)
from ._futures import Future
from ._interchange import BlockCyclic
from ._pairs import pack_pairs, unpack_pairs
from ._programs import ExecutedLine, PlannedLine, Program, ProgramPlan, ProgramResult, ProgramTensor
from ._reports import Report
from ._tensors import Tensor
from ._traces import Trace, TraceTotals
from ._worlds import World

__all__ = [
    "BlockCyclic", "Distribution", "ExecutedLine", "Future", "Plan", "PlannedLayouts", "PlannedLine", "Program",
    "ProgramPlan", "ProgramResult", "ProgramTensor", "Report", "Tensor", "Trace", "TraceTotals", "World", "combine", "conj",
    "contract", "contract_async", "dot", "explain", "load", "load_hdf5", "load_npy", "pack_pairs", "plan", "plan_layouts",
    "save", "save_hdf5", "save_npy", "stored", "stored_hdf5", "stored_npy", "transpose", "unpack_pairs",
]
