#!/usr/bin/env bash
# Makes the source package in dist/, which builds without git: it has the revision of its sources.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

venv=build/wheel/sdist
[[ -x $venv/bin/pyproject-build ]] || {
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check build
}
trap 'rm -f cmake/revision' EXIT
git describe --always --dirty --abbrev=12 >cmake/revision
"$venv/bin/python" -m build --sdist -o "${OUT:-dist}" .
