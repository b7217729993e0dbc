"""The modules that the tests of this folder share."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
