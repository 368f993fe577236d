"""dist_is_right.py PREFIX RANKS: the package tenfold.dist below PREFIX contracts distributed tensors on so many
ranks. Exits with status 1 where a result is wrong."""
import sys

import numpy
import tenfold.dist

prefix, ranks = sys.argv[1], int(sys.argv[2])
assert tenfold.dist.__file__.startswith(prefix), tenfold.dist.__file__
world = tenfold.dist.World()
assert world.size == ranks, world.size
a = (numpy.arange(12 * 9 * 8) % 7 - 3.0).reshape(12, 9, 8)
b = (numpy.arange(9 * 10 * 8) % 5 - 2.0).reshape(9, 10, 8)
found = tenfold.dist.contract("iab,ajb->ji", world.from_array(a), world.from_array(b if world.rank == 0 else None, 0))
wanted = (a[:, :, None] * b[None]).sum((1, 3)).T  # without BLAS
if not (found[...] == wanted).all() or found.norm() != (wanted ** 2).sum() ** 0.5:
    sys.exit("a contraction is wrong")
if world.rank == 0:
    print("tenfold.dist", tenfold.__version__, "is right on", world.size, "ranks")
