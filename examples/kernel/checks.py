"""What the kernels of this folder must write: `check=checks.py:saxpy`."""

import numpy


def saxpy(n, alpha, x, y):
    return alpha * x + y


def gather(n, index, a, b):
    return a[index]


def stencil(n, a, b):
    numpy.testing.assert_array_equal(b[[0, -1]], a[[0, -1]])
    expected = a.copy()
    expected[1:-1] = a[:-2] - 2 * a[1:-1] + a[2:]
    return expected
