"""contract(), plans, tensordot(), matmul(), transpose() and contexts."""
import asyncio
import os
import pathlib
import tempfile
import threading
import unittest
from xml.etree import ElementTree

import numpy
import tenfold

from arrays import FLOATS, integers, operands_of


class Contract(unittest.TestCase):
    def test_notations(self):
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        for expression in "ik=ij*jk", "ij,jk->ik", "ik-ij-jk", "C[x,z]=A[x,y]*B[y,z]", "[0,2]=[0,1]*[1,2]":
            with self.subTest(expression=expression):
                numpy.testing.assert_array_equal(tenfold.contract(expression, a, b), a @ b)
        numpy.testing.assert_array_equal(tenfold.contract(a, [0, 1], b, [1, 2]), a @ b)
        numpy.testing.assert_array_equal(tenfold.contract("il=(ij*jk)*kl", a, b, b.T), a @ b @ b.T)
        numpy.testing.assert_array_equal(tenfold.contract("ik=-2*ij*jk", a, b), -2 * (a @ b))

    def test_alpha_and_beta(self):
        for dtype in FLOATS:
            with self.subTest(dtype=dtype):
                a, b, c = integers((3, 4), dtype), integers((4, 5), dtype, 1), integers((3, 5), dtype, 2)
                out = c.copy()
                self.assertIs(tenfold.contract("ik=ij*jk", a, b, out=out, alpha=2, beta=3), out)
                numpy.testing.assert_array_equal(out, 2 * (a @ b) + 3 * c)
                out = c.copy()
                tenfold.contract("ik+=ij*jk", a, b, out=out)
                numpy.testing.assert_array_equal(out, a @ b + c)
                tenfold.contract("ik-=ij*jk", a, b, out=out)
                numpy.testing.assert_array_equal(out, c)
                found = tenfold.contract("ik=ij*jk", a, tenfold.conj(b), c=tenfold.conj(c), beta=2)
                numpy.testing.assert_array_equal(found, a @ b.conj() + 2 * c.conj())
                self.assertEqual(found.dtype, numpy.dtype(dtype))
        found = tenfold.contract("ik=ij*jk", a, b, alpha=1 + 2j)
        numpy.testing.assert_array_equal(found, (1 + 2j) * (a @ b))

    def test_mistakes(self):
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        for settings, kind in (({"beta": 1}, ValueError), ({"alpha": 1j}, TypeError), ({"colour": 1}, TypeError),
                               ({"algorithm": "quick"}, ValueError), ({"out": numpy.zeros((3, 4))}, ValueError),
                               ({"out": numpy.zeros((3, 5), "f4")}, TypeError), ({"out": [1]}, TypeError),
                               ({"c": numpy.zeros((3, 5), "c16"), "beta": 1}, TypeError),
                               ({"threads": -1}, ValueError), ({"workspace_limit": -1}, ValueError)):
            with self.subTest(settings=settings), self.assertRaises(kind):
                tenfold.contract("ik=ij*jk", a, b, **settings)
        with self.assertRaises(ValueError):
            tenfold.contract("ik+=ij*jk", a, b)
        with self.assertRaises(ValueError):
            tenfold.contract("ik=ij*jk", a, b, out=a[:, :0])
        with self.assertRaises(ValueError):
            tenfold.contract("ii=i", a[0], diagonal_output=True)
        square = integers((4, 4))
        with self.assertRaises(tenfold.InvalidError) as caught:
            tenfold.contract("ik=ij*jk", square, square, out=square)
        self.assertEqual(caught.exception.code, "overlap")

    def test_options(self):
        a, b = integers((30, 40)), integers((40, 50), seed=1)
        for settings in ({"algorithm": "reference"}, {"threads": 1}, {"workspace_limit": 1 << 20},
                         {"reproducible": True}, {"tuning": "estimate"}, {"backend": "native"}):
            with self.subTest(settings=settings):
                numpy.testing.assert_array_equal(tenfold.contract("ik=ij*jk", a, b, **settings), a @ b)
        numpy.testing.assert_array_equal(tenfold.contract("ij=ij*ij", a, a[:1], broadcast=True), a * a[:1])
        out = numpy.full((3, 3), 7.0)
        tenfold.contract("ii=i", numpy.arange(3.0), out=out, diagonal_output=True)
        numpy.testing.assert_array_equal(out, [[0, 7, 7], [7, 1, 7], [7, 7, 2]])

    def test_types(self):
        a = integers((3, 4), "i8")
        found = tenfold.contract("ik=ij*kj", a, a)
        self.assertEqual(found.dtype, numpy.float64)
        numpy.testing.assert_array_equal(found, a @ a.T)
        half = a.astype("f2")
        self.assertEqual(tenfold.contract("ik=ij*kj", half, half).dtype, numpy.float32)
        self.assertEqual(tenfold.contract("ik=ij*kj", half, a.astype("c8")).dtype, numpy.complex64)
        with self.assertRaises(TypeError):
            tenfold.contract("ik=ij*kj", a.astype("g"), a)


    def test_integers(self):
        """int8, uint8 and int32 give int32, modulo 2**32."""
        for left, right in (("i1", "i1"), ("i1", "u1"), ("u1", "i1"), ("u1", "u1"), ("i4", "i4"), ("i4", "i1"), ("u1", "i4")):
            with self.subTest(left=left, right=right):
                a, b = abs(integers((30, 40), left)), integers((40, 20), "i4", 1).astype(right)
                wanted = a.astype("i4") @ b.astype("i4")
                found = tenfold.contract("ik=ij*jk", a, b)
                self.assertEqual(found.dtype, numpy.int32)
                numpy.testing.assert_array_equal(found, wanted)
                numpy.testing.assert_array_equal(tenfold.contract("ki=ij*jk", a[::-1], b), wanted[::-1].T)
                out = numpy.full((30, 20), 3, "i4")
                tenfold.contract("ik=ij*jk", a, b, out=out, alpha=-2, beta=5)
                numpy.testing.assert_array_equal(out, 15 - 2 * wanted)
                numpy.testing.assert_array_equal(tenfold.contract("ik=ij*jk", a, b, c=out[::-1], beta=1),
                                                 wanted + out[::-1])
                plan = tenfold.plan("ij,jk->ik", a, b)
                if right == left != "u1":
                    numpy.testing.assert_array_equal(plan(a, b), wanted)
                    numpy.testing.assert_array_equal(plan(a, b, out=out, beta=1, c=wanted), 2 * wanted)
                numpy.testing.assert_array_equal(tenfold.contract("i=ij", a), a.sum(1, "i4"))
                three = tenfold.contract("il=ij*jk*kl", a, b, integers((20, 3), "i1"))
                numpy.testing.assert_array_equal(three, wanted @ integers((20, 3), "i4"))
        large = numpy.full(70000, 127, "i1")
        self.assertEqual(tenfold.contract("i,i->", large, large), 70000 * 127 ** 2)
        two = numpy.full(70000, 2, "i1")
        self.assertEqual(tenfold.contract("i,i,i->", large, large, two), 2 * 70000 * 127 ** 2 - 2 ** 32)
        a = integers((3, 4), "i4")
        with self.assertRaises(tenfold.TypeMismatchError):
            tenfold.contract("ik=ij*kj", a, a, alpha=0.5)
        with self.assertRaisesRegex(TypeError, "c of float64 does not become int32"):
            tenfold.contract("ik=ij*kj", a, a, c=numpy.zeros((3, 3)), beta=1)
        self.assertEqual(tenfold.contract("ik=ij*kj", a, a, out=numpy.zeros((3, 3))).dtype, numpy.float64)
        self.assertEqual(tenfold.contract("ik=ij*kj", a, a.astype("i8")).dtype, numpy.float64)
        swapped = a.astype(">i4")
        found = tenfold.contract("ik=ij*kj", swapped, a)
        self.assertEqual(found.dtype, numpy.int32)
        numpy.testing.assert_array_equal(found, a @ a.T)
        numpy.testing.assert_array_equal(tenfold.plan("ij,kj->ik", a, a)(swapped, swapped), a @ a.T)


