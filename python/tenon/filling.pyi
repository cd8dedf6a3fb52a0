# made by tools/make_python_api.py; do not edit.
from typing import Any
PORTION: Any
def fill(target: Any, merged: Any) -> Any: ...
