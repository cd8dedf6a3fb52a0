# made by tools/make_python_api.py; do not edit.
from typing import Any
from tenon.splitting import ComposableSplitter
LIMITS: Any
def content_of(tensor: Any) -> Any: ...

class GraphDefSplitter:
    def __getattr__(self, name: str) -> Any: ...

class SavedModelSplitter:
    def __getattr__(self, name: str) -> Any: ...

class ModelProtoSplitter:
    def __getattr__(self, name: str) -> Any: ...
