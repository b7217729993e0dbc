"""The modules that the tests of this folder share, and the emulated GPU for tests of trials."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from kernel_emulated import gpu as gpu
