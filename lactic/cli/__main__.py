"""`python -m lactic.cli`: the same as `lactic`."""

import sys

from lactic.cli import main

sys.exit(main())