class Plans(unittest.TestCase):
    def test_calls(self):
        for dtype in FLOATS:
            with self.subTest(dtype=dtype):
                a, b, c = integers((3, 4), dtype), integers((4, 5), dtype, 1), integers((3, 5), dtype, 2)
                plan = tenfold.plan("ij,jk->ik", a, b)
                numpy.testing.assert_array_equal(plan(a, b), a @ b)
                self.assertEqual(plan(a, b).dtype, numpy.dtype(dtype))
                out = c.copy()
                self.assertIs(plan(a, b, out=out, alpha=2, beta=1), out)
                numpy.testing.assert_array_equal(out, 2 * (a @ b) + c)
                numpy.testing.assert_array_equal(plan(a, b, c=c, beta=-1), a @ b - c)
        numpy.testing.assert_array_equal(tenfold.plan("ik=ij*jk", a, tenfold.conj(b))(a, tenfold.conj(b)), a @ b.conj())
        self.assertEqual(tenfold.plan("ij->", a)(a), a.sum())

    def test_descriptions(self):
        a, b = integers((60, 70)), integers((70, 80), seed=1)
        plan = tenfold.plan("ij,jk,kl->il", a, b, b.T, optimize=[(0, 1), (0, 1)])
        self.assertEqual(plan.path[0], (0, 1))
        self.assertEqual(len(plan.path), 2)
        self.assertIn("ij,jk,kl->il", repr(plan))
        self.assertIn("float64[60, 70]", repr(plan))
        plan = tenfold.plan("ij,jk->ik", a, b)
        self.assertIn("chosen", plan.explain())
        self.assertEqual(plan.explain().splitlines()[0], tenfold.explain("ij,jk->ik", a, b).splitlines()[0])
        summary = plan.summary
        self.assertEqual((summary["m"], summary["n"], summary["k"]), (60, 80, 70))
        self.assertEqual(summary["workspace_bytes"], plan.workspace_size)

    def test_trees_for_notebooks(self):
        arrays = operands_of("ab,bc,cd,de,ee->ae")
        plan = tenfold.plan("ab,bc,cd,de,ee->ae", *arrays, optimize=[(2, 3), (1, 3), (1, 2), (0, 1)])
        svg, _, text = plan._repr_html_().partition("<pre>")
        self.assertIn("input 4", text)
        nodes = [node.tag.rpartition("}")[2] for node in ElementTree.fromstring(svg)]
        self.assertEqual(nodes.count("rect"), 5 + 4)  # inputs and steps
        self.assertEqual(nodes.count("line"), 2 * 4)
        words = [node.text for node in ElementTree.fromstring(svg)]
        self.assertEqual(sorted(word for word in words if word and word.startswith("input")),
                         [f"input {number}" for number in range(1, 6)])
        self.assertIn("ab", words)
        boxes = [(node.get("x"), node.get("y")) for node in ElementTree.fromstring(svg) if node.tag.endswith("rect")]
        self.assertEqual(len(set(boxes)), len(boxes))
        self.assertNotIn("<svg", tenfold.plan("ab,bc->ac", *arrays[:2])._repr_html_())

    def test_workspace(self):
        a, b = integers((60, 70)), integers((70, 80), seed=1)
        plan = tenfold.plan("ij,jk->ki", a, b)
        memory = bytearray(plan.workspace_size + 64)
        numpy.testing.assert_array_equal(plan(a, b, workspace=memory), (a @ b).T)
        with self.assertRaises(BufferError):
            plan(a, b, workspace=bytes(10))
        gaps = numpy.zeros(2 * plan.workspace_size + 128, "u1")
        for workspace in gaps[::2], gaps[::-1], gaps[-1:0:-1]:
            with self.assertRaisesRegex(BufferError, "without gaps"):
                plan(a, b, workspace=workspace)

    def test_other_arrays_are_refused(self):
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        plan = tenfold.plan("ij,jk->ik", a, b)
        for arguments, kind in (((a,), ValueError), ((a, b, b), ValueError), ((a, b[:, ::-1]), ValueError),
                                ((a, b[:, :3]), ValueError), ((a.astype("f4"), b), TypeError), ((a.astype("i4"), b), TypeError),
                                ((tenfold.conj(a), b), ValueError)):
            with self.subTest(shapes=[str(one) for one in arguments]), self.assertRaises(kind):
                plan(*arguments)
        with self.assertRaises(ValueError):
            plan(a, b, out=numpy.zeros((5, 3)).T)
        with self.assertRaises(ValueError):
            plan(a, b, beta=1)
        with self.assertRaises(ValueError):
            tenfold.plan("ik+=ij*jk", a, b, out=numpy.zeros((3, 5)))


