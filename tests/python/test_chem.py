"""tenfold.chem: FCIDUMP files, blocks of integrals, pairs, DIIS, the example, and the examples of docs/chemistry.md."""
import contextlib
import doctest
import gzip
import io
import itertools
import lzma
import os
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

import tenfold
from documents import FLAGS, SOURCE
from tenfold import chem
from tenfold.chem import _integrals

WATER = os.path.join(SOURCE, "tests", "apps", "data", "h2o_sto3g.FCIDUMP")
EXAMPLES = os.path.join(SOURCE, "python", "examples")


def read_plainly(file):
    """Constant, h and g of a file, line by line."""
    with open(file) as lines:
        header, body = re.split(r"&END|/", lines.read(), maxsplit=1)
    n = int(re.search(r"NORB\s*=\s*(\d+)", header)[1])
    constant, h, g = 0.0, np.zeros((n, n)), np.zeros((n, n, n, n))
    for value, p, q, r, s in (line.split() for line in body.split("\n") if line.strip()):
        value, p, q, r, s = float(value), *(int(one) - 1 for one in (p, q, r, s))
        if r >= 0:
            for (a, b), (c, d) in itertools.product(((p, q), (q, p)), ((r, s), (s, r))):
                g[a, b, c, d] = g[c, d, a, b] = value
        elif q >= 0:
            h[p, q] = h[q, p] = value
        elif p < 0:
            constant = value
    return constant, h, g


