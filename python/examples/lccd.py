"""Closed-shell MP2, MP3 and LCCD correlation energies from an FCIDUMP file:

    python3 lccd.py FCIDUMP
    mpirun -n 2 python3 lccd.py FCIDUMP ranks       # with distributed tensors

i j k l are occupied orbitals of Hartree-Fock, a b c d virtual ones, t[a,b,i,j] is t_ij^ab. LCCD is coupled cluster with
doubles, without the terms that are quadratic in them (R. J. Bartlett, Annu. Rev. Phys. Chem. 32, 359 (1981)).
"""
import sys

import numpy as np
from tenfold import chem


def energies(file, contract, block, tensor, divide, most_iterations=100, tolerance=1e-11):
    """The energies of iteration 1 (MP2), 2 (MP3), .. in hartree; the last one is LCCD's."""
    integrals = chem.read_fcidump(file)
    hf = integrals.closed_shell()
    g = integrals.ordered(hf.order)  # occupied orbitals first
    o, v = slice(hf.occupied), slice(hf.occupied, None)
    vovo, vvoo, vvvv, oooo = (block(g, index) for index in ((v, o, v, o), (v, v, o, o), (v, v, v, v), (o, o, o, o)))
    e = np.diagonal(hf.fock)
    gaps = tensor(e[o] + e[o, None] - e[v, None, None] - e[v, None, None, None])
    l = contract("abij=2*aibj", vovo)
    contract("abij-=biaj", vovo, out=l)  # 2 (ai|bj) - (bi|aj)
    accelerate = chem.DIIS(8)
    t, found = divide(contract("abij=aibj", vovo), gaps), []
    while len(found) < most_iterations:
        found.append(float(contract("=abij*abij", l, t)[()]))
        r = contract("abij=aibj", vovo)
        contract("abij+=acbd*cdij", vvvv, t, out=r)
        contract("abij+=kilj*abkl", oooo, t, out=r)
        x = contract("abij=2*aick*cbkj", vovo, t)  # what is added with (a,i) and (b,j) exchanged, too
        contract("abij-=aick*bckj", vovo, t, out=x)
        contract("abij-=acki*cbkj", vvoo, t, out=x)
        contract("abij-=bcki*ackj", vvoo, t, out=x)
        contract("abij+=abij", x, out=r)
        contract("abij+=baji", x, out=r)
        update = divide(r, gaps)
        contract("abij-=abij", t, out=update)
        contract("abij+=abij", update, out=t)
        accelerate.extrapolate([t], [update])  # from the second call on it changes t
        if float(contract("=abij*abij", update, update)[()]) < tolerance**2:
            return found
    raise RuntimeError(f"no convergence in {most_iterations} iterations")


def in_one_process(file):
    import tenfold
    return energies(file, tenfold.contract, lambda g, index: g[index], np.asarray, np.divide)


def on_ranks(file, world):
    import tenfold.dist
    return energies(file, tenfold.dist.contract, lambda g, index: g.distributed(world, index), world.from_array,
                    lambda x, y: x.map(np.divide, y))


if __name__ == "__main__":
    rank = 0
    if "ranks" in sys.argv[2:]:
        from tenfold.dist import World
        everyone = World()
        rank, found = everyone.rank, on_ranks(sys.argv[1], everyone)
    else:
        found = in_one_process(sys.argv[1])
    if rank == 0:
        print(f"MP2  {found[0]:.12f}\nMP3  {found[1]:.12f}\nLCCD {found[-1]:.12f} in {len(found)} iterations")
