"""Watari: how data crosses the memories of a GPU machine."""

TYPE_CHECKING = False  # type checkers take it as True, like typing.TYPE_CHECKING
if TYPE_CHECKING:
    from watari.arrays.opening import open_array as open
    from watari.arrays.writing import create
    from watari.cases.gemm.product import gemm
    from watari.memory.buffer import Buffer
    from watari.results.table import frame as load

    __version__: str

__all__ = ["Buffer", "__version__", "create", "gemm", "load", "open"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING"})


def __getattr__(name: str) -> object:
    """Imports an attribute when it is used: a trial imports this package too and must start
    fast."""
    if name == "Buffer":
        from watari.memory.buffer import Buffer

        return Buffer
    if name == "open":
        from watari.arrays.opening import open_array

        return open_array
    if name == "create":
        from watari.arrays.writing import create

        return create
    if name == "gemm":
        from watari.cases.gemm.product import gemm

        return gemm
    if name == "load":
        from importlib import import_module

        import_module("watari.cases")  # the axes that results are checked against
        from watari.results.table import frame

        return frame
    if name == "__version__":
        from importlib.metadata import version

        return version("watari")
    raise AttributeError(f"module 'watari' has no attribute '{name}'")
