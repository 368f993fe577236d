"""Calls of contract() and of plans that C functions serve: they give what the functions in Python give, and are served
so."""
import random
import unittest

import numpy
import tenfold
from tenfold import _core, _einsum, _plans

from arrays import FLOATS, integers, view_of

CALLS = (  # expression, shapes, keyword arguments
    ("ik=ij*jk", ((3, 4), (4, 5)), {}), ("ij,jk->ki", ((3, 4), (4, 5)), {}), ("ik-ij-jk", ((3, 4), (4, 5)), {"alpha": 2}),
    ("C[x,z]=A[x,y]*B[y,z]", ((3, 4), (4, 5)), {"alpha": 0.5, "beta": 0}), ("...ij,jk", ((2, 3, 4), (4, 5)), {}),
    ("il=(ij*jk)*kl", ((3, 4), (4, 5), (5, 6)), {"alpha": -1}), ("ij->", ((3, 4),), {}), ("ji=2*ij", ((3, 4),), {}),
    ("ij,jk->ik", ((1, 4), (4, 5)), {}), ("ij,jk->ik", ((0, 4), (4, 5)), {}), ("ij,jk->ik", ((3, 0), (0, 5)), {}),
    ("bik=bij*bjk", ((2, 3, 4), (2, 4, 5)), {}))
INTO = (("ik=ij*jk", {}), ("ik+=ij*jk", {}), ("ik-=ij*jk", {"alpha": 2}), ("ij,jk->ik", {"alpha": 3, "beta": -1}),
        ("ik=ij*jk", {"beta": 0.0}), ("ik=ij*jk", {"alpha": 0, "beta": 2}))


def outcome(call):
    """What a call returns, with its layout; or its error."""
    try:
        found = call()
    except Exception as error:
        return type(error), getattr(error, "code", None), str(error)
    return type(found), found.dtype, numpy.shape(found), numpy.asarray(found).strides, numpy.asarray(found).tolist()


class Contract(unittest.TestCase):
    def test_new_arrays(self):
        pick = random.Random(1)
        for dtype in FLOATS:
            for expression, shapes, settings in CALLS:
                arrays = [integers(shape, dtype, seed) for seed, shape in enumerate(shapes)]
                for given in arrays, [view_of(one, pick) for one in arrays]:
                    with self.subTest(dtype=dtype, expression=expression, strides=[one.strides for one in given]):
                        plain = outcome(lambda: tenfold.contract(expression, *given, **settings))
                        self.assertNotIsInstance(plain[1], str)
                        self.assertEqual(plain, outcome(lambda: _plans.contract(expression, *given, **settings)))

    def test_outputs(self):
        for dtype in FLOATS:
            a, b, c = integers((3, 4), dtype), integers((4, 5), dtype, 1), integers((3, 5), dtype, 2)
            for expression, settings in INTO:
                for layout in (lambda: c.copy(), lambda: c.copy("F"), lambda: view_of(c, random.Random(2))):
                    with self.subTest(dtype=dtype, expression=expression, settings=settings):
                        outs = layout(), layout()
                        self.assertIs(tenfold.contract(expression, a, b, out=outs[0], **settings), outs[0])
                        _plans.contract(expression, a, b, out=outs[1], **settings)
                        numpy.testing.assert_array_equal(*outs)

    def test_mistakes(self):
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        read_only = numpy.zeros((3, 5))
        read_only.flags.writeable = False
        for expression, arrays, settings in (
                ("ik=ij*jk", (a, b.T), {}), ("ik=ij", (a, b), {}), ("ik=ij*jk", (a[0], b), {}), ("ik=(ij*jk", (a, b), {}),
                ("ik+=ij*jk", (a, b), {}), ("ik=ij*jk", (a, b), {"beta": 1}), ("ii=ij*ji", (a, a.T), {}),
                ("ik=ij*jk", (a, b), {"out": numpy.zeros((4, 5))}), ("ik=ij*jk", (a, b), {"out": read_only}),
                ("ik=ij*jk", (a, b), {"out": numpy.zeros((3, 5), "f4")}), ("ik=ij*jk", (a, b), {"alpha": 1j}),
                ("ik=ij*jk", (a, b), {"alpha": "2"}), ("ik=ij*jk", (a, b), {"alpha": 10**400}), ("", (a,), {}),
                ("ik=ij*jk", (a, b), {"colour": 1}), ("ik=ij*jk", (a, b), {"out": a[:, :0]})):
            with self.subTest(expression=expression, settings=settings):
                plain = outcome(lambda: tenfold.contract(expression, *arrays, **settings))
                self.assertTrue(issubclass(plain[0], Exception))
                self.assertEqual(plain[:2], outcome(lambda: _plans.contract(expression, *arrays, **settings))[:2])
        with self.assertRaises(ValueError):
            tenfold.contract()

    def test_python_is_not_asked(self):
        def refuse(*_, **__):
            raise AssertionError("the function in Python was called")
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        _core.set_general_contract(refuse)
        _core.set_general_einsum(refuse)
        try:
            tenfold.einsum("ij,jk->ik", a, b)
            tenfold.contract("ik=ij*jk", a, b, alpha=2)
            tenfold.contract("ik+=ij*jk", a, b, out=numpy.zeros((3, 5)), alpha=1j - 1j)
            with self.assertRaises(AssertionError):
                tenfold.contract("ik=ij*jk", a, b, threads=1)
        finally:
            _core.set_general_contract(_plans.contract)
            _core.set_general_einsum(_einsum.einsum)


