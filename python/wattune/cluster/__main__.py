"""The command `python -m wattune.cluster`."""

import sys

if __name__ == "__main__":
    from .command import main

    sys.exit(main())