class Files(unittest.TestCase):
    def setUp(self):
        self.integrals = chem.read_fcidump(WATER)

    def test_integrals(self):
        constant, h, g = read_plainly(WATER)
        all = self.integrals
        self.assertEqual((all.orbitals, all.electrons, all.spin, all.constant), (7, 10, 0, constant))
        self.assertEqual(len(all.symmetries), 7)
        np.testing.assert_array_equal(all[:, :, :, :], g)
        np.testing.assert_array_equal(all[:, :], h)
        self.assertEqual(all[3, 1, 2, -7], g[3, 1, 2, 0])
        np.testing.assert_array_equal(all[2:5, 3, :2, 4:4], g[2:5, 3, :2, 4:4])
        for wrong in (0, 1, 2), (0, 7), (slice(None, None, 2), 0), ("a", 0):
            with self.assertRaises((IndexError, TypeError), msg=str(wrong)):
                all[wrong]

    def test_closed_shell(self):
        _, h, g = read_plainly(WATER)
        hf = self.integrals.closed_shell()
        self.assertEqual((hf.occupied, hf.virtuals, sorted(hf.order)), (5, 2, list(range(7))))
        self.assertAlmostEqual(hf.energy, -74.942079928192, delta=1e-9)
        self.assertLess(hf.largest_coupling, 1e-6)
        order = np.array(hf.order)
        ordered = self.integrals.ordered(hf.order)
        self.assertEqual((ordered.orbitals, ordered.order), (7, hf.order))
        np.testing.assert_array_equal(ordered[5:, :5, 5:, :5], g[np.ix_(order, order, order, order)][5:, :5, 5:, :5])
        o = order[:5]
        fock = h + 2 * np.einsum("pqkk->pq", g[:, :, o][:, :, :, o]) - np.einsum("pkkq->pq", g[:, o][:, :, o])
        np.testing.assert_allclose(hf.fock, fock[np.ix_(order, order)], atol=1e-12)
        np.testing.assert_array_equal(self.integrals.ordered([3, 3])[:, :], h[3, 3])
        with self.assertRaises(tenfold.InvalidError):
            self.integrals.ordered([7])

    def test_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "FCIDUMP")
            with open(file, "w") as lines:
                lines.write("&FCI NORB=2,NELEC=2,MS2=0 &END\n 0.5 1 1 9 1\n")
            with self.assertRaisesRegex(tenfold.FileError, "line 2.*9"):
                chem.read_fcidump(file)
            with self.assertRaises(OSError):
                chem.read_fcidump(os.path.join(folder, "none"))
            with open(file, "w") as lines:
                lines.write("&FCI NORB=2,NELEC=3,MS2=1 &END\n 0.5 1 1 1 1\n 0.5 2 2 2 2\n 0.1 1 1 0 0\n 0 0 0 0 0\n")
            odd = chem.read_fcidump(file)
            self.assertEqual((odd.spin, odd.orbital_energies), (1, None))
            with self.assertRaises(tenfold.InvalidError):
                odd.closed_shell()


    def test_open_files(self):
        with open(WATER, "rb") as file:
            text = file.read()
            file.seek(0)
            for one in file, io.BytesIO(text), gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(text))):
                np.testing.assert_array_equal(chem.read_fcidump(one)[:, :], self.integrals[:, :])
        with self.assertRaisesRegex(tenfold.FileError, "^'BytesIO', line 1: "):
            chem.read_fcidump(io.BytesIO(b"no FCIDUMP"))
        with self.assertRaisesRegex(TypeError, "binary mode"):
            chem.read_fcidump(io.StringIO("&FCI"))
        with self.assertRaises(ZeroDivisionError):
            chem.read_fcidump(mock.Mock(read=lambda size: 1 // 0))

    def test_compressed(self):
        """By the library, and by Python's modules where its build has no zlib and liblzma, as in wheels."""
        with open(WATER, "rb") as file:
            text = file.read()
        absent = mock.patch.object(_integrals.engine, "read_fcidump", side_effect=tenfold.UnsupportedError)
        with tempfile.TemporaryDirectory() as folder:
            for module in gzip, lzma:
                file, cut = os.path.join(folder, module.__name__), os.path.join(folder, "cut")
                packed = module.compress(text)
                damaged = packed[:40] + bytes(40) + packed[80:]
                for path, content in (file, packed), (cut, packed[:-30]), (cut + "0", damaged):
                    with open(path, "wb") as target:
                        target.write(content)
                for context in contextlib.nullcontext(), absent:
                    with self.subTest(module=module.__name__, context=str(context)), context:
                        np.testing.assert_array_equal(chem.read_fcidump(file)[:, :], self.integrals[:, :])
                        with self.assertRaisesRegex(tenfold.FileError, f"^'{cut}': .* too early: it was cut short"):
                            chem.read_fcidump(cut)
                        with self.assertRaisesRegex(tenfold.FileError, f"^'{cut}0'"):
                            chem.read_fcidump(cut + "0")


class Pairs(unittest.TestCase):
    def test_both_kinds(self):
        x = np.random.default_rng(7).integers(-9, 9, (3, 4, 4, 2)).astype("f8")
        rows, columns = np.tril_indices(4)
        swapped = x.transpose(0, 2, 1, 3)
        for given in x, np.asfortranarray(x), x.astype("f4"), x[::-1]:
            plus = chem.pack_pairs(given, 1)
            minus = chem.pack_pairs(given, axis=-3, antisymmetric=True)
            there = np.array(given, "f8")
            swapped = there.transpose(0, 2, 1, 3)
            np.testing.assert_array_equal(plus, (there + swapped)[:, rows, columns])
            below = np.tril_indices(4, -1)
            np.testing.assert_array_equal(minus, (there - swapped)[(slice(None), *below)])
            out = np.zeros(x.shape)
            self.assertIs(chem.unpack_pairs(plus, out, 1), out)
            chem.unpack_pairs(minus, out, -3, antisymmetric=True)
            np.testing.assert_array_equal(out, there)
        del x, given
        self.assertEqual(plus.sum(), plus.copy().sum())  # it keeps its memory
        for wrong in (lambda: chem.pack_pairs(out, 0), lambda: chem.pack_pairs(out, 3),
                      lambda: chem.unpack_pairs(plus, out, 1, antisymmetric=True)):
            with self.assertRaises(tenfold.InvalidError):
                wrong()
        with self.assertRaises(TypeError):
            chem.pack_pairs(out * 1j)
        with self.assertRaises(TypeError):
            chem.unpack_pairs(plus, out.astype("f4"), 1)


class Extrapolation(unittest.TestCase):
    def test_linear_equations(self):
        """It solves n linear equations within n + 1 iterations, as every Krylov method does."""
        generator = np.random.default_rng(7)
        matrix, wanted = np.eye(6) * 4 + generator.random((6, 6)), generator.random(6)
        x, y = np.zeros(4), np.zeros((1, 2))
        accelerate = chem.DIIS(8)
        for _ in range(8):
            error = (wanted - matrix @ np.concatenate([x, y[0]])) / 4
            x += error[:4]
            y += error[None, 4:]
            accelerate.extrapolate([x, y], [error[:4], error[None, 4:]])
        self.assertLess(np.abs(matrix @ np.concatenate([x, y[0]]) - wanted).max(), 1e-7)

    def test_arguments(self):
        x = np.ones(3)
        chem.DIIS(0).extrapolate([x], [x])
        accelerate = chem.DIIS(2)
        for _ in range(3):
            accelerate.extrapolate([x], [x / 3])
        self.assertLessEqual(len(accelerate), 2)
        products = []
        weighted = chem.DIIS(2, inner=lambda a, b: products.append((a, b)) or 2 * a @ b)
        weighted.extrapolate([x], [x])
        self.assertEqual(len(products), 1)
        with self.assertRaisesRegex(ValueError, "1 tensors, 2 errors"):
            accelerate.extrapolate([x], [x, x])
        with self.assertRaisesRegex(TypeError, "not list"):
            accelerate.extrapolate([[1.0]], [x])
        unfinished = np.full(3, np.nan)
        chem.DIIS(3).extrapolate([x], [unfinished])
        self.assertEqual(x.tolist(), np.ones(3).tolist())


class Documents(unittest.TestCase):
    def test_example(self):
        """The energies over spin orbitals by plain loops, as the example in C++ is tested."""
        sys.path.insert(0, EXAMPLES)
        from lccd import in_one_process
        found = in_one_process(WATER)
        plain = subprocess.run([sys.executable, os.path.join(SOURCE, "tests", "apps", "data", "spin_orbital_lccd"),
                                WATER], capture_output=True, text=True, check=True).stdout
        wanted = {name: float(value) for name, value in re.findall(r"(\w+) (-\S+)", plain)}
        for name, value in (("MP2", found[0]), ("MP3", found[1]), ("LCCD", found[-1])):
            self.assertAlmostEqual(value, wanted[name], delta=1e-10)

    def test_page(self):
        folder = os.getcwd()
        os.chdir(SOURCE)
        try:
            failed, tried = doctest.testfile(os.path.join(SOURCE, "docs", "chemistry.md"), module_relative=False,
                                             optionflags=FLAGS)
        finally:
            os.chdir(folder)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 10)

    def test_everything_is_documented(self):
        with open(os.path.join(SOURCE, "docs", "chemistry.md")) as file:
            page = file.read()
        for name in chem.__all__:
            self.assertTrue(getattr(chem, name).__doc__, name)
            self.assertIn(name, page)


if __name__ == "__main__":
    unittest.main()
