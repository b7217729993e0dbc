"""`watari`, except that a product syncs its completed tiles 50 times a second, not once.

So products of a fraction of a second have tiles to resume from. Started by commands.py.
"""

import sys

from watari import __main__

if __name__ == "__main__":
    try:
        from watari.cases.gemm import product
    except KeyboardInterrupt:  # as __main__.main answers it
        print("watari: interrupted", file=sys.stderr)
        sys.exit(130)
    product.INTERVAL = 0.02
    __main__.main()
