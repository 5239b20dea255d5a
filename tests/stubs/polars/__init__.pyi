# As for pandas.
from typing import Any

class DataFrame:
    @property
    def height(self) -> int: ...

class LazyFrame:
    def collect(self) -> DataFrame: ...

def __getattr__(name: str) -> Any: ...
