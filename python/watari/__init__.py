"""Watari: how data crosses the memories of a GPU machine."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from watari.gemm_files import gemm

__all__ = ["gemm"]


def __getattr__(name: str) -> Any:
    """`watari.gemm`, imported when it is used: a trial imports this package too, and should start
    at once."""
    if name == "gemm":
        from watari.gemm_files import gemm

        return gemm
    raise AttributeError(f"module 'watari' has no attribute '{name}'")
