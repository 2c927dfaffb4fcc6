#!/usr/bin/env python3
"""Generates dashboards/*.json for Grafana from boards/, the single source of their contents.

Usage: dashboards.py [--check]

--check writes nothing and fails if a file differs from what would be written. Needs the packages of requirements.txt.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "dashboards"
# The exit code if a package is missing, which is not a difference.
NOT_INSTALLED = 3

try:
    from boards import filter_dedup, fleet, hosts, overview, policy, resources
    from panels import encoded
except ModuleNotFoundError as error:
    if not (error.name or "").startswith("grafana_foundation_sdk"):
        raise
    print(f"the Python package {error.name} is missing: pip install -r grafana/requirements.txt", file=sys.stderr)
    sys.exit(NOT_INSTALLED)

BOARDS = {"overview": overview, "hosts": hosts, "policy": policy, "filter-dedup": filter_dedup, "resources": resources, "fleet": fleet}


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    wrong = []
    for file, board in BOARDS.items():
        path, wanted = FOLDER / f"{file}.json", encoded(board.board())
        if not check:
            path.write_text(wanted, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
            wrong.append(path.name)
    wrong += [path.name for path in FOLDER.glob("*.json") if path.stem not in BOARDS]
    if wrong:
        sys.exit(f"these files differ from what grafana/boards/ describes: {', '.join(wrong)}; run python3 grafana/dashboards.py")


if __name__ == "__main__":
    main()
