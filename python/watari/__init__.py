"""Watari: how data crosses the memories of a GPU machine."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from watari._native import Buffer
    from watari.cases.gemm.product import gemm

__all__ = ["Buffer", "gemm"]


def __getattr__(name: str) -> Any:
    """Imported when it is used: a trial imports this package too, and should start at once."""
    if name == "Buffer":
        from watari._native import Buffer

        return Buffer
    if name == "gemm":
        from watari.cases.gemm.product import gemm

        return gemm
    raise AttributeError(f"module 'watari' has no attribute '{name}'")
