"""The extension module with tenfold::chem, or why it is not there."""
import importlib


def load():
    try:
        return importlib.import_module("tenfold._chem")
    except ModuleNotFoundError as error:
        if error.name != "tenfold._chem":
            raise
        raise ImportError("tenfold.chem is not in this build of Tenfold: wheels lack it. Build and install the library "
                          "by CMake (docs/chemistry.md)") from None


engine = load()
