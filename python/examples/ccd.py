"""Closed-shell CCD energies from an FCIDUMP file, with distributed tensors:

    mpirun -n 2 python3 ccd.py FCIDUMP

i j k l are occupied orbitals, a b c d virtual ones, t[a,b,i,j] is t_ij^ab, and integrals are in chemists' notation.
Orbitals are those of restricted Hartree-Fock, occupied ones first. The equations are those of closed-shell CCSD
without singles: S. Hirata, R. Podeszwa, M. Tobita, R. J. Bartlett, J. Chem. Phys. 120, 2581 (2004).
"""
import re
import sys

import numpy as np
from tenfold.dist import World, contract


def read_fcidump(file):
    """The number of occupied orbitals, the constant, h[p,q] and g[p,q,r,s] = (pq|rs)."""
    with open(file) as lines:
        header, integrals = re.split(r"&END|/", lines.read(), maxsplit=1, flags=re.IGNORECASE)
    n, electrons = (int(re.search(rf"{name}\s*=\s*(\d+)", header, re.IGNORECASE)[1]) for name in ("NORB", "NELEC"))
    constant, h, g = 0.0, np.zeros((n, n)), np.zeros((n, n, n, n))
    for line in integrals.split("\n"):
        if not line.strip():
            continue
        value, *places = line.split()
        value, (p, q, r, s) = float(value), (int(one) - 1 for one in places)
        if r >= 0:
            for a, b in ((p, q), (q, p)):
                for c, d in ((r, s), (s, r)):
                    g[a, b, c, d] = g[c, d, a, b] = value
        elif q >= 0:
            h[p, q] = h[q, p] = value
        elif p < 0:
            constant = value
    return electrons // 2, constant, h, g


def ccd(world, file, tolerance=1e-10, most_iterations=100):
    """Energies in hartree: Hartree-Fock's, and the correlation energies of MP2 and CCD."""
    occupied, constant, h, g = read_fcidump(file)
    o, v = slice(occupied), slice(occupied, None)
    fock = h + 2 * np.einsum("pqkk->pq", g[:, :, o, o]) - np.einsum("pkkq->pq", g[:, o, o, :])
    hartree_fock = constant + np.trace((h + fock)[o, o])
    e = np.diagonal(fock)

    foo, fvv = world.from_array(fock[o, o]), world.from_array(fock[v, v])
    vovo, vvoo = world.from_array(g[v, o, v, o]), world.from_array(g[v, v, o, o])
    vvvv, oooo = world.from_array(g[v, v, v, v]), world.from_array(g[o, o, o, o])
    l = contract("aibj=2*aibj", vovo)
    contract("aibj-=biaj", vovo, out=l)
    gaps = world.from_array(e[o] + e[o, None] - e[v, None, None] - e[v, None, None, None])
    t = contract("abij=aibj", vovo).map(np.divide, gaps)
    energies = [contract("=aibj*abij", l, t)[()]]

    for _ in range(most_iterations):
        fo, fv = foo.copy(), fvv.copy()
        contract("ki+=ckdl*cdil", l, t, out=fo)
        contract("ac-=ckdl*adkl", l, t, out=fv)
        w = contract("klij=kilj", oooo)
        contract("klij+=ckdl*cdij", vovo, t, out=w)
        j = contract("akci=aick", vovo)
        contract("akci+=0.5*dlck*adil", l, t, out=j)
        contract("akci-=0.5*dlck*dail", vovo, t, out=j)
        k = contract("akci=acki", vvoo)
        contract("akci-=0.5*cldk*dail", vovo, t, out=k)

        x = contract("abij=ac*cbij", fv, t)  # what is symmetrised with (a,i) <-> (b,j)
        contract("abij-=ki*abkj", fo, t, out=x)
        contract("abij+=2*akci*cbkj", j, t, out=x)
        contract("abij-=akci*cbkj", k, t, out=x)
        contract("abij-=akci*bckj", j, t, out=x)
        contract("abij-=bkci*ackj", k, t, out=x)
        residual = contract("abij=aibj", vovo)
        contract("abij+=abij", x, out=residual)
        contract("abij+=baji", x, out=residual)
        contract("abij+=klij*abkl", w, t, out=residual)
        contract("abij+=acbd*cdij", vvvv, t, out=residual)

        contract("abij+=abij", residual.map(np.divide, gaps), out=t)
        energies.append(contract("=aibj*abij", l, t)[()])
        if abs(energies[-1] - energies[-2]) < tolerance and residual.norm() < 100 * tolerance:
            return hartree_fock, energies[0], energies[-1]
    raise RuntimeError(f"no convergence in {most_iterations} iterations")


if __name__ == "__main__":
    everyone = World()
    hartree_fock, mp2, correlation = ccd(everyone, sys.argv[1])
    if everyone.rank == 0:
        print(f"Hartree-Fock energy    {hartree_fock:18.12f}\nMP2 correlation energy {mp2:18.12f}\n"
              f"CCD correlation energy {correlation:18.12f}\nCCD total energy       {hartree_fock + correlation:18.12f}")
