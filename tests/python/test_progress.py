"""Progress of long contractions: tenfold.progress()."""
import contextlib
import io
import signal
import sys
import threading
import unittest
from unittest import mock

import numpy
import tenfold
from tenfold import _progress


class Recorded:
    """A bar that remembers what it was told."""

    made = []

    def __init__(self, total, desc):
        self.total, self.desc, self.shares, self.closed = total, desc, [], 0
        Recorded.made.append(self)

    def update(self, share):
        self.shares.append(share)

    def close(self):
        self.closed += 1


def growing():
    """Matrices of which some product takes long enough for a report, which comes after 0.1 s: how long each takes is
    the machine's to say."""
    extent = 1600
    while extent < 12000:
        yield numpy.ones((extent, extent), "f4")
        extent += extent // 4


class Bars(unittest.TestCase):
    def setUp(self):
        Recorded.made = []
        self.a = numpy.ones((1600, 1600), "f4")

    def test_all_functions(self):
        for name, call, title in (
                ("einsum", lambda a: tenfold.einsum("ij,jk->ik", a, a), "ij,jk->ik"),
                ("contract", lambda a: tenfold.contract("ik=ij*jk", a, a), "ik=ij*jk"),
                ("threads", lambda a: tenfold.contract("ik=ij*jk", a, a, threads=1), "ik=ij*jk"),
                ("plan", lambda a: tenfold.plan("ij,jk->ik", a, a)(a, a), "ij,jk->ik")):
            with self.subTest(name=name), tenfold.progress(after=0, bar=Recorded):
                Recorded.made = []
                for a in growing():
                    call(a)
                    if Recorded.made:
                        break
                bar = Recorded.made[0]
                self.assertEqual((bar.total, bar.desc, bar.closed), (1.0, title, 1))
                self.assertTrue(all(share >= 0 for share in bar.shares))
                self.assertTrue(0 < sum(bar.shares) <= 1.000001, bar.shares)

    def test_none_where_nobody_asked(self):
        tenfold.einsum("ij,jk->ik", self.a, self.a)
        with tenfold.progress(after=0, bar=Recorded):
            tenfold.einsum("ij,jk->ik", self.a[:8, :8], self.a[:8, :8])
            other = threading.Thread(target=lambda: tenfold.einsum("ij,jk->ik", self.a, self.a))
            other.start()
            other.join()
        with tenfold.progress(after=3600, bar=Recorded):
            tenfold.einsum("ij,jk->ik", self.a, self.a)
        tenfold.einsum("ij,jk->ik", self.a, self.a)
        self.assertEqual(Recorded.made, [])

    def test_errors_of_bars_and_interrupts_end_the_contraction(self):
        def broken(total, desc):
            raise ZeroDivisionError(desc)
        with self.assertRaises(ZeroDivisionError), tenfold.progress(after=0, bar=broken):
            for a in growing():
                tenfold.einsum("ij,jk->ik", a, a)

        class Interrupted(Recorded):
            def update(self, share):
                signal.raise_signal(signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt), tenfold.progress(after=0, bar=Interrupted):
            for a in growing():
                tenfold.einsum("ij,jk->ik", a, a)
        self.assertEqual(Recorded.made[0].closed, 1)


class Reports(unittest.TestCase):
    """What the extension calls, by a made-up clock."""

    def report(self, shares, after, make):
        with mock.patch.object(_progress.time, "monotonic", side_effect=range(100)):
            report = _progress.Report("ik=ij*jk", after, make)
            for share in shares:
                report.update(share)
            report.close()

    def test_the_bar_comes_late_and_counts_all(self):
        Recorded.made = []
        self.report([0.1, 0.2, 0.4, 0.3, 1.0], 3, Recorded)
        numpy.testing.assert_allclose(Recorded.made[0].shares, [0.4, 0.0, 0.6])
        self.assertEqual(Recorded.made[0].closed, 1)
        Recorded.made = []
        self.report([0.1, 1.0], 2, Recorded)  # no bar for what is ready
        self.assertEqual(Recorded.made, [])

    def test_lines_of_text(self):
        text = io.StringIO()
        with contextlib.redirect_stderr(text):
            self.report([0.5, 1.0], 0, _progress.Line)
        shown = text.getvalue().split("\r")
        self.assertEqual(shown[1], f"ik=ij*jk:  50% |{'#' * 20}{' ' * 20}|")
        self.assertEqual(shown[2], f"ik=ij*jk: 100% |{'#' * 40}|")
        self.assertEqual(shown[3:], [" " * len(shown[2]), ""])

    def test_which_bar(self):
        terminal, file = mock.Mock(), mock.Mock()
        terminal.isatty.return_value, file.isatty.return_value = True, False
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}):
            for stream, wanted in (terminal, _progress.Line), (file, None), (None, None):
                with mock.patch.object(sys, "stderr", stream):
                    self.assertIs(_progress.default_bar(), wanted)
                    with tenfold.progress(after=0):
                        tenfold.einsum("ij,jk->ik", numpy.ones((1600, 1600)), numpy.ones((1600, 1600)))

    def test_one_rank_shows_bars(self):
        terminal = mock.Mock()
        terminal.isatty.return_value = True
        for rank, initialized, wanted in (0, True, _progress.Line), (1, True, None), (1, False, _progress.Line):
            module = mock.Mock(Is_initialized=lambda: initialized, Is_finalized=lambda: False)
            module.COMM_WORLD.rank = rank
            with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None, "mpi4py.MPI": module}), \
                    mock.patch.object(sys, "stderr", terminal):
                self.assertIs(_progress.default_bar(), wanted)

    def test_tqdm(self):
        try:
            import tqdm  # noqa: F401
        except ImportError:
            self.skipTest("no tqdm")
        text = io.StringIO()
        with contextlib.redirect_stderr(text):
            bar = _progress.default_bar()(total=1.0, desc="ik=ij*jk")
            bar.start_t -= 10
            bar.update(0.25)
            bar.refresh()
            shown = text.getvalue()
            bar.close()
        self.assertIn("ik=ij*jk:  25%|", shown)
        self.assertIn("<00:30", shown)


if __name__ == "__main__":
    unittest.main()
