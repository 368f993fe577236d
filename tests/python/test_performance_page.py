"""scripts/python_performance and scripts/convolutions: read lists, measure, and write pages of the results."""
import importlib.machinery
import importlib.util
import itertools
import json
import os
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

SOURCE = Path(__file__).resolve().parents[2]


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(SOURCE / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


performance = script("python_performance")
convolutions = script("convolutions")


class Lists(unittest.TestCase):
    def test_labels_are_reversed(self):
        with tempfile.TemporaryDirectory() as place:
            file = Path(place, "list.txt")
            file.write_text("# remark\n\nname  abc-dca-bd a=2,b=3,c=4,d=5 a=6,b=7,c=8,d=9\n")
            (name, expression, single, double), = performance.read_list(file)
        self.assertEqual((name, expression), ("name", "acd,db->cba"))
        self.assertEqual(single, {"a": 2, "b": 3, "c": 4, "d": 5})
        self.assertEqual(double, {"a": 6, "b": 7, "c": 8, "d": 9})

    def test_the_lists_of_the_tree(self):
        counts = [len(performance.read_list(SOURCE / "bench" / f"{name}.txt")) for name in performance.LISTS]
        self.assertGreater(min(counts), 20)


class Convolutions(unittest.TestCase):
    def test_windows_overlap_in_the_image(self):
        import numpy

        for filters, channels_last in itertools.product((4, None), (False, True)):
            layer = (8, 3, 2, 5, filters, 2)
            expression, windows, weights, image = convolutions.contraction_of(layer, channels_last)
            self.assertTrue(numpy.shares_memory(windows, image))
            result = numpy.einsum(expression, windows, weights)
            if channels_last:
                found, seen = result[1, 1, 2], numpy.moveaxis(image[1, 2:5, 4:7], -1, 0)
            else:
                found, seen = result[1, :, 1, 2], image[1, :, 2:5, 4:7]
            wanted = numpy.einsum("cqp,qpc->c" if filters is None else "cqp,qpcf->f", seen, weights)
            numpy.testing.assert_allclose(found, wanted, rtol=1e-4)

    def test_a_table_takes_the_place_of_an_older_one(self):
        with tempfile.TemporaryDirectory() as place:
            page = Path(place, "page.md")
            page.write_text("# Page\n\n" + convolutions.HEADING + "\nwords\n\n")
            with mock.patch.object(convolutions, "PAGE", page):
                for title, table in ("b, 1 thread", "old"), ("a, 1 thread", "|1|"), ("b, 1 thread", "|2|"):
                    convolutions.write(title, table)
            self.assertEqual(page.read_text(), "# Page\n\n" + convolutions.HEADING +
                             "\nwords\n\n### a, 1 thread\n\n|1|\n\n### b, 1 thread\n\n|2|\n")


class Measuring(unittest.TestCase):
    def test_contenders_take_turns_and_the_fastest_call_counts(self):
        clock, calls = [0.0], []

        def contender(name, seconds):
            durations = iter(seconds)

            def call():
                calls.append(name)
                clock[0] += next(durations)
            return call
        with mock.patch.object(performance.time, "perf_counter", side_effect=lambda: clock[0]), \
                mock.patch.object(performance, "wait_for_idle_threads"):
            best = performance.fastest({"a": contender("a", [3, 1, 2]), "b": contender("b", [2, 2, 4])}, 1e9, 3)
            self.assertEqual((best, "".join(calls)), ({"a": 1, "b": 2}, "ababab"))
            calls.clear()
            performance.fastest({"a": contender("a", [1] * 9), "b": contender("b", [6] * 9)}, 10, 5)
        self.assertEqual("".join(calls), "abaaaa")  # b has had its half after one call

    def test_each_contender_follows_each_other_one(self):
        names = ["a", "b", "c"]
        turns = "".join("".join(performance.in_turn(names, place)) for place in range(6))
        self.assertEqual(turns, "abcacbcabcbabcabac")
        pairs = {turns[at:at + 2] for at in range(len(turns) - 1)}
        self.assertEqual(pairs, {"ab", "ac", "ba", "bc", "ca", "cb"})
        self.assertEqual(performance.in_turn(["a"], 5), ["a"])

    def test_spinning_threads_are_waited_for(self):
        idle = threading.Event()
        sleeper = threading.Thread(target=idle.wait)
        sleeper.start()
        performance.wait_for_idle_threads(60)  # returns at once
        answers = itertools.chain([True] * 3, itertools.repeat(False))
        with mock.patch.object(performance, "is_running", side_effect=answers) as asked:
            performance.wait_for_idle_threads(60)
        self.assertGreater(asked.call_count, 3)
        idle.set()
        sleeper.join()

    def test_run_and_page(self):
        with tempfile.TemporaryDirectory() as place:
            bench, docs = Path(place, "bench"), Path(place, "docs")
            bench.mkdir()
            docs.mkdir()
            (bench / "tiny.txt").write_text("one ab-ac-cb a=3,b=4,c=5\ntwo abl-akl-kbl a=2,b=3,k=4,l=5\n")
            with mock.patch.multiple(performance, ROOT=Path(place), RESULTS=bench / "results", PAGE=docs / "page.md",
                                     copy_bandwidth=lambda: 10.0), \
                    mock.patch.dict(os.environ):
                options = ["--lists", "tiny", "--repeat", "2", "--type", "float32"]
                performance.main([*options, "--cases", "1"])
                performance.main([*options, "--resume"])
                results = json.loads(performance.file_of(performance.processor()).read_text())
                page = (docs / "page.md").read_text()
        cases = results["runs"]["tiny, float32, 1 thread"]["cases"]
        self.assertEqual([one["case"] for one in cases], ["one", "two"])
        self.assertTrue(all(seconds > 0 for one in cases for seconds in one["seconds"].values()))
        self.assertIn("| tiny, float32, 1 thread | 2 | numpy.einsum(optimize=True) |", page)
        self.assertIn(f"## {results['processor']}", page)
        self.assertIn("| two | `lka,lbk->lba` |", page)

    def test_wrong_results_are_errors(self):
        import numpy
        import tenfold
        options = performance.arguments_of(["--repeat", "1"])
        case = ("name", "ab,bc->ac", {"a": 3, "b": 4, "c": 5}, {"a": 3, "b": 4, "c": 5})
        with mock.patch.object(tenfold, "einsum", lambda *given: 1.01 * numpy.einsum(*given)), \
                self.assertRaises(SystemExit):
            performance.measure(case, "float64", options)


class Ratios(unittest.TestCase):
    def test_work(self):
        case = {"expression": "abl,cl->cab", "extents": {"a": 2, "b": 3, "c": 4, "l": 5}}
        self.assertEqual(performance.work_of(case, "float32"), (2 * 120, 4 * (30 + 20 + 24)))
        self.assertEqual(performance.work_of(case, "complex128"), (8 * 120, 16 * (30 + 20 + 24)))
        self.assertGreater(performance.copy_bandwidth(1 << 12), 0)

    def test_page(self):
        cases = [{"case": name, "expression": "a,a->", "seconds": {"tenfold": 1.0, "numpy": ratio}}
                 for name, ratio in (("slow", 0.5), ("fast", 8.0))]
        results = {"processor": "Made Up", "runs": {"tccg": {"numpy": "1", "tenfold": "2", "isa": "avx2", "rates": "a probe", "blas": {"library": "b", "gflops": 3},
                                                             "threads": 1, "cases": cases}}}
        page = performance.page_of([results])
        self.assertIn("| tccg | 2 | numpy.einsum(optimize=True) | 2.00 | 1 | slow: 0.50 | fast: 8.00 |", page)
        self.assertNotIn("torch.einsum |", page)
        self.assertIn("Tenfold 2 with kernels for avx2, plans priced by a probe. numpy 1 with b, 3 GFLOP/s", page)


if __name__ == "__main__":
    unittest.main()