class Products(unittest.TestCase):
    def test_tensordot(self):
        a, b = integers((3, 4, 5)), integers((4, 3, 2), seed=1)
        for axes in ([1, 0], [0, 1]), ([0], [1]), (1, 0), ((), ()), ([-2, 0], [0, -2]):
            with self.subTest(axes=axes):
                found = tenfold.tensordot(a, b, axes)
                wanted = numpy.tensordot(a, b, axes)
                self.assertEqual(found.shape, wanted.shape)
                numpy.testing.assert_array_equal(found, wanted)
        for count in range(4):
            other = a.transpose(*range(3 - count, 3), *range(3 - count))
            numpy.testing.assert_array_equal(tenfold.tensordot(a, other, count), numpy.tensordot(a, other, count))
        found = tenfold.tensordot(a, a, 3)
        self.assertEqual(found.shape, ())
        self.assertIsInstance(found, numpy.ndarray)
        for axes, kind in ((1, ValueError), (([0], [0]), ValueError), (([0, 1], [1]), ValueError), (([7], [0]), ValueError)):
            with self.subTest(axes=axes), self.assertRaises(kind):
                tenfold.tensordot(a, b, axes)
        square = integers((3, 3))
        for axes in ([0, 0], [0, 1]), ([0, 1], [1, 1]), ([0, -2], [0, 1]), ([0, 0], [0, 0]):
            for tensordot in numpy.tensordot, tenfold.tensordot:
                with self.subTest(axes=axes, of=tensordot.__module__), self.assertRaises(ValueError):
                    tensordot(square, square, axes)

    def test_matmul(self):
        for left, right in (((3, 4), (4, 5)), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((6, 3, 4), (4, 5)), ((6, 3, 4), (6, 4, 5)),
                            ((2, 1, 3, 4), (6, 4, 5)), ((4,), (6, 4, 5)), ((6, 3, 4), (4,)), ((0, 3), (3, 0))):
            with self.subTest(left=left, right=right):
                a, b = integers(left), integers(right, seed=1)
                found, wanted = tenfold.matmul(a, b), numpy.matmul(a, b)
                self.assertEqual(numpy.shape(found), numpy.shape(wanted))
                numpy.testing.assert_array_equal(found, wanted)
        for left, right in ((), (3,)), ((3, 4), (3, 4)), ((3, 1), (4, 5)), ((2, 3, 4), (3, 4, 5)):
            with self.subTest(left=left, right=right), self.assertRaises(ValueError):
                tenfold.matmul(integers(left), integers(right))
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        for matmul in numpy.matmul, tenfold.matmul:  # as ufuncs take outputs
            out = numpy.zeros((3, 5))
            self.assertIs(matmul(a, b, out), out)
            self.assertIs(matmul(a, b, out=(out,)), out)
            numpy.testing.assert_array_equal(out, a @ b)
            self.assertIs(matmul(a, b, None).dtype, out.dtype)
            with self.assertRaises((TypeError, ValueError)):
                matmul(a, b, out=(out, out))

    def test_transpose(self):
        for dtype in (*FLOATS, "f2", "i4", "?"):
            a = integers((3, 4, 5), dtype)
            for axes in None, (2, 0, 1), [0, -1, 1]:
                with self.subTest(dtype=dtype, axes=axes):
                    found = tenfold.transpose(a, axes)
                    self.assertTrue(found.flags.c_contiguous)
                    self.assertEqual(found.dtype, a.dtype)
                    numpy.testing.assert_array_equal(found, numpy.transpose(a, axes))
        a = integers((3, 4))
        out = integers((4, 3), seed=1)
        wanted = 2 * a.T - out
        self.assertIs(tenfold.transpose(a, out=out, alpha=2, beta=-1), out)
        numpy.testing.assert_array_equal(out, wanted)
        square = integers((4, 4))
        numpy.testing.assert_array_equal(tenfold.transpose(square.copy(), out=square), integers((4, 4)).T)
        tenfold.transpose(square, out=square)
        numpy.testing.assert_array_equal(square, integers((4, 4)))
        self.assertEqual(tenfold.transpose(a, dtype="f4").dtype, numpy.float32)
        for arguments, settings, kind in (((a, (0, 0)), {}, ValueError), ((a, (0, 2)), {}, ValueError), ((a,), {"beta": 1}, ValueError),
                                          ((integers((2, 2), "c8"),), {"dtype": "f4"}, TypeError),
                                          ((a,), {"out": numpy.zeros((3, 4))}, ValueError)):
            with self.subTest(settings=settings), self.assertRaises(kind):
                tenfold.transpose(*arguments, **settings)


