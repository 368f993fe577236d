"""Epilogues of contract() and of plans, against numpy."""
import math
import random
import unittest

import numpy
import tenfold

from arrays import FLOATS, integers, view_of

FUNCTIONS = {
    "relu": lambda x: numpy.maximum(x, 0),
    "exp": numpy.exp,
    "tanh": numpy.tanh,
    "sigmoid": lambda x: 1 / (1 + numpy.exp(-x)),
    "gelu_tanh": lambda x: x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "gelu_erf": lambda x: x / 2 * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2))),
}


class Steps(unittest.TestCase):
    def setUp(self):
        self.a, self.b = integers((3, 4)), integers((4, 5), seed=1)
        self.product = self.a @ self.b

    def test_steps_in_order(self):
        bias, other = integers((5,), seed=2), integers((5, 3), seed=3)
        finish = (tenfold.Epilogue().scale(2).add("k", bias).multiply("ki", other, 3).apply("relu").scale(-1)
                  .add("", 7).add("ik", self.product, 0.5))
        wanted = -numpy.maximum((2 * self.product + bias) * 3 * other.T, 0) + 7 + self.product / 2
        for expression in "ik=ij*jk", "ij,jk->ik":
            numpy.testing.assert_array_equal(tenfold.contract(expression, self.a, self.b, epilogue=finish), wanted)
        out = numpy.full((3, 5), numpy.nan)
        self.assertIs(tenfold.contract("ik=ij*jk", self.a, self.b, out=out, epilogue=finish), out)
        numpy.testing.assert_array_equal(out, wanted)
        self.assertEqual(len(finish), 7)
        self.assertEqual(repr(tenfold.Epilogue().add("k", bias, 2).apply("exp")),
                         "<tenfold.Epilogue add 'k' float64[5] * 2, apply exp>")

    def test_functions(self):
        for dtype, tolerance in ("float32", 2e-6), ("float64", 1e-14):
            a, b = self.a.astype(dtype) / 8, self.b.astype(dtype)
            for name, function in FUNCTIONS.items():
                with self.subTest(name=name, dtype=dtype):
                    found = tenfold.contract("ik=ij*jk", a, b, epilogue=tenfold.Epilogue().apply(name))
                    self.assertEqual(found.dtype, numpy.dtype(dtype))
                    numpy.testing.assert_allclose(found, function((a @ b).astype("f8")), rtol=tolerance, atol=tolerance)

    def test_alpha_and_beta_come_first(self):
        c = integers((3, 5), seed=4)
        out = c.copy()
        tenfold.contract("ik+=ij*jk", self.a, self.b, out=out, alpha=2, epilogue=tenfold.Epilogue().apply("relu"))
        numpy.testing.assert_array_equal(out, numpy.maximum(2 * self.product + c, 0))

    def test_types_and_strides(self):
        pick = random.Random(1)
        for dtype in FLOATS:
            a, b, x = (integers(shape, dtype, seed) for seed, shape in enumerate(((3, 4), (4, 5), (5, 3))))
            for given in x, view_of(x, pick), x.tolist(), integers((5, 3), "int16", 2):
                with self.subTest(dtype=dtype, given=type(given)):
                    finish = tenfold.Epilogue().add("ki", given, 2)
                    numpy.testing.assert_array_equal(tenfold.contract("ik=ij*jk", a, b, epilogue=finish),
                                                     a @ b + 2 * numpy.asarray(given).T)
            finish = tenfold.Epilogue().multiply("ki", tenfold.conj(x))
            numpy.testing.assert_array_equal(tenfold.contract("ik=ij*jk", a, b, epilogue=finish), a @ b * x.conj().T)
        z = a.astype("c16")
        finish = tenfold.Epilogue().scale(1j).add("i", integers((3,)))
        numpy.testing.assert_array_equal(tenfold.contract("ii->i", z[:, :3], epilogue=finish),
                                         1j * z.diagonal() + integers((3,)))

    def test_half_precision(self):
        finish = tenfold.Epilogue().add("k", integers((5,)))
        found = tenfold.contract("ik=ij*jk", self.a.astype("float16"), self.b.astype("float16"), epilogue=finish)
        self.assertEqual(found.dtype, "float32")
        numpy.testing.assert_array_equal(found, self.product + integers((5,)))

    def test_integers_stay_integers(self):
        bias = integers((5,), seed=2)
        wanted = numpy.maximum((self.product + bias) * -3, 0)
        for dtype in "int8", "int32":
            a, b = self.a.astype(dtype), self.b.astype(dtype)
            for given in bias.astype("int64"), bias.astype("int8"):
                finish = tenfold.Epilogue().add("k", given).scale(-3).apply("relu")
                for found in (tenfold.contract("ik=ij*jk", a, b, epilogue=finish),
                              tenfold.plan("ik=ij*jk", a, b, epilogue=finish)(a, b)):
                    self.assertEqual(found.dtype, "int32")
                    numpy.testing.assert_array_equal(found, wanted)
            found = tenfold.contract("ik=ij*jk", a, b, epilogue=tenfold.Epilogue().scale(2**30))
            numpy.testing.assert_array_equal(found, (self.product.astype("int64") << 30).astype("int32"))
            out = numpy.zeros((3, 5))  # of another type: float64, as without an epilogue
            tenfold.contract("ik=ij*jk", a, b, out=out, epilogue=tenfold.Epilogue().add("k", bias + 0.5))
            numpy.testing.assert_array_equal(out, self.product + bias + 0.5)
            for wrong, words in ((tenfold.Epilogue().add("k", bias), "int32, an array of its epilogue of float64"),
                                 (tenfold.Epilogue().scale(0.5), "integer"),
                                 (tenfold.Epilogue().apply("exp"), "function of real numbers")):
                with self.assertRaisesRegex((TypeError, tenfold.Error), words):
                    tenfold.contract("ik=ij*jk", a, b, epilogue=wrong)

    def test_labels(self):
        bias = integers((5,), seed=2)
        for expression, labels in (("C[row,col]=A[row,x]*B[x,col]", "[col]"), ("...ij,jk->...ik", "k"),
                                   ("ij,j...->i...", "...")):
            with self.subTest(expression=expression):
                found = tenfold.contract(expression, self.a, self.b, epilogue=tenfold.Epilogue().add(labels, bias))
                numpy.testing.assert_array_equal(found, self.product + bias)
        found = tenfold.contract(self.a, [0, 1], self.b, [1, 2], [0, 2], epilogue=tenfold.Epilogue().add([2], bias))
        numpy.testing.assert_array_equal(found, self.product + bias)
        square = integers((5, 5))
        found = tenfold.contract("ik=ij*jk", self.a, self.b, epilogue=tenfold.Epilogue().add("kk", square))
        numpy.testing.assert_array_equal(found, self.product + square.diagonal())

    def test_many_inputs_and_one(self):
        finish = tenfold.Epilogue().apply("relu")
        found = tenfold.contract("ij,jk,lk->il", self.a, self.b, self.b, epilogue=finish)
        numpy.testing.assert_array_equal(found, numpy.maximum(self.product @ self.b.T, 0))
        numpy.testing.assert_array_equal(tenfold.contract("ij->ji", self.a, epilogue=finish),
                                         numpy.maximum(self.a, 0).T)
        self.assertEqual(tenfold.contract("ij->", -abs(self.a), epilogue=finish), 0)
        numpy.testing.assert_array_equal(tenfold.contract("ik=ij*jk", self.a, self.b, epilogue=tenfold.Epilogue()),
                                         self.product)


