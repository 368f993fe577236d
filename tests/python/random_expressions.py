"""Random expressions, types, strides, paths, outputs and orders against numpy.einsum().

TENFOLD_TEST_CASES says how many, TENFOLD_TEST_SEED with which seed. A failure prints both for itself.
"""
import os
import random
import unittest

import numpy
import tenfold

from arrays import FLOATS, integers, view_of

LABELS = "abcdefgXYZ"


def random_path(pick, inputs):
    path = []
    while inputs > 1:
        step = pick.sample(range(inputs), 2 if pick.random() < 0.7 else pick.randint(2, inputs))
        inputs -= len(step) - 1
        path.append(tuple(step))
    return path or [(0,)]


def random_case(pick):
    """The arguments of einsum(), with keywords."""
    extents = {label: pick.choice((1, 2, 3, 4)) if pick.random() > 0.03 else 0 for label in LABELS}
    labels = pick.sample(LABELS, pick.randint(1, 7))
    broad = [pick.randint(1, 3) for _ in range(pick.choice((0, 1, 2)))]
    has_ellipsis = pick.random() < 0.4
    dtype = pick.choice((*FLOATS, "float64", "float16", "int64", "bool"))
    terms, arrays, dotted = [], [], False
    for number in range(pick.choice((1, 2, 2, 2, 3, 4))):
        term = [pick.choice(labels) for _ in range(pick.randint(0, 4))]
        shrunk = {label for label in term if pick.random() < 0.15}
        shape = [1 if label in shrunk else extents[label] for label in term]
        if has_ellipsis and pick.random() < 0.7:
            dotted = True
            own = [1 if pick.random() < 0.3 else extent for extent in broad[pick.randint(0, len(broad)):]]
            place = pick.randint(0, len(term))
            term.insert(place, "...")
            shape[place:place] = own
        terms.append(term)
        other = dtype if pick.random() < 0.85 else pick.choice(FLOATS)
        arrays.append(view_of(integers(shape, other, pick.randrange(2**31)), pick))
    output = None
    if pick.random() < 0.7:
        seen = sorted({label for term in terms for label in term} - {"..."})
        output = pick.sample(seen, pick.randint(0, len(seen)))
        if dotted:
            output.insert(pick.randint(0, len(output)), "...")
    settings = {}
    if pick.random() < 0.3:
        settings["optimize"] = random_path(pick, len(arrays))
    if pick.random() < 0.3:
        settings["order"] = pick.choice("KACF")
    if pick.random() < 0.1 and len(arrays) > 1:  # numpy forgets it where it returns a view
        settings.update(dtype=pick.choice(FLOATS), casting=pick.choice(("safe", "same_kind")))
    if pick.random() < 0.5:
        text = ",".join(map("".join, terms)) + ("" if output is None else "->" + "".join(output))
        return (text, *arrays), settings
    numbers = {label: number for number, label in enumerate(sorted(LABELS))}
    numbers["..."] = Ellipsis
    arguments = [one for term, array in zip(terms, arrays) for one in (array, [numbers[label] for label in term])]
    if output is not None:
        arguments.append([numbers[label] for label in output])
    return tuple(arguments), settings


def check(case):
    pick = random.Random(case)
    arguments, settings = random_case(pick)
    of_numpy = {key: value for key, value in settings.items() if key != "optimize"}
    try:
        wanted = numpy.einsum(*arguments, **of_numpy)
    except (ValueError, TypeError) as refused:
        try:
            tenfold.einsum(*arguments, **settings)
        except (ValueError, TypeError) as error:
            # Which of two mistakes is told first is not numpy's business.
            assert isinstance(error, (ValueError, TypeError))
            return False
        raise AssertionError(f"accepted what numpy refuses: {refused}")
    found = tenfold.einsum(*arguments, **settings)
    assert found.dtype == wanted.dtype, (found.dtype, wanted.dtype)
    numpy.testing.assert_array_equal(found, wanted)
    if numpy.ndim(wanted) and pick.random() < 0.3:
        out = view_of(numpy.zeros_like(wanted), pick)
        assert tenfold.einsum(*arguments, out=out, **settings) is out
        numpy.testing.assert_array_equal(out, wanted)
    return True


class RandomExpressions(unittest.TestCase):
    def test_equal_numpys(self):
        cases = int(os.environ.get("TENFOLD_TEST_CASES", "2000"))
        seed = int(os.environ.get("TENFOLD_TEST_SEED", "0"))
        print("seed", seed)
        accepted = 0
        for case in range(seed, seed + cases):
            try:
                accepted += check(case)
            except BaseException:
                print(f"rerun: TENFOLD_TEST_SEED={case} TENFOLD_TEST_CASES=1 tests/python/run_tests random_expressions")
                print([one if isinstance(one, (str, list)) else (one.shape, one.dtype.name) for one in random_case(random.Random(case))[0]],
                      random_case(random.Random(case))[1])
                raise
        print(accepted, "of", cases, "expressions were valid")
        if cases >= 100:
            self.assertGreater(accepted, cases / 2)


if __name__ == "__main__":
    unittest.main()
