#!/usr/bin/env bash
# Builds the styles in directives with GCC's code for NVIDIA GPUs, for a machine with a GPU whose GCC makes none:
#   scripts/offload.sh FOLDER      then there: OFFLOAD=FOLDER scripts/gpu.sh ...
# Its packages (Debian and Ubuntu) are downloaded and unpacked below build/, not installed. FOLDER gets the shared
# objects, and the libgomp that they were made for with its plugin.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

folder=$(realpath -ms "$1") build=build/offload
version=$(g++ -dumpversion | cut -d. -f1) triple=$(g++ -print-multiarch)
root=$PWD/$build/root
gcc=$root/usr/lib/gcc/$triple/$version
mkdir -p "$folder" "$root"
(
    cd "$build"
    apt-get -q download "gcc-$version-offload-nvptx" nvptx-tools libgomp-plugin-nvptx1 libgomp1
    for package in ./*.deb; do dpkg -x "$package" root; done
)
export COMPILER_PATH=$gcc:$root/usr/bin PATH=$root/usr/bin:$PATH
cmake -S . -B $build -G Ninja -DWATARI_CUDA=ON -DCMAKE_CXX_FLAGS="-B$gcc/" | grep watari:
ninja -C $build watari_{lattice,himeno}_{acc,omp}
find $build/cases -name 'libwatari_*.so' -exec cp {} "$folder" \;
cp -L "$root/usr/lib/$triple"/libgomp.so.1 "$root/usr/lib/$triple"/libgomp-plugin-nvptx.so.1 "$folder"
ls -l "$folder"
