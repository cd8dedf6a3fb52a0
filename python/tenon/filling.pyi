# made by tools/make_python_api.py; do not edit.
from typing import Any, Tuple
from tenon import native
PORTION: Any
def fill(target: Any, merged: Any) -> Any: ...
