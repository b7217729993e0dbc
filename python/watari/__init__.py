"""Watari: how data crosses the memories of a GPU machine."""

from watari.machine import cpus as _cpus  # noqa: F401  reads the affinity before the library is loaded

TYPE_CHECKING = False  # type checkers take it as True, like typing.TYPE_CHECKING
if TYPE_CHECKING:
    from watari.api.measure import run
    from watari.api.model import advise, predict
    from watari.arrays.opening import open_array as open
    from watari.arrays.writing import create
    from watari.cases.gemm.product import gemm
    from watari.memory.buffer import Buffer
    from watari.results.table import frame as load

    __version__: str

__all__ = [
    "Buffer",
    "__version__",
    "advise",
    "create",
    "gemm",
    "load",
    "open",
    "predict",
    "run",
]

# name: its module, and its name there
PLACES = {
    "Buffer": ("watari.memory.buffer", "Buffer"),
    "advise": ("watari.api.model", "advise"),
    "create": ("watari.arrays.writing", "create"),
    "gemm": ("watari.cases.gemm.product", "gemm"),
    "load": ("watari.results.table", "frame"),
    "open": ("watari.arrays.opening", "open_array"),
    "predict": ("watari.api.model", "predict"),
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "PLACES"})


def __getattr__(name: str) -> object:
    """Imports an attribute when it is used: a trial imports this package too and must start
    fast."""
    from importlib import import_module

    if name in PLACES:
        module, own = PLACES[name]
        if name == "load":
            import_module("watari.cases")  # the axes that results are checked against
        return getattr(import_module(module), own)
    if name == "run":  # the folder of this name, which is called as the function
        return import_module("watari.run")
    if name == "__version__":
        from importlib.metadata import version

        return version("watari")
    raise AttributeError(f"module 'watari' has no attribute '{name}'")
