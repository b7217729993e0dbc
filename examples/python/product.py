"""The product of two matrices in files: the forecast, then the product. After a kill, the same
command resumes from the completed tiles.

    python examples/python/product.py A.npy B.npy C.npy

C = A^T B, where A.npy holds A as it is: it is read transposed.
"""

import sys

import watari

if len(sys.argv) != 4:
    sys.exit("usage: python examples/python/product.py A.npy B.npy C.npy")
a, b, c = sys.argv[1:]
plan = watari.gemm(a, b, c, transpose_a=True, fast_memory="1GiB", dry_run=True)
print(f"will read {plan.bytes_read} bytes and write {plan.bytes_written}")
done = watari.gemm(a, b, c, transpose_a=True, fast_memory="1GiB")
print(f"read {done.bytes_read} bytes and wrote {done.bytes_written} in {done.tiles} tiles")
