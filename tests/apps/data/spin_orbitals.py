"""The FCIDUMP that the command line names, over spin orbitals in plain loops: for programs that compute energies
by equations that Tenfold does not use. The first orbitals are occupied, and those of converged Hartree-Fock.
"""
import itertools
import re
import sys

with open(sys.argv[1]) as file:
    header, _, body = file.read().partition("&END")
n, electrons = (int(re.search(name + r"\s*=\s*(\d+)", header)[1]) for name in ("NORB", "NELEC"))
g, h, constant = {}, {}, 0.0
for line in body.split("\n"):
    if not line.strip():
        continue
    x, p, q, r, s = float(line.split()[0]), *(int(index) - 1 for index in line.split()[1:])
    if r >= 0:
        for a, b in ((p, q), (q, p)):
            for c, d in ((r, s), (s, r)):
                g[a, b, c, d] = g[c, d, a, b] = x
    elif q >= 0:
        h[p, q] = h[q, p] = x
    elif p < 0:
        constant = x

# Spin orbital x: spatial orbital x // 2, spin x % 2.
occupied, virtual = range(electrons), range(electrons, 2 * n)
everything = range(2 * n)


def total(*ranges):
    return itertools.product(*ranges)


def coulomb(p, q, r, s):  # (pq|rs)
    return g.get((p // 2, q // 2, r // 2, s // 2), 0.0) if p % 2 == q % 2 and r % 2 == s % 2 else 0.0


# <pq||rs>
V = {(p, q, r, s): coulomb(p, r, q, s) - coulomb(p, s, q, r) for p, q, r, s in total(*4 * [everything])}
f = {(p, q): (h.get((p // 2, q // 2), 0.0) if p % 2 == q % 2 else 0.0) + sum(V[p, m, q, m] for m in occupied)
     for p in everything for q in everything}
hf = constant + sum(f[i, i] - 0.5 * sum(V[i, j, i, j] for j in occupied) for i in occupied)
