#!/usr/bin/env bash
# Makes the source package in dist/, which builds without git: it has the revision of its sources.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

mkdir -p build/wheel
exec 9>build/wheel/sdist.lock
flock 9 # another call would remove cmake/revision, which this one packs
venv=build/wheel/sdist
[[ -x $venv/bin/pyproject-build ]] || {
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check build
}
trap 'rm -f cmake/revision' EXIT
git describe --always --dirty --abbrev=12 >cmake/revision
"$venv/bin/python" -m build --sdist -o "${OUT:-dist}" .
