# The extension module, which is the package's own.
from typing import Any

def __getattr__(name: str) -> Any: ...
