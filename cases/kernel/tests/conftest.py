"""The emulated GPU for tests of trials."""

from emulated import gpu as gpu
