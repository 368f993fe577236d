"""The source tree: its version, and the files that a build of the Python package needs."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "docs/python.md", "pyproject.toml", "cmake", "include",
          "python", "src")
# Parts of these folders that wheels do not hold: those with MPI, the drop-in libraries, and examples.
NOT_NEEDED = ("src/compat", "src/distributed", "include/tenfold-compat", "include/tenfold/tapp", "python/dist",
              "python/examples")
EXCEPT = ("src/distributed/plan",)


def version():
    """As CMake reads it: the public header alone has it."""
    text = (ROOT / "include/tenfold/version.hpp").read_text()
    return ".".join(re.findall(r"#define TENFOLD_VERSION_\w+ (\d+)", text))


def files():
    """Paths below the root, sorted."""
    found = []
    for name in NEEDED:
        place = ROOT / name
        candidates = [place] if place.is_file() else place.rglob("*")
        found += [one.relative_to(ROOT) for one in candidates if one.is_file() and "__pycache__" not in one.parts]
    return sorted(one for one in found if is_below(one, EXCEPT) or not is_below(one, NOT_NEEDED))


def is_below(path, folders):
    return any(path.is_relative_to(folder) for folder in folders)
