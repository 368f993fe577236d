"""The type stubs, by mypy: they fit the package, and typed code that uses it passes, or fails where it should."""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import tenfold

NEEDS = ("mypy",)
GOOD = """
import numpy as np
import numpy.typing as npt
import tenfold
import tenfold.torch
a = np.ones((2, 3))
b: npt.NDArray[np.float64] = tenfold.transpose(a, (1, 0))
tenfold.einsum("ij,jk->ik", a, b, out=np.zeros((2, 2)), optimize=[(0, 1)], order="C")
p: tenfold.Plan = tenfold.plan("ij,jk->ik", a, tenfold.conj(b), threads=1)
p(a, b, alpha=2, beta=0.5, out=np.zeros((2, 2)))
size: int = p.workspace_size
with tenfold.settings(threads=2, reproducible=True) as context:
    isa: str = context.isa
rates: dict[str, float] = tenfold.calibrate(1, threads=2, file="rates.json")["rates"]
try:
    tenfold.contract("ik=ij*jk", a, b, alpha=1j)
except tenfold.InvalidError as error:
    code: str = error.code
"""
GOOD_ON_RANKS = """
import io
import numpy as np
import tenfold.dist as dist
from tenfold import chem
world = dist.World()
a: dist.Tensor = world.from_array(np.ones((2, 3)), root=0, distribution=dist.Distribution.block((2, 3), world.size))
b = a.map(np.square, out=a).map(lambda i, j, x: i + j + x, indices=True).fill(lambda offsets, block: block.fill(offsets[0]))
c = dist.contract("ij=ik*jk", a, dist.conj(b), alpha=2, grid=(1, 2, 1, 1), memory_per_rank=10**6, ranks_per_node=world.ranks_per_node)
c[0, ::2] = 3.0
length: float = dist.plan("ij=ik*kj", (3, 4), (4, 5), ranks=64).summary["flops"] + c.norm()
t: dist.Tensor = dist.load_hdf5(world, "file", "T")
both: dict[str, dist.Tensor] = dist.load(world, "file", ["T"])
report = dist.Report()
dist.contract("ij=ji", a, report=report)
took: float = report.steps[0].seconds if report.plan is None else report.seconds
with dist.Trace(world) as trace, a.writing() as block:
    block[...] = trace.totals().idle
copy: int | None = a.distribution.copy_of(0)
d: dist.Tensor = dist.combine([(0.5, a), (-1, b)], out=c).axpy(2, a).scale(0.1).fill_uniform(7)
dist.transpose("ab=ba", a, d, of=np.s_[0:1, :], to=np.s_[:, 0:1], alpha=-1)
values, (rows, columns) = d.largest(3, where=lambda at: at[0] != at[1])
d.add_elements((rows, columns), d.read_elements((rows, columns)))
d.import_boxes([(np.s_[0:1, :], np.ones(3))])
half = world.split(world.rank % 2)
if half is not None:
    a.copy_to_part(half.zeros((2, 3)))
node: int = world.split_by_node().size
world.for_each_task(3, lambda task: d.local[task], costs=[1, 2, 3])
packed: dist.Tensor = dist.unpack_pairs(dist.pack_pairs(a, antisymmetric=True), a, axis=0)
parts = d.export_boxes([np.s_[0:1], ...])
integrals = chem.read_fcidump("FCIDUMP")
chem.read_fcidump(io.BytesIO(b"&FCI"))
hf = integrals.closed_shell()
g: chem.OrderedIntegrals = integrals.ordered(hf.order)
o, v = slice(hf.occupied), slice(hf.occupied, None)
vvvv: dist.Tensor = g.distributed(world, (v, v, v, v))
block = np.zeros((hf.virtuals, hf.virtuals, 2))
accelerate = chem.DIIS(8)
accelerate.extrapolate([block], [block])
accelerate.extrapolate([vvvv], [vvvv])
chem.unpack_pairs(chem.pack_pairs(g[v, v]), block, antisymmetric=False)
energy: float = integrals.constant + hf.energy
matrix = dist.BlockCyclic.from_descriptor([1, 0, 2, 3, 1, 1, 0, 0, 1], (1, 1), (0, 0))
d.import_block_cyclic(matrix, d.export_block_cyclic(matrix))
predicted: float = dist.Program("").plan({"o": 2}, 4, repetitions=1).seconds
r: dist.Tensor = dist.Program.read("mine").run(world, {"A": a, "e": np.ones(2), "s": 2}).tensors["R"]
spread: dist.Distribution = dist.plan_layouts(["R[a]=A[a]"], {"R": (2,), "A": (2,)}, 2).distributions["R"]
"""
BAD_ON_RANKS = """
import tenfold.dist as dist
dist.World(colour=1)
size: str = dist.World().rank
dist.contract("ij=ji", [1, 2])
"""
BAD = """
import tenfold
tenfold.settings(colour=1)
size: str = tenfold.plan("ij->ji").workspace_size
tenfold.einsum("ij", order=7)
"""


class Stubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.mkdtemp()  # with what mypy keeps for the next run
        cls.addClassCleanup(shutil.rmtree, cls.place)

    def mypy(self, text):
        """Checks a program, and the stubs that it imports."""
        file = os.path.join(self.place, "program.py")
        with open(file, "w") as program:
            program.write(text)
        run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", self.place, file], text=True,
                             env={**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(tenfold.__file__))},
                             capture_output=True)
        return run.returncode, run.stdout

    def test_typed_code(self):
        code, text = self.mypy(GOOD)
        self.assertEqual(code, 0, text)
        code, text = self.mypy(BAD)
        self.assertEqual(code, 1)
        for line in 3, 4, 5:
            self.assertIn(f"program.py:{line}: error", text)

    def test_typed_code_on_ranks(self):
        code, text = self.mypy(GOOD_ON_RANKS)
        self.assertEqual(code, 0, text)
        code, text = self.mypy(BAD_ON_RANKS)
        self.assertEqual(code, 1)
        for line in 3, 4, 5:
            self.assertIn(f"program.py:{line}: error", text)

    def test_stubs_have_all_names(self):
        folder = os.path.dirname(tenfold.__file__)
        with tempfile.NamedTemporaryFile("w") as allowed:
            # The metaclass is pybind11's; torch and MPI may be missing.
            allowed.write("tenfold.Context\ntenfold.Operand\ntenfold.torch\ntenfold.dist.BlockCyclic\n"
                          "tenfold.dist.Distribution\n")
            if importlib.util.find_spec("tenfold._dist") is None:
                allowed.write("tenfold.dist\n")
            allowed.flush()
            run = subprocess.run([sys.executable, "-m", "mypy.stubtest", "--concise", "tenfold",
                                  "--ignore-missing-stub", "--allowlist", allowed.name,
                                  "--ignore-unused-allowlist"],
                                 env={**os.environ, "MYPYPATH": os.path.dirname(folder)}, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
