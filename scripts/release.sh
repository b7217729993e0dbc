#!/usr/bin/env bash
# Makes a release: release.sh VERSION writes the version and the date, commits and tags, and makes all packages in dist/.
# The section "Unreleased" of CHANGELOG.md becomes that of the version. It pushes and uploads nothing.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

version=${1:?release.sh VERSION, such as 0.2.0}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "'$version' is no version: MAJOR.MINOR.PATCH"
[[ -z $(git status --porcelain) ]] || fail "There are changes that are not committed"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || fail "Tag v$version exists already"
grep -q '^## Unreleased$' CHANGELOG.md || fail "CHANGELOG.md has no section 'Unreleased'"

sed -i "s/^project(watari VERSION [0-9.]*/project(watari VERSION $version/" CMakeLists.txt
sed -i "s/^## Unreleased$/## $version ($(date +%F))/" CHANGELOG.md
git commit -qam "release: $version"
git tag -a "v$version" -m "Watari $version"
scripts/sdist.sh
scripts/wheel.sh x86_64 aarch64
echo "Tagged v$version. Push it with: git push origin HEAD v$version"
