#!/usr/bin/env bash
# Makes the site of all pages in build/site, which a browser opens without a network, and checks its links.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

scripts/setup.sh docs
python -c 'import watari._native' 2>/dev/null || scripts/build.sh # commands and axes come from the program itself
pages=build/docs
mkdir -p $pages
step "Pages"
python scripts/site/stage.py $pages/source
step "Site"
rm -rf build/site
python -m sphinx -q -W --keep-going -b html $pages/source build/site
step "Links"
python scripts/site/links.py build/site
printf '\nThe site: %s\n' "$PWD/build/site/README.html"
