"""Watari: how data crosses the memories of a GPU machine."""

TYPE_CHECKING = False  # to type checkers it is True, as that of typing
if TYPE_CHECKING:
    from watari.cases.gemm.product import gemm
    from watari.memory.buffer import Buffer
    from watari.results.table import frame as load

    __version__: str

__all__ = ["Buffer", "__version__", "gemm", "load"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING"})


def __getattr__(name: str) -> object:
    """Imported when it is used: a trial imports this package too, and should start at once."""
    if name == "Buffer":
        from watari.memory.buffer import Buffer

        return Buffer
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
