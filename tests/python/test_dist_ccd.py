"""The example of CCD under mpirun, beside tenfold-ccsd and beside CCD over spin orbitals.

tenfold-ccsd has no CCD. On a ring of equal sites momentum keeps all singles out, so that its CCSD is CCD there.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile
import unittest

import mpi4py  # noqa: F401: skipped where it is missing
import numpy as np

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(SOURCE, "python", "examples")
WATER = os.path.join(SOURCE, "tests", "apps", "data", "h2o_sto3g.FCIDUMP")
sys.path.insert(0, EXAMPLES)
from ccd import read_fcidump  # noqa: E402


def run(*command):
    found = subprocess.run([os.path.join(SOURCE, "tests", "support", "quiet_mpirun"), os.environ["TENFOLD_MPIEXEC"],
                            "2", *command], capture_output=True, text=True)
    if found.returncode:
        raise AssertionError(found.stdout + found.stderr)
    return found.stdout


def energies_by_example(file):
    text = run(sys.executable, os.path.join(EXAMPLES, "ccd.py"), file)
    return {name: float(re.search(rf"{name} +(\S+)", text)[1])
            for name in ("Hartree-Fock energy", "MP2 correlation energy", "CCD correlation energy", "CCD total energy")}


def write_ring(file, sites, repulsion):
    """A Hubbard ring over its real molecular orbitals: sums and differences of waves of opposite momenta."""
    x = np.arange(sites)
    waves = [np.ones(sites)] + [wave(2 * np.pi * k * x / sites) for k in range(1, (sites + 1) // 2)
                                for wave in (np.cos, np.sin)] + [np.cos(np.pi * x)]
    c = np.array([wave / np.linalg.norm(wave) for wave in waves]).T
    hopping = -np.roll(np.eye(sites), 1, 0) - np.roll(np.eye(sites), -1, 0)
    h, g = c.T @ hopping @ c, repulsion * np.einsum("xp,xq,xr,xs->pqrs", c, c, c, c)
    with open(file, "w") as lines:
        lines.write(f"&FCI NORB={sites},NELEC={sites},MS2=0,\n ORBSYM={'1,' * sites}\n ISYM=1,\n&END\n")
        for p, q, r, s in itertools.product(range(sites), repeat=4):
            if p >= q and r >= s and (p, q) >= (r, s) and abs(g[p, q, r, s]) > 1e-14:
                lines.write(f"{g[p, q, r, s]:.16e} {p + 1} {q + 1} {r + 1} {s + 1}\n")
        for p, q in itertools.product(range(sites), repeat=2):
            if p >= q and abs(h[p, q]) > 1e-14:
                lines.write(f"{h[p, q]:.16e} {p + 1} {q + 1} 0 0\n")
        lines.write("0.0 0 0 0 0\n")


def energy_over_spin_orbitals(file):
    """CCD as J. F. Stanton et al., J. Chem. Phys. 94, 4334 (1991), have CCSD, without singles."""
    occupied, _, h, g = read_fcidump(file)
    n = 2 * len(h)
    spin = np.arange(n) % 2
    same = spin[:, None] == spin
    coulomb = np.repeat(np.repeat(np.repeat(np.repeat(g, 2, 0), 2, 1), 2, 2), 2, 3) * same[:, :, None, None] * same
    u = coulomb.transpose(0, 2, 1, 3) - coulomb.transpose(0, 2, 3, 1)
    o, v = slice(2 * occupied), slice(2 * occupied, None)
    e = np.repeat(np.diagonal(h), 2) + np.einsum("pmpm->p", u[:, o, :, o])
    gaps = e[o, None, None, None] + e[o, None, None] - e[v, None] - e[v]  # i j a b
    t, ijab, energy = np.zeros(gaps.shape), u[o, o, v, v], 0.0
    for _ in range(200):
        fae = -0.5 * np.einsum("mnaf,mnef->ae", t, ijab)
        fmi = 0.5 * np.einsum("inef,mnef->mi", t, ijab)
        wmnij = u[o, o, o, o] + 0.25 * np.einsum("ijef,mnef->mnij", t, ijab)
        wabef = u[v, v, v, v] + 0.25 * np.einsum("mnab,mnef->abef", t, ijab)
        wmbej = u[o, v, v, o] - 0.5 * np.einsum("jnfb,mnef->mbej", t, ijab)
        r = np.einsum("ijae,be->ijab", t, fae)
        r = r - r.transpose(0, 1, 3, 2)
        s = np.einsum("imab,mj->ijab", t, fmi)
        r = r - s + s.transpose(1, 0, 2, 3)
        s = np.einsum("imae,mbej->ijab", t, wmbej)
        s = s - s.transpose(0, 1, 3, 2)
        r = r + s - s.transpose(1, 0, 2, 3)
        r = r + ijab + 0.5 * np.einsum("mnab,mnij->ijab", t, wmnij) + 0.5 * np.einsum("ijef,abef->ijab", t, wabef)
        t, before = r / gaps, energy
        energy = 0.25 * np.einsum("ijab,ijab->", t, ijab)
        if abs(energy - before) < 1e-13:
            return energy
    raise AssertionError("no convergence")


class CCD(unittest.TestCase):
    def by_tenfold_ccsd(self, file):
        program = os.environ.get("TENFOLD_CCSD_PROGRAM")
        if not program:
            self.skipTest("tenfold-ccsd is not built")
        text = run(program, file, "--method", "ccsd", "--convergence", "1e-11")
        return {name: float(re.search(rf"{name} +(\S+)", text)[1])
                for name in ("CCSD correlation energy", "MP2 correlation energy")}

    def test_water(self):
        found = energies_by_example(WATER)
        self.assertAlmostEqual(found["CCD correlation energy"], energy_over_spin_orbitals(WATER), delta=1e-8)
        self.assertAlmostEqual(found["Hartree-Fock energy"] + found["CCD correlation energy"],
                               found["CCD total energy"], delta=1e-10)
        theirs = self.by_tenfold_ccsd(WATER)
        self.assertAlmostEqual(found["MP2 correlation energy"], theirs["MP2 correlation energy"], delta=1e-9)
        # Singles of water are small, but they are there.
        self.assertGreater(abs(found["CCD correlation energy"] - theirs["CCSD correlation energy"]), 1e-5)

    def test_ring(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "ring.FCIDUMP")
            write_ring(file, 6, 1.5)
            found, theirs = energies_by_example(file), self.by_tenfold_ccsd(file)
            self.assertAlmostEqual(found["CCD correlation energy"], energy_over_spin_orbitals(file), delta=1e-8)
        self.assertAlmostEqual(found["CCD correlation energy"], theirs["CCSD correlation energy"], delta=1e-8)
        self.assertLess(found["CCD correlation energy"], -0.05)


if __name__ == "__main__":
    unittest.main()
