"""Progress of long contractions, as bars in terminals and notebooks."""
import contextlib
import importlib
import sys
import time

from . import _core


@contextlib.contextmanager
def progress(after=1.0, bar=None):
    """Shows a bar for each contraction of the block that takes more than `after` seconds.

        with tenfold.progress():
            tenfold.einsum("abef,efij->abij", v, t)

    Bars are tqdm's where tqdm is installed, in terminals and in notebooks; else lines of text on a
    terminal. They estimate the rest by predicted seconds, and vanish at the end. For this thread or
    asyncio task, as settings(). Of many MPI ranks the first one of MPI.COMM_WORLD shows them.

    bar: makes another bar, on every rank that gives it: bar(total=1.0, desc=expression), with update(share) and
    close(), as tqdm.tqdm has them.
    """
    make = default_bar() if bar is None else bar
    begin = None if make is None else lambda title: Report(title, after, make)
    token = _core.progress.set(begin)
    try:
        yield
    finally:
        _core.progress.reset(token)


def default_bar():
    """tqdm's, or lines of text; None where nobody would see them, and on all ranks but one."""
    if not is_first_rank():
        return None
    try:
        tqdm = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return Line if sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules) else None

    def make(total, desc):
        return tqdm(total=total, desc=desc, leave=False, smoothing=0,
                    bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}")
    return make


def is_first_rank():
    """Whether this process has no MPI, as far as mpi4py knows, or is rank 0."""
    mpi = sys.modules.get("mpi4py.MPI")
    return mpi is None or not mpi.Is_initialized() or mpi.Is_finalized() or mpi.COMM_WORLD.rank == 0


class Report:
    """Of one contraction. The extension calls update() some ten times a second, and close()."""

    def __init__(self, title, after, make_bar):
        self.title, self.after, self.make_bar = title, after, make_bar
        self.begin = time.monotonic()
        self.done, self.bar = 0.0, None

    def update(self, done):
        elapsed = time.monotonic() - self.begin
        if self.bar is None:
            if elapsed < self.after or done >= 1:
                return
            self.bar = self.make_bar(total=1.0, desc=self.title)
            if hasattr(self.bar, "start_t"):  # tqdm's bar would count from now
                self.bar.start_t -= elapsed
        self.bar.update(max(done - self.done, 0.0))
        self.done = max(done, self.done)

    def close(self):
        if self.bar is not None:
            self.bar.close()


class Line:
    """A bar of text on one line of the terminal."""

    WIDTH = 40

    def __init__(self, total, desc):
        self.total, self.desc, self.done = total, desc, 0.0

    def update(self, share):
        self.done += share / self.total
        filled = int(self.done * self.WIDTH)
        self.write(f"{self.desc}: {self.done:4.0%} |{'#' * filled}{' ' * (self.WIDTH - filled)}|")

    def close(self):
        self.write(" " * (len(self.desc) + self.WIDTH + 9))
        self.write("")

    def write(self, text):
        sys.stderr.write("\r" + text)
        sys.stderr.flush()