class Plans(unittest.TestCase):
    def plain(self, plan, *arrays, out=None, alpha=1.0, beta=0.0):
        return _core.execute_plan(plan._plan, arrays, out, alpha, beta)

    def test_calls(self):
        for dtype in FLOATS:
            for expression, shapes, _ in CALLS:
                arrays = [integers(shape, dtype, seed) for seed, shape in enumerate(shapes)]
                with self.subTest(dtype=dtype, expression=expression):
                    plan = tenfold.plan(expression, *arrays)
                    found = self.plain(plan, *arrays, alpha=3)
                    self.assertIsNot(found, NotImplemented)
                    wanted = plan(*arrays, alpha=3, workspace=bytearray(64))
                    self.assertEqual(outcome(lambda: found), outcome(lambda: wanted))
                    numpy.testing.assert_array_equal(found, tenfold.contract(expression, *arrays, alpha=3))

    def test_what_is_not_plain(self):
        a, b = integers((3, 4)), integers((4, 5), seed=1)
        plan = tenfold.plan("ij,jk->ik", a, b)
        out = numpy.zeros((3, 5))
        read_only = numpy.zeros((3, 5))
        read_only.flags.writeable = False
        for arrays, settings in (((a,), {}), ((a, b, b), {}), ((a, b.copy("F")), {}), ((a, b.astype("f4")), {}),
                                 ((a.tolist(), b), {}), ((a, b), {"beta": 1.0}), ((a, b), {"alpha": "1"}),
                                 ((a, b), {"out": read_only}), ((a, b), {"out": numpy.zeros((5, 3)).T}),
                                 ((a, numpy.zeros((4, 5), ">f8")), {}), ((a, tenfold.conj(b)), {})):
            with self.subTest(settings=settings):
                self.assertIs(self.plain(plan, *arrays, **settings), NotImplemented)
        self.assertIs(self.plain(plan, a, b, out=out, beta=1.0), out)
        with_c = tenfold.plan("ij,jk->ik", a, b, c=out)
        self.assertIs(self.plain(with_c, a, b), NotImplemented)
        with self.assertRaises(tenfold.Error):
            self.plain(plan, a, b, out=out, alpha=1j)

    def test_names_count(self):
        t, g = integers((3, 3)), integers((3, 3), seed=1)
        square = "R[a,b]=T[a,c]*T[c,b]"
        numpy.testing.assert_array_equal(tenfold.contract(square, t, t), t @ t)
        plan = tenfold.plan(square, t, t)
        numpy.testing.assert_array_equal(plan(t, t), t @ t)
        for call in (lambda: tenfold.contract(square, t, g), lambda: tenfold.contract(square, t, t.T)):
            with self.assertRaisesRegex(tenfold.InvalidError, "calls both A and B 'T'"):
                call()
        with self.assertRaisesRegex(tenfold.InvalidError, "B is another tensor"):
            plan(t, g)


if __name__ == "__main__":
    unittest.main()