class Plans(unittest.TestCase):
    def test_own_and_other_arrays(self):
        a, b, bias, other = integers((3, 4)), integers((4, 5), seed=1), integers((5,), seed=2), integers((5,), seed=3)
        plan = tenfold.plan("ik=ij*jk", a, b, epilogue=tenfold.Epilogue().add("k", bias, 2))
        self.assertIn("epilogue", plan.explain())
        numpy.testing.assert_array_equal(plan(a, b), a @ b + 2 * bias)
        bias[0] += 1  # read when the plan is called
        numpy.testing.assert_array_equal(plan(a, b), a @ b + 2 * bias)
        found = plan(a, b, epilogue=tenfold.Epilogue().add("k", other, 2), alpha=3)
        numpy.testing.assert_array_equal(found, 3 * (a @ b) + 2 * other)
        for wrong in (tenfold.Epilogue().add("k", other), tenfold.Epilogue(),
                      tenfold.Epilogue().multiply("k", other, 2), tenfold.Epilogue().add("k", other[:4], 2)):
            with self.subTest(wrong=wrong), self.assertRaises(ValueError):
                plan(a, b, epilogue=wrong)

    def test_plans_keep_converted_arrays(self):
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        plan = tenfold.plan("ik=ij*jk", a, b, epilogue=tenfold.Epilogue().add("k", [1, 2, 3, 4, 5]))
        for _ in range(50):
            numpy.testing.assert_array_equal(plan(a, b), a @ b + [1, 2, 3, 4, 5])
            numpy.empty(5)


class Mistakes(unittest.TestCase):
    def test_before_anything_is_written(self):
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        out = numpy.full((3, 5), 7.0)
        nine = tenfold.Epilogue()
        for _ in range(9):
            nine.scale(2)
        for finish, kind, code in (
                (tenfold.Epilogue().add("x", integers((5,))), ValueError, "unknown_label"),
                (tenfold.Epilogue().add("j", integers((4,))), ValueError, "unknown_label"),
                (tenfold.Epilogue().add("k", integers((4,))), ValueError, "extent_mismatch"),
                (tenfold.Epilogue().add("ik", integers((5,))), ValueError, "order_mismatch"),
                (tenfold.Epilogue().add("k(", integers((5,))), ValueError, "syntax"),
                (tenfold.Epilogue().add("ik", out), ValueError, "overlap"),
                (tenfold.Epilogue().scale(1j), TypeError, "type_mismatch"),
                (tenfold.Epilogue().add("k", 1j * integers((5,))), TypeError, None),
                (tenfold.Epilogue().add("k", numpy.array(list("abcde"))), TypeError, None),
                (nine, ValueError, "invalid_argument"), ("relu", TypeError, None)):
            with self.subTest(finish=finish), self.assertRaises(kind) as caught:
                tenfold.contract("ik=ij*jk", a, b, out=out, epilogue=finish)
            if code is not None:
                self.assertEqual(caught.exception.code, code)
            self.assertTrue((out == 7).all())

    def test_functions(self):
        with self.assertRaises(ValueError) as caught:
            tenfold.Epilogue().apply("softmax")
        self.assertIn("gelu_erf", str(caught.exception))
        z = integers((3, 3), "complex128")
        with self.assertRaises(tenfold.UnsupportedError):
            tenfold.contract("ik=ij*jk", z, z, epilogue=tenfold.Epilogue().apply("relu"))
        for step in (lambda: tenfold.Epilogue().add(7, z), lambda: tenfold.Epilogue().scale("2"),
                     lambda: tenfold.Epilogue().add("i", z[0], [1, 2])):
            with self.assertRaises(TypeError):
                step()


if __name__ == "__main__":
    unittest.main()
