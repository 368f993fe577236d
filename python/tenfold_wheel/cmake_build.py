"""The package as CMake builds and installs it."""
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .source_tree import ROOT

# The single-node library and the extension alone. Summaries of plans and calibrations need JSON. Compressed files
# are unpacked by Python's own modules.
OPTIONS = {"TENFOLD_MPI": "OFF", "TENFOLD_HDF5": "OFF", "TENFOLD_BLIS": "OFF", "TENFOLD_APPS": "OFF",
           "TENFOLD_ZLIB": "OFF", "TENFOLD_LZMA": "OFF", "TENFOLD_COMPAT": "OFF", "TENFOLD_FORTRAN": "OFF", "TENFOLD_TESTS": "OFF", "TENFOLD_JSON": "ON",
           "TENFOLD_PYTHON": "ON", "TENFOLD_PYTHON_WHEEL": "ON"}


def install_package(folder):
    """Builds the package and puts it into `folder`/tenfold, without debug information."""
    named = os.environ.get("TENFOLD_WHEEL_BUILD")
    build = Path(named).resolve() if named else ROOT / "build" / "wheel"
    if named is None or not (build / "CMakeCache.txt").exists():
        configure(build)
    cmake("--build", build, "--target", "tenfold_python")
    with tempfile.TemporaryDirectory() as prefix:
        cmake("--install", build, "--component", "python", "--prefix", prefix, "--strip")
        shutil.copytree(Path(prefix) / cached(build, "TENFOLD_PYTHON_DIR") / "tenfold", Path(folder) / "tenfold",
                        dirs_exist_ok=True)


def configure(build):
    options = {**OPTIONS, "Python3_EXECUTABLE": sys.executable}
    if importlib.util.find_spec("pybind11"):  # installed by pip for this build, where CMake would not look
        import pybind11
        options["pybind11_DIR"] = pybind11.get_cmake_dir()
    generator = [] if shutil.which("ninja") else ["-G", "Unix Makefiles"]
    cmake("--preset", "release", "-B", build, *generator, *(f"-D{name}={value}" for name, value in options.items()),
          *shlex.split(os.environ.get("CMAKE_ARGS", "")))


def cmake(*arguments):
    subprocess.run(["cmake", *map(str, arguments)], cwd=ROOT, check=True)


def cached(build, name):
    """The value of an option of a build."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.partition("=")[2]
    raise LookupError(f"{build} has no option {name}: TENFOLD_PYTHON is off")
