"""chem_is_right.py PREFIX: tenfold.chem of the package below PREFIX reads an FCIDUMP, plain and packed, packs pairs and
extrapolates. Exits with status 1 where a result is wrong."""
import gzip
import lzma
import os
import sys
import tempfile

import numpy
import tenfold
from tenfold import chem

assert chem.__file__.startswith(sys.argv[1]), chem.__file__
TEXT = b"""&FCI NORB=2,NELEC=2,MS2=0,
&END
0.7 1 1 1 1
0.2 2 1 2 1
0.6 2 2 1 1
0.7 2 2 2 2
-1.3 1 1 0 0
-0.5 2 2 0 0
0.7 0 0 0 0
"""
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "FCIDUMP")
    for pack in bytes, gzip.compress, lzma.compress:
        with open(file, "wb") as target:
            target.write(pack(TEXT))
        integrals = chem.read_fcidump(file)
        assert integrals[1, 0, 0, 1] == 0.2 and integrals[0, 0, 1, 1] == 0.6, pack
        hf = integrals.closed_shell()
        assert abs(hf.energy - (0.7 - 2.6 + 0.7)) < 1e-12 and hf.order == (0, 1), hf
    try:
        chem.read_fcidump(folder)
    except tenfold.FileError as error:
        assert "expected an FCIDUMP" in str(error), error
x = numpy.arange(9.0).reshape(3, 3)
both = numpy.zeros((3, 3))
for antisymmetric in False, True:
    chem.unpack_pairs(chem.pack_pairs(x, antisymmetric=antisymmetric), both, antisymmetric=antisymmetric)
if not (both == x).all():
    sys.exit("pairs are wrong")
accelerate = chem.DIIS(4)
guess = numpy.zeros(2)
for _ in range(4):
    error = (numpy.array([1.0, 2.0]) - guess) * [0.5, 0.25]
    guess += error
    accelerate.extrapolate([guess], [error])
if not numpy.allclose(guess, [1, 2]):
    sys.exit("DIIS is wrong")
print("tenfold.chem", tenfold.__version__, "is right")
