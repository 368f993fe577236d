"""What einsum() does beside contracting: out, order, dtype, casting, paths, types, errors."""
import random
import unittest
import warnings

import numpy
import tenfold

from arrays import FLOATS, integers, operands_of, view_of

ALL_TYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", "c8", "c16", "G")


def outcome(einsum, *arguments, **settings):
    """The result of a call, or the built-in kind of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", numpy.ComplexWarning)
            return einsum(*arguments, **settings)
    except (TypeError, ValueError, KeyError) as error:
        return next(kind for kind in (TypeError, ValueError, KeyError) if isinstance(error, kind))


class AsNumpy(unittest.TestCase):
    def expect_alike(self, *arguments, **settings):
        wanted = outcome(numpy.einsum, *arguments, **settings)
        found = outcome(tenfold.einsum, *arguments, **settings)
        if isinstance(wanted, type):
            self.assertIs(found, wanted)
        else:
            self.assertNotIsInstance(found, type)
            self.assertEqual(found.dtype, wanted.dtype)
            numpy.testing.assert_array_equal(found, wanted)
        return wanted

    def test_mistakes(self):
        a = numpy.arange(6.0).reshape(2, 3)
        for arguments, settings in (
                ((), {}), (("",), {}), (("ij",), {}), ((0, 0), {}), ((a, 0), {}), (("", 0), {"out": "test"}),
                (("", 0), {"order": "W"}), (("", 0), {"casting": "blah"}),
                (("", 0), {"dtype": "bad_data_type"}), (("", 0), {"bad_arg": 0}), ((None,) * 63, {}),
                (("", 0, 0), {}), ((",", 0, [0], [0]), {}), ((",", [0]), {}), (("i", 0), {}), (("ij", [0, 0]), {}),
                (("...i", 0), {}), (("i...j", [0, 0]), {}), (("i...", 0), {}), (("ij...", [0, 0]), {}),
                (("i..", [0, 0]), {}), ((".i...", [0, 0]), {}), (("j->..j", [0, 0]), {}), (("j->.j...", [0, 0]), {}),
                (("i%...", [0, 0]), {}), (("...j$", [0, 0]), {}), (("i->&", [0, 0]), {}), (("i->ij", [0, 0]), {}),
                (("ij->jij", [[0, 0], [0, 0]]), {}), (("ii", a), {}), (("ii->i", a), {}), (("i", a), {}),
                (("ij,jk", a, a), {}), (("ij,ij", a, a.T), {}), (("i->i", [[0, 1], [0, 1]]), {"out": a}),
                (("ij->ij", a), {"out": numpy.zeros((3, 2))}), (("ij->ij", a), {"out": numpy.zeros((2, 3, 1))}),
                (("ij->", a), {"out": numpy.zeros(1)}), (("...j->j", a), {}), (("...->", a), {}),
                ((a, [0, "a"]), {}), ((a, "ij"), {}), ((a, [0, 1], a), {}), (("ij->ij->ij", a), {}), (("i-j", a), {}),
                ((a, [0, -3]), {}), (("i->i", a[0]), {"order": "d"}), (("i1", a), {}), (("ij->i", a, a), {}),
                ((a, [True, False]), {}),
                (("ij->i", a), {"casting": None}), (("ij->i", a), {"casting": 1}), (("ij->i", a), {"order": b"x"})):
            with self.subTest(arguments=arguments, settings=settings):
                self.assertIsInstance(self.expect_alike(*arguments, **settings), type)

    def test_other_notations_are_refused(self):
        a = numpy.ones((2, 2))
        for expression in "ij=ik*kj", "ij-ik-kj", "C[i]=A[i,k]*B[i,k]", "ij=(ik*kj)":
            with self.subTest(expression=expression), self.assertRaisesRegex(ValueError, "numpy's notation"):
                tenfold.einsum(expression, a, a)
        with self.assertRaisesRegex(ValueError, "numpy's notation"):
            tenfold.einsum("ij+=kj", a)

    def test_strategies_and_paths(self):
        arrays = operands_of("ab,bc,cd,de->ae")
        wanted = numpy.einsum("ab,bc,cd,de->ae", *arrays)
        path = numpy.einsum_path("ab,bc,cd,de->ae", *arrays)[0]
        for optimize in (True, False, None, "greedy", "optimal", path, path[1:], tuple(path[1:]), ("greedy", 100),
                         ("optimal", 1), ("greedy", -1), [(0, 1, 2, 3)], [(2, 3), (0, 1), (0, 1)], ["einsum_path", (1, 2), (0, 1, 2)]):
            with self.subTest(optimize=optimize):
                found = tenfold.einsum("ab,bc,cd,de->ae", *arrays, optimize=optimize)
                numpy.testing.assert_array_equal(found, wanted)
        for optimize, kind in (("fast", KeyError), (7, TypeError), ([], TypeError), ([(0, 9)], ValueError),
                               ([(0, 1)], ValueError), ([(0, 0), (0, 1), (0, 1)], ValueError),
                               (["einsum_path"], ValueError), ([numpy.array([0, 1])], TypeError)):
            with self.subTest(optimize=optimize), self.assertRaises(kind):
                tenfold.einsum("ab,bc,cd,de->ae", *arrays, optimize=optimize)

    def test_einsum_path(self):
        arrays = operands_of("ab,bc,cd,de->ae")
        path, text = tenfold.einsum_path("ab,bc,cd,de->ae", *arrays)
        self.assertEqual(path[0], "einsum_path")
        self.assertEqual(len(path), 4)
        self.assertIn("Optimized FLOP count", text)
        wanted = numpy.einsum("ab,bc,cd,de->ae", *arrays)
        for einsum in numpy.einsum, tenfold.einsum:
            numpy.testing.assert_array_equal(einsum("ab,bc,cd,de->ae", *arrays, optimize=path), wanted)
        self.assertEqual(tenfold.einsum_path("ab,bc,cd,de->ae", *arrays, optimize=False)[0][1:], [(0, 1, 2, 3)])
        given = ["einsum_path", (1, 2), (0, 2), (0, 1)]
        self.assertEqual(tenfold.einsum_path("ab,bc,cd,de->ae", *arrays, optimize=given)[0], given)
        self.assertEqual(tenfold.einsum_path(arrays[0], [0, 1], arrays[1], [1, 2])[0], ["einsum_path", (0, 1)])

    def test_types(self):
        """All pairs of numpy's types give numpy's type and, as these numbers are small, its numbers."""
        for left in ALL_TYPES:
            for right in ALL_TYPES:
                with self.subTest(left=left, right=right):
                    a, b = integers((3, 4), left, 1), integers((4, 2), right, 2)
                    self.expect_alike("ij,jk->ik", a, b)
                    self.expect_alike("ij,jk->ik", a, b, optimize=False)
        for dtype in ALL_TYPES:
            with self.subTest(dtype=dtype):
                self.expect_alike("ij->j", integers((3, 4), dtype))
                self.expect_alike("ii->", integers((3, 3), dtype))

    def test_integers_are_exact(self):
        big = numpy.array([2**62, 3, -2**61 + 1])
        self.expect_alike("i,i->", big, big)  # wraps around
        self.expect_alike("i,i->i", numpy.array([2**53 + 1, 5]), numpy.array([1, 1]))
        self.expect_alike("i->", numpy.array([200, 100], "u1"))
        self.expect_alike("i,i->", numpy.array([100, 100], "i1"), numpy.array([100, 100], "i1"))
        self.expect_alike("i,i->", numpy.array([2**64 - 1], "u8"), numpy.array([1], "u8"))
        generator = numpy.random.default_rng(3)
        for left in "i1", "u1", "i2", "u2", "i4", "u4":
            for right in "i1", "u1", "i4", "u4":
                with self.subTest(left=left, right=right):  # of all magnitudes
                    a, b = (generator.integers(numpy.iinfo(kind).min, numpy.iinfo(kind).max, shape, kind, True)
                            for kind, shape in ((left, (30, 50)), (right, (50, 20))))
                    self.expect_alike("ij,jk->ik", a, b)
                    self.expect_alike("ij,kj->ki", a[::-1], b.T)
                    if numpy.can_cast(left, "i4") and numpy.can_cast(right, "i4"):
                        self.expect_alike("ij,jk->ik", a, b, dtype="i4")
        self.expect_alike("ij,jk->ik", numpy.ones((2, 3), "?"), numpy.zeros((3, 2), "?"))

    def test_dtype_and_casting(self):
        for inputs in "i4", "f2", "f4", "f8", "c16":
            for dtype in (None, "i8", "f2", "f4", "f8", "c8", "c16", float, numpy.float32):
                for casting in "no", "equiv", "safe", "same_kind", "unsafe":
                    with self.subTest(inputs=inputs, dtype=dtype, casting=casting):
                        a = integers((3, 3), inputs)
                        self.expect_alike("ij,jk->ik", a, a, dtype=dtype, casting=casting)

    def test_half_precision_is_summed_in_float32(self):
        ones = numpy.ones(4096, "f2")
        self.assertEqual(tenfold.einsum("i->", ones), 4096)
        self.assertEqual(tenfold.einsum("i,i->", ones, ones, dtype="f4"), 4096)

    def test_scalars_count_less_than_arrays(self):
        a = integers((3,), "f4")
        for scalar in 2.0, 2, numpy.float64(2), numpy.array(2.0), 2j, True:
            with self.subTest(scalar=scalar):
                self.expect_alike(",i->i", scalar, a)

    def test_objects_are_refused(self):
        for operand in numpy.array([object()]), ["a", object()], None, numpy.array(["text"]):
            with self.subTest(operand=operand), self.assertRaises(TypeError):
                tenfold.einsum("i" if operand is not None else "", operand)
        with self.assertRaises(TypeError):
            tenfold.einsum("i->i", numpy.ones(2), out=numpy.empty(2, object))
        for empty in numpy.zeros(3, "V0"), numpy.zeros(3, []):  # elements of no bytes
            self.assertEqual(empty.itemsize, 0)
            for call in (lambda: tenfold.einsum("i", empty), lambda: tenfold.contract("i,i->", empty, empty),
                         lambda: tenfold.einsum("i->i", numpy.ones(3), out=empty),
                         lambda: tenfold.plan("i->i", numpy.ones(3))(empty)):
                with self.assertRaises(TypeError):
                    call()
        with self.assertRaises(TypeError):
            tenfold.einsum("i->i", numpy.array([1, 2], object), dtype=float, casting="unsafe")

    def test_out(self):
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        wanted = numpy.einsum("ij,jk->ik", a, b)
        for out in (numpy.full((3, 5), numpy.nan), numpy.full((5, 3), numpy.nan).T, numpy.full((6, 10), numpy.nan)[::2, ::-2],
                    numpy.full((3, 5), numpy.nan, "c16"), numpy.full((3, 5), numpy.nan, ">f8")):
            with self.subTest(strides=out.strides, dtype=out.dtype):
                self.assertIs(tenfold.einsum("ij,jk->ik", a, b, out=out), out)
                numpy.testing.assert_array_equal(out, wanted)
        packed = numpy.zeros(3, [("tag", "i1"), ("row", "f8", 5)])
        tenfold.einsum("ij,jk->ik", a, b, out=packed["row"])
        numpy.testing.assert_array_equal(packed["row"], wanted)
        self.assertEqual(set(packed["tag"]), {0})
        z = integers((3, 4), "complex128")
        for dtype in "f4", "f8", "i8", "c8":
            with self.subTest(dtype=dtype), self.assertRaises(TypeError):
                tenfold.einsum("ij->ji", z, out=numpy.zeros((4, 3), dtype))
        for settings in ({"out": numpy.zeros((3, 5), "f4")}, {"out": numpy.zeros((3, 5), "f4"), "casting": "same_kind"},
                         {"out": numpy.zeros((3, 5), "i8")}, {"out": numpy.zeros((3, 5), "i8"), "casting": "unsafe"},
                         {"out": numpy.zeros((3, 5), "f2"), "casting": "unsafe", "dtype": "f8"}):
            with self.subTest(settings={key: str(value) for key, value in settings.items()}):
                self.expect_alike("ij,jk->ik", a, b, **settings)
        read_only = numpy.zeros((3, 5))
        read_only.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "read-only"):
            tenfold.einsum("ij,jk->ik", a, b, out=read_only)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            matrix = numpy.matrix(numpy.zeros((3, 5)))
        for out in matrix, numpy.ma.masked_array(numpy.zeros((3, 5)), numpy.ones((3, 5), "?")):
            self.assertIs(tenfold.einsum("ij,jk->ik", a, b, out=out), out)
            numpy.testing.assert_array_equal(numpy.asarray(out), wanted)

    def test_out_is_no_copy(self):
        """What numpy.asarray() would copy is refused: the copy would be written."""
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        plan = tenfold.plan("ij,jk->ik", a, b)

        class Convertible:
            def __array__(self, dtype=None):
                return numpy.zeros((3, 5))
        for out in [[0.0] * 5] * 3, ((0.0,) * 5,) * 3, Convertible(), "text", 1.0:
            for call in (lambda: tenfold.einsum("ij,jk->ik", a, b, out=out), lambda: plan(a, b, out=out),
                         lambda: tenfold.contract("ik=ij*jk", a, b, out=out), lambda: tenfold.matmul(a, b, out=out),
                         lambda: tenfold.plan("ij,jk->ik", a, b, out=out), lambda: tenfold.transpose(a, out=out)):
                with self.assertRaisesRegex(TypeError, f"out is an array, not {type(out).__name__}"):
                    call()
        scalar = numpy.zeros(())
        self.assertIs(tenfold.einsum("ij->", a, out=scalar), scalar)
        self.assertEqual(scalar, a.sum())

    def test_out_broadcasts(self):
        for expression, shape, out in ("i->i", (1,), (4,)), ("ij->ji", (1, 3), (3, 4)), ("i,i->i", (1,), (3,)):
            with self.subTest(expression=expression):
                arrays = [integers(shape)] * (1 + expression.count(","))
                wanted = numpy.einsum(expression, *arrays, out=numpy.zeros(out))
                for dtype in "f8", "c16":
                    found = tenfold.einsum(expression, *arrays, out=numpy.zeros(out, dtype))
                    numpy.testing.assert_array_equal(found, wanted)

    def test_out_that_is_an_operand(self):
        """The result is that of operands as they were before the call."""
        a, b = integers((4, 4)), integers((4, 4), seed=1)
        wanted = a @ b
        first = a.copy()
        self.assertIs(tenfold.einsum("ij,jk->ik", first, b, out=first), first)
        numpy.testing.assert_array_equal(first, wanted)
        memory = numpy.zeros(24)
        memory[:16] = a.ravel()
        tenfold.einsum("ij,jk->ik", memory[:16].reshape(4, 4), b, out=memory[8:].reshape(4, 4))
        numpy.testing.assert_array_equal(memory[8:].reshape(4, 4), wanted)
        turned = a.copy()
        tenfold.einsum("ij->ji", turned, out=turned)
        numpy.testing.assert_array_equal(turned, a.T)
        halves = numpy.arange(8.0)  # interleaved: no element is shared
        tenfold.einsum("i,i->i", halves[::2], halves[::2], out=halves[1::2])
        numpy.testing.assert_array_equal(halves, [0, 0, 2, 4, 4, 16, 6, 36])

    def test_order(self):
        pick = random.Random(7)
        for expression in ("ij,jk->ik", "ij,jk->ki", "abc,cd->adb", "ij,ij->ij", "ij,kl->ikjl", "abc,abc->cab", "ab,c->acb",
                           "ij,j->ij", "abcd,dc->ab", "ij,jk,kl->il"):
            for number in range(6):
                arrays = [view_of(one, pick) for one in operands_of(expression)]
                if number == 0:
                    arrays = [numpy.asfortranarray(one) for one in arrays]
                for order in "K", "A", "C", "F", "c", "f", b"F":
                    with self.subTest(expression=expression, order=order, strides=[one.strides for one in arrays]):
                        wanted = numpy.einsum(expression, *arrays, order=order)
                        found = tenfold.einsum(expression, *arrays, order=order)
                        numpy.testing.assert_array_equal(found, wanted)
                        self.assertEqual(found.strides, wanted.strides)

    def test_order_of_arrays_that_are_converted(self):
        """The arrays that were given decide, and not what they are converted to."""
        pick = random.Random(8)
        for dtypes in ("i4", "f8"), ("f4", "f8"), ("i8", "i2"), ("?", "?"), ("f2", "f2"), (">f8", "f8"), ("f8", "c8"):
            for number, expression in enumerate(("ij,jk->ik", "abc,cd->adb", "ab,c->acb", "kab,bc->cak", "ij,ij->ij") * 3):
                a, b = (view_of(one.astype(dtype), pick) for one, dtype in zip(operands_of(expression), dtypes))
                if number % 3 == 1:  # not contiguous, and its copy is
                    a = numpy.asfortranarray(a)[::-1]
                if number % 3 == 2:
                    a, b = numpy.broadcast_to(a[:1], a.shape), numpy.asfortranarray(b)
                for order in "KACF":
                    with self.subTest(dtypes=dtypes, expression=expression, order=order, strides=[a.strides, b.strides]):
                        found = tenfold.einsum(expression, a, b, order=order)
                        self.assertEqual(found.strides, numpy.einsum(expression, a, b, order=order).strides)

    def test_results_are_new_arrays(self):
        a = numpy.arange(9.0).reshape(3, 3)
        for expression in "ij->ij", "ij->ji", "ii->i":
            found = tenfold.einsum(expression, a)
            self.assertFalse(numpy.shares_memory(found, a))
            self.assertTrue(found.flags.writeable)

    def test_new_arrays_of_types_that_numpy_computes(self):
        """numpy.einsum() gives views of single arrays, and forgets dtype and order for them."""
        for a in numpy.full((3, 3), 2**62 + 1), numpy.arange(9).reshape(3, 3).astype("g"):
            for expression, wanted in ("ij->ij", a), ("ij->ji", a.T), ("ii->i", a.diagonal()):
                with self.subTest(expression=expression, dtype=a.dtype):
                    found = tenfold.einsum(expression, a)
                    self.assertFalse(numpy.shares_memory(found, a))
                    self.assertTrue(found.flags.writeable)
                    self.assertEqual(found.dtype, a.dtype)
                    numpy.testing.assert_array_equal(found, wanted)
            self.assertTrue(tenfold.einsum("ij->ji", a, order="C").flags.c_contiguous)
        found = tenfold.einsum("ij->ji", numpy.ones((2, 3)), dtype="g")
        self.assertEqual((found.dtype, found.shape), (numpy.dtype("g"), (3, 2)))

    def test_strides_are_not_copied(self):
        line = numpy.arange(8.0)
        diagonal = numpy.lib.stride_tricks.as_strided(line, (3, 4), (8, 8))  # overlaps itself
        numpy.testing.assert_array_equal(tenfold.einsum("ij->ji", diagonal), diagonal.T)
        constant = numpy.broadcast_to(numpy.float64(3), (1 << 20, 1 << 18))  # 2 TiB, if it were copied
        self.assertEqual(tenfold.einsum("ij,j->", constant[::-1, :4], numpy.ones(4)), 12.0 * 2**20)
        reverse = line[::-1]
        self.assertEqual(tenfold.einsum("i,i->", reverse, reverse), (line**2).sum())

    def test_awkward_arrays(self):
        a, b = integers((3, 4)), integers((4, 5), seed=3)
        wanted = a @ b
        unaligned = numpy.frombuffer(b"x" + a.tobytes(), dtype="u1")[1:].view("f8").reshape(3, 4)
        packed = numpy.zeros((3, 4), [("tag", "i1"), ("value", "f8")])
        packed["value"] = a
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            matrix = numpy.matrix(a)
        for array in a.astype(">f8"), unaligned, packed["value"], matrix, a.tolist(), memoryview(a), \
                numpy.ma.masked_array(a), numpy.asfortranarray(a):
            with self.subTest(kind=type(array)):
                found = tenfold.einsum("ij,jk->ik", array, b)
                self.assertIs(type(found), numpy.ndarray)
                self.assertEqual(found.dtype, numpy.float64)
                numpy.testing.assert_array_equal(found, wanted)

    def test_interfaces(self):
        a = integers((3, 4))

        class Interface:
            __array_interface__ = a.__array_interface__

        class Exchange:
            def __dlpack__(self, stream=None):
                return a.__dlpack__()

            def __dlpack_device__(self):
                return a.__dlpack_device__()

        class Convertible:
            def __array__(self, dtype=None):
                return a
        for one in Interface(), Exchange(), Convertible():
            found = tenfold.einsum("ij->ji", one)
            numpy.testing.assert_array_equal(found, a.T)
            numpy.testing.assert_array_equal(numpy.from_dlpack(found), a.T)

        class OnDevice(Exchange):
            def __dlpack_device__(self):
                return 2, 0
        with self.assertRaisesRegex(TypeError, "operand of OnDevice lies on a device of DLPack's type 2"):
            tenfold.einsum("ij->ji", OnDevice())

    def test_more_labels_than_letters(self):
        a, b = integers((2, 3)), integers((3, 4), seed=1)
        numpy.testing.assert_array_equal(tenfold.einsum(a, [100, 7], b, [7, 2000], [100, 2000]), a @ b)
        numpy.testing.assert_array_equal(tenfold.einsum(a, [100, 2**31 - 1], b, [2**31 - 1, 0], [100, 0]), a @ b)
        for label in 2**31, 2**40, 2**70:
            with self.subTest(label=label), self.assertRaisesRegex(ValueError, f"not {label}"):
                tenfold.einsum(a, [100, label], b, [label, 0], [100, 0])
        chain, arguments = numpy.ones((2, 2)), []
        for number in range(60):
            arguments += [chain, [number, number + 1]]
        self.assertEqual(tenfold.einsum(*arguments, [0, 60])[0, 0], 2.0**59)

    def test_bf16(self):
        numbers = integers((3, 4), "f4")
        bits = (numbers.view("u4") >> 16).astype("u2")
        found = tenfold.einsum("ij,kj->ik", tenfold.bf16(bits), tenfold.bf16(bits))
        self.assertEqual(found.dtype, numpy.float32)
        numpy.testing.assert_array_equal(found, numbers @ numbers.T)
        for other in "f4", "f8", "c16":
            found = tenfold.einsum("ij,kj->ik", tenfold.bf16(bits), numbers.astype(other))
            self.assertEqual(found.dtype, numpy.dtype(other))
            numpy.testing.assert_array_equal(found, numbers @ numbers.T)
        with self.assertRaises(TypeError):
            tenfold.bf16(numbers)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        for dtype in torch.float32, torch.float64, torch.complex64, torch.bfloat16, torch.int64:
            a = torch.from_numpy(integers((3, 4))).to(dtype)
            b = torch.from_numpy(integers((4, 5), seed=1)).to(dtype)
            found = tenfold.einsum("ij,jk->ik", a, b)
            self.assertIsInstance(found, torch.Tensor)
            self.assertEqual(found.dtype, dtype)
            self.assertTrue(torch.equal(found, a @ b))
        large = torch.full((3,), 2**61)  # which numpy multiplies
        found = tenfold.einsum("i,i->i", large, large)
        self.assertTrue(torch.equal(found, large * large))
        z = torch.from_numpy(integers((3, 4), "c8"))
        self.assertTrue(torch.equal(tenfold.einsum("ij,kj->ik", z, z.conj()), z @ z.conj().T))
        with self.assertRaises(TypeError):
            tenfold.einsum("ij->ji", torch.ones(2, 2, requires_grad=True))

    def test_conj(self):
        for dtype in FLOATS:
            a, b = integers((3, 4), dtype), integers((4, 2), dtype, 5)
            numpy.testing.assert_array_equal(tenfold.einsum("ij,jk->ik", tenfold.conj(a), b), a.conj() @ b)
            numpy.testing.assert_array_equal(tenfold.einsum("ij->ji", tenfold.conj(tenfold.conj(a))), a.T)
        found = tenfold.einsum("ij,jk->ik", tenfold.conj(integers((3, 4), "c8")), integers((4, 2), "f8"))
        numpy.testing.assert_array_equal(found, integers((3, 4), "c8").conj() @ integers((4, 2), "f8"))


if __name__ == "__main__":
    unittest.main()
