"""What quantum chemistry programs need beside contractions. See docs/chemistry.md.

    from tenfold import chem
    integrals = chem.read_fcidump("FCIDUMP.xz")
    hf = integrals.closed_shell()
    g = integrals.ordered(hf.order)                   # occupied orbitals first
    o, v = slice(hf.occupied), slice(hf.occupied, None)
    vovo = g[v, o, v, o]                              # (ai|bj), an array
    vvvv = g.distributed(world, (v, v, v, v))         # (ab|cd), on many ranks

All numbers are float64, energies are in hartree, and orbitals count from 0.
"""
from ._diis import DIIS
from ._integrals import ClosedShell, Integrals, OrderedIntegrals, read_fcidump
from ._pairs import pack_pairs, unpack_pairs

__all__ = ["ClosedShell", "DIIS", "Integrals", "OrderedIntegrals", "pack_pairs", "read_fcidump", "unpack_pairs"]
