# pyarrow has no types of its own. With these, a pyarrow.Table is told from Any.
from typing import Any

class Table:
    @property
    def num_rows(self) -> int: ...

def __getattr__(name: str) -> Any: ...