class InNumpysPlace(unittest.TestCase):
    def test_patch_numpy(self):
        before = numpy.einsum
        a = integers((3, 4))
        with tenfold.patch_numpy():
            self.assertIs(numpy.einsum, tenfold.einsum)
            with tenfold.patch_numpy():
                numpy.testing.assert_array_equal(numpy.einsum("ij->ji", a), a.T)
            self.assertIs(numpy.tensordot, tenfold.tensordot)
            # What only numpy computes does not come back.
            big = numpy.full(3, 2**62)
            self.assertEqual(numpy.einsum("i,i->", big, big), before("i,i->", big, big))
        self.assertIs(numpy.einsum, before)
        with self.assertRaises(RuntimeError), tenfold.patch_numpy():
            raise RuntimeError
        self.assertIs(numpy.einsum, before)

    def test_opt_einsum(self):
        try:
            import opt_einsum
        except ImportError:
            self.skipTest("no opt_einsum")
        arrays = [integers((3, 4, 5)), integers((4, 3, 6)), integers((5, 6)), integers((6, 6))]
        for expression in "abc,bad,ce,dd->e", "abc,bad,ce,de->ad", "abc,bad,ce,de":
            wanted = numpy.einsum(expression, *arrays)
            found = opt_einsum.contract(expression, *arrays, backend="tenfold")
            numpy.testing.assert_array_equal(found, wanted)


