# The types of the results. All those of pandas take mypy as long as the rest; the lint reads them.
from typing import Any

class DataFrame:
    @property
    def shape(self) -> tuple[int, int]: ...

def __getattr__(name: str) -> Any: ...
