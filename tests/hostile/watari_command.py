"""`watari`, but a product's finished tiles become durable many times a second, not once.

Products of a fraction of a second then have something to resume. Started by commands.py.
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