class Contexts(unittest.TestCase):
    def test_version(self):
        self.assertRegex(tenfold.__version__, r"^\d+\.\d+\.\d+$")

    def test_settings(self):
        usual = tenfold.current_context().threads
        with tenfold.settings(threads=3, workspace_limit=1 << 20, calibration="off") as outer:
            self.assertEqual(tenfold.current_context().threads, 3)
            with tenfold.settings(reproducible=True):
                self.assertEqual(tenfold.current_context().settings["threads"], 3)
                self.assertEqual(tenfold.current_context().settings["workspace_limit"], 1 << 20)
                self.assertTrue(tenfold.current_context().settings["reproducible"])
            self.assertIs(tenfold.current_context(), outer)
            a = integers((8, 8))
            numpy.testing.assert_array_equal(tenfold.einsum("ij,jk->ik", a, a), a @ a)
        self.assertEqual(tenfold.current_context().threads, usual)
        self.assertIn("threads", repr(tenfold.Context(threads=2)))
        self.assertTrue(tenfold.current_context().isa)
        self.assertTrue(tenfold.current_context().rates_reason)

    def test_mistakes(self):
        for changes, kind in (({"colour": 1}, TypeError), ({"isa": "mmx"}, ValueError), ({"threads": -2}, ValueError),
                              ({"workspace_limit": -1}, ValueError), ({"threads": "two"}, TypeError)):
            with self.subTest(changes=changes), self.assertRaises(kind):
                tenfold.Context(**changes)

    def test_file_names(self):
        for name in pathlib.Path("some.json"), b"some.json", "some.json":
            self.assertEqual(tenfold.Context(wisdom=name, calibration=name).settings["wisdom"], "some.json")
        odd = os.fsdecode(b"\xff.json")
        self.assertEqual(tenfold.Context(calibration=odd).settings["calibration"], odd)
        for wrong in 3, ["file"], True:
            with self.assertRaises(TypeError):
                tenfold.Context(wisdom=wrong)

    def test_calibrate(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "calibration.json"
            while True:  # until other programs leave the cores alone
                try:
                    found = tenfold.calibrate(seconds=0.01, threads=1, file=file)
                    break
                except tenfold.FileError as error:
                    self.assertIn("is beyond any machine's", str(error))
            self.assertEqual((found["file"], found["threads"], found["isa"]), (str(file), 1, tenfold.current_context().isa))
            self.assertEqual(found["rates"].keys(), found["typical"].keys())
            self.assertGreater(found["rates"]["memory_bandwidth"], 0)
            self.assertEqual(tenfold.Context(threads=1, calibration=file).rates_reason, f"measured with 1 thread, {file}")
        for arguments, kind in (((0,), ValueError), ((float("nan"),), ValueError), ((1e9,), ValueError), ((1, -1), ValueError),
                                ((1, 5000), ValueError), ((1, "2"), TypeError), ((1, 1, 3), TypeError)):
            with self.subTest(arguments=arguments), self.assertRaises(kind):
                tenfold.calibrate(*arguments)

    def test_limits_hold(self):
        a = integers((40, 30, 20))
        with tenfold.settings(workspace_limit=0):
            plan = tenfold.plan("abc,cbd->da", a, a.T)
            self.assertEqual(plan.workspace_size, 0)
            numpy.testing.assert_array_equal(plan(a, a.T), numpy.einsum("abc,cbd->da", a, a.T))

    def test_each_thread_and_task_has_its_own(self):
        seen = {}

        def look(name):
            seen[name] = tenfold.current_context().settings["threads"]

        async def both():
            async def one(count):
                with tenfold.settings(threads=count):
                    await asyncio.sleep(0.001)
                    return tenfold.current_context().threads
            return await asyncio.gather(one(2), one(3))
        usual = tenfold.current_context().threads
        with tenfold.settings(threads=usual + 1):
            thread = threading.Thread(target=look, args=("other",))
            thread.start()
            thread.join()
        self.assertEqual(seen["other"], usual)
        self.assertEqual(asyncio.run(both()), [2, 3])

    def test_wisdom(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "wisdom.json")
            with tenfold.settings(wisdom=file):
                a = integers((20, 20, 20))
                # Other programs may keep the cores so busy that a search seems to take too long.
                while "too long for a search" in tenfold.plan("abc,cbd->da", a, a, tuning="measure").explain():
                    pass
            self.assertTrue(os.path.exists(file))


if __name__ == "__main__":
    unittest.main()
