"""The extension module with MPI, or why it is not there."""
import importlib


def load():
    try:
        return importlib.import_module("tenfold._dist")
    except ModuleNotFoundError as error:
        if error.name != "tenfold._dist":
            raise
        raise ImportError(
            "tenfold.dist is not in this build of Tenfold: the wheel holds the part for one node. Build and install "
            "the library by CMake where MPI is found (docs/python-distributed.md)") from None
    except ImportError as error:
        raise ImportError(f"tenfold.dist cannot load its part with MPI: {error}") from error


engine = load()
Distribution = engine.Distribution
