"""einsum() of hundreds of expressions gives numpy.einsum()'s results."""
import unittest

import numpy
import tenfold

from arrays import BROAD, EXTENTS, FLOATS, integers, operands_of, shuffled
from expression_lists import ELLIPSES, INTERLEAVED, MANY, ONE, TWO


class Expressions(unittest.TestCase):
    def expect_equal(self, *arguments, **settings):
        wanted = numpy.einsum(*arguments, **settings)
        found = tenfold.einsum(*arguments, **settings)
        self.assertEqual(numpy.shape(found), numpy.shape(wanted))
        self.assertEqual(found.dtype, wanted.dtype)
        self.assertEqual(numpy.ndim(found) > 0, isinstance(found, numpy.ndarray))
        numpy.testing.assert_array_equal(found, wanted)

    def test_there_are_enough(self):
        expressions = {*ONE, *TWO, *MANY, *(expression for expression, _ in ELLIPSES)}
        self.assertGreaterEqual(len(expressions) + len(INTERLEAVED), 250)

    def check(self, expressions):
        for number, expression in enumerate(expressions):
            for dtype in FLOATS if number % 4 == 0 else FLOATS[1:2]:
                with self.subTest(expression=expression, dtype=dtype):
                    operands = operands_of(expression, dtype, seed=number)
                    self.expect_equal(expression, *operands)
                    self.expect_equal(expression, *shuffled(operands, number))

    def test_one_operand(self):
        self.check(ONE)

    def test_two_operands(self):
        self.check(TWO)

    def test_many_operands(self):
        for number, expression in enumerate(MANY):
            with self.subTest(expression=expression):
                operands = operands_of(expression, seed=number)
                wanted = numpy.einsum(expression, *operands, optimize=True)
                for optimize in False, True, "greedy", "optimal":
                    found = tenfold.einsum(expression, *operands, optimize=optimize)
                    numpy.testing.assert_array_equal(found, wanted)
                found = tenfold.einsum(expression, *shuffled(operands, number))
                numpy.testing.assert_array_equal(found, wanted)

    def test_ellipses(self):
        for number, (expression, counts) in enumerate(ELLIPSES):
            with self.subTest(expression=expression, counts=counts):
                operands = operands_of(expression, "float64", counts, number)
                self.expect_equal(expression, *operands)
                self.expect_equal(expression, *shuffled(operands, number))

    def test_lists_of_labels(self):
        letters = sorted(EXTENTS)
        for number, (terms, output) in enumerate(INTERLEAVED):
            with self.subTest(terms=terms, output=output):
                arguments = []
                for place, term in enumerate(terms):
                    shape = []
                    for label in term:
                        shape += BROAD[1:] if label is Ellipsis else [EXTENTS[letters[label]]]
                    arguments += [integers(shape, seed=number + place), term]
                if output is not None:
                    arguments.append(output)
                self.expect_equal(*arguments)
                self.expect_equal(*[tuple(one) if isinstance(one, list) else one for one in arguments])

    def test_broadcasting(self):
        for expression, *shapes in (
                ("ij,ij->ij", (1, 4), (3, 4)), ("ij,ij->ij", (3, 1), (1, 4)), ("ij,ij->", (3, 1), (1, 4)),
                ("ij,jk->ik", (3, 1), (4, 5)), ("ij,jk", (3, 4), (1, 5)), ("i,i->", (1,), (3,)), ("i,i->i", (1,), (0,)),
                ("...i,...i->...", (5, 1, 3), (4, 3)), ("...,...", (5, 1), (1, 4)), ("i,i,i->i", (1,), (5,), (1,)),
                ("ijk,ijk->k", (2, 1, 3), (1, 4, 1)), ("ab,bc,cd->ad", (2, 1), (3, 1), (4, 5)), ("i->i", (0,)),
                ("ij,jk->ik", (0, 3), (3, 2)), ("ij,jk->ik", (2, 0), (0, 3)), ("ii->i", (1, 1)), ("ij,j->i", (2, 3), (1,))):
            with self.subTest(expression=expression, shapes=shapes):
                self.expect_equal(expression, *(integers(shape, seed=k) for k, shape in enumerate(shapes)))

    def test_examples_of_numpys_page(self):
        a, b, c = numpy.arange(25.0).reshape(5, 5), numpy.arange(5.0), numpy.arange(6.0).reshape(2, 3)
        u, v = numpy.arange(60.0).reshape(3, 4, 5), numpy.arange(24.0).reshape(4, 3, 2)
        for arguments in (
                ("ii", a), (a, [0, 0]), ("ii->i", a), (a, [0, 0], [0]), ("ij->i", a), (a, [0, 1], [0]), ("...j->...", a),
                ("ji", c), ("ij->ji", c), (c, [1, 0]), ("i,i", b, b), ("ij,j", a, b), ("...j,j", a, b),
                ("..., ...", 3, c), (",ij", 3, c), (3, [...], c, [...]), ("i,j", numpy.arange(2) + 1, b),
                ("i...->...", a), ("ijk,jil->kl", u, v), ("", 3.0), ("->", 2.5), ("i , j -> i j", b, b)):
            with self.subTest(arguments=[one if isinstance(one, str) else "array" for one in arguments]):
                self.expect_equal(*arguments)


if __name__ == "__main__":
    unittest.main()
