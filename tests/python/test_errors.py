"""What wrong calls raise, and what it says."""
import pickle
import unittest

import numpy
import tenfold


class Errors(unittest.TestCase):
    def test_fields(self):
        for call in tenfold.einsum, tenfold.contract, tenfold.explain:
            with self.subTest(call=call.__name__), self.assertRaises(ValueError) as caught:
                call("ab,bc->ac", numpy.ones((2, 3)), numpy.ones((4, 5)))
            error = caught.exception
            self.assertIsInstance(error, tenfold.InvalidError)
            self.assertEqual(error.code, "extent_mismatch")
            self.assertEqual(error.label, "b")
            self.assertEqual(error.modes, (1, 0))
            self.assertEqual(error.extents, (3, 4))
            self.assertEqual(len(error.operands), 2)
            self.assertIn("b", str(error))

    def test_texts_are_in_numpys_terms(self):
        a, b = numpy.ones((2, 3)), numpy.ones((3, 4))
        plan = tenfold.plan("ij,jk->ik", a, b)
        for call, kind, text in (
                (lambda: tenfold.einsum("ij,jk->ik", a, b, out=numpy.zeros((2, 5))), ValueError,
                 "label 'k': B mode 1 has extent 4, D mode 1 has extent 5; D is the output$"),
                (lambda: tenfold.contract("ik=ij*jk", a, b * 1j, out=numpy.zeros((2, 4))), TypeError,
                 "A is complex128 and D is float64; D must be complex128; D is the output$"),
                (lambda: tenfold.einsum("ij->jj", a), ValueError, r"^label 'j' stands more .* contract\(.*diagonal_output=True"),
                (lambda: tenfold.einsum(a, [0, 1], [1, 1]), ValueError, r"contract\(.*diagonal_output=True"),
                (lambda: tenfold.einsum(a, b), TypeError, r"not an array of shape \(4,\): einsum\(a, \[0, 1\], b"),
                (lambda: tenfold.einsum(numpy.array("ij"), a), TypeError, "a label is a number or Ellipsis"),
                (lambda: tenfold.einsum("ij->ji", a, order=1), TypeError, "order is 'K', 'A'"),
                (lambda: plan(a, b, workspace=3), TypeError, "workspace is a writable buffer"),
                (lambda: plan(a, b, alpha="2"), TypeError, "alpha is a number, not '2'"),
                (lambda: tenfold.transpose(a, alpha="2"), TypeError, "alpha is a number, not '2'"),
                (lambda: tenfold.transpose(a, out=a), ValueError, r"out has shape \(2, 3\), but the permuted array has \(3, 2\)"),
                (lambda: tenfold.tensordot(a, b, "ab"), ValueError, "axes is a number of modes, or two lists"),
                (lambda: tenfold.tensordot(a, b, (0, 1, 2)), ValueError, "axes is a number of modes, or two lists"),
                (lambda: tenfold.conj(["text"]), TypeError, "Tenfold has no arithmetic for <U4"),
                (lambda: tenfold.use(3).__enter__(), TypeError, "context is a tenfold.Context, not int")):
            with self.subTest(text=text), self.assertRaisesRegex(kind, text):
                call()
        with self.assertRaises(tenfold.TypeMismatchError) as caught:
            tenfold.contract("ik=ij*jk", a, b * 1j, out=numpy.zeros((2, 4)))
        self.assertEqual([one["type"] for one in (caught.exception.first, caught.exception.second)],
                         ["complex128", "float64"])
        self.assertEqual(plan(a, b, alpha=numpy.array(2.0), workspace=numpy.zeros(plan.workspace_size + 64, "u1"))[0, 0], 6)

    def test_places(self):
        with self.assertRaises(tenfold.InvalidError) as caught:
            tenfold.einsum("ab,b$->a", numpy.ones((2, 3)), numpy.ones((3, 5)))
        self.assertEqual((caught.exception.code, caught.exception.position), ("syntax", 4))

    def test_memory(self):
        huge = numpy.broadcast_to(numpy.float64(1), (1 << 30,))
        with self.assertRaises(MemoryError):
            tenfold.einsum("i,j->ij", huge, huge[:1 << 20])
        a = numpy.ones((50, 60, 70))
        with self.assertRaises(tenfold.OutOfMemoryError) as caught:
            tenfold.contract("ab=abc*cd*db", a, numpy.ones((70, 80)), numpy.ones((80, 60)), workspace_limit=8,
                             optimize=[(1, 2), (0, 1)])
        self.assertEqual(caught.exception.code, "workspace_too_small")
        self.assertGreater(caught.exception.least, 8)

    def test_classes(self):
        self.assertTrue(issubclass(tenfold.TypeMismatchError, TypeError))
        self.assertTrue(issubclass(tenfold.UnsupportedError, RuntimeError))
        with self.assertRaises(tenfold.UnsupportedError):
            tenfold.Context(isa="sve" if tenfold.current_context().isa.startswith("avx") else "avx512")
        error = tenfold.InvalidError("text")
        self.assertEqual(error.operands, ())
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), "text")


if __name__ == "__main__":
    unittest.main()
