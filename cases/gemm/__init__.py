"""Case gemm, and products of files."""
