#!/usr/bin/env bash
# Builds the styles in directives with code for NVIDIA GPUs, for a machine whose compilers make none:
#   scripts/offload.sh FOLDER      then there: OFFLOAD=FOLDER scripts/gpu.sh ...
# GCC's, gfortran's and LLVM's (OpenMP, for sm_90; ARCH=sm_80 chooses another). The packages (Debian and
# Ubuntu, PyPI) are downloaded and unpacked below build/, not installed. FOLDER gets the shared objects and the
# runtime libraries that they were made for; it packs into less than 40 MiB: tar -cJf styles.tar.xz FOLDER
set -euo pipefail
source "$(dirname "$0")/environment.sh"

folder=$(realpath -ms "$1") build=build/offload llvm=19
version=$(g++ -dumpversion | cut -d. -f1) triple=$(g++ -print-multiarch)
root=$PWD/$build/root cuda=$PWD/$build/cuda
gcc=$root/usr/lib/gcc/$triple/$version clang=$root/usr/lib/llvm-$llvm
mkdir -p "$folder" "$root" "$cuda"

packages=("gcc-$version-offload-nvptx" nvptx-tools libgomp-plugin-nvptx1 libgomp1 libgfortran5 libquadmath0
    "clang-$llvm" "clang-tools-$llvm" "libomp-$llvm-dev" "libomp5-$llvm" "libclang-common-$llvm-dev" "libclang-cpp$llvm"
    "libllvm$llvm" "llvm-$llvm-linker-tools" libz3-4 libedit2 libxml2)
(
    cd "$build"
    apt-get -q download "${packages[@]}"
    for package in ./*.deb; do dpkg -x "$package" root; done
    # ptxas and the linker of CUDA 12: see scripts/gpu/nvlink.py
    python3 -m pip download -q --no-deps --exists-action i -d . 'nvidia-cuda-nvcc-cu12==12.8.*' 'nvidia-nvjitlink-cu12==12.8.*'
    for wheel in ./nvidia_*.whl; do python3 -m zipfile -e "$wheel" "$cuda"; done
)
ln -sfn nvidia/cuda_nvcc/nvvm "$cuda/nvvm"
ln -sfn nvidia/nvjitlink/lib "$cuda/lib"
ln -sfn "$(dirname "$(dirname "$(realpath "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")/include" "$cuda/include"
mkdir -p "$cuda/bin"
cp "$cuda/nvidia/cuda_nvcc/bin/ptxas" scripts/gpu/nvlink.py "$cuda/bin"
mv "$cuda/bin/nvlink.py" "$cuda/bin/nvlink"
chmod +x "$cuda"/bin/*

cat >"$build/clang++" <<EOF
#!/bin/sh
export LD_LIBRARY_PATH=$root/usr/lib/$triple:$clang/lib PATH=$clang/bin:\$PATH
exec clang++ "\$@" --offload-arch=${ARCH:-sm_90} --cuda-path=$cuda \\
    --libomptarget-nvptx-bc-path=$clang/lib/libomptarget-nvptx-${ARCH:-sm_90}.bc
EOF
# device code for the host, for tests without a GPU: -DWATARI_LLVM_HOST=.../clang++-host
cat >"$build/clang++-host" <<EOF
#!/bin/sh
export LD_LIBRARY_PATH=$root/usr/lib/$triple:$clang/lib PATH=$clang/bin:\$PATH
exec clang++ "\$@" -L$clang/lib -L$root/usr/lib/$triple -Wl,--no-as-needed,-l:libLLVM.so.$llvm.1,--disable-new-dtags \\
    -Wl,-rpath,$clang/lib:$root/usr/lib/$triple
EOF
chmod +x "$build/clang++" "$build/clang++-host"
export COMPILER_PATH=$gcc:$root/usr/bin PATH=$root/usr/bin:$PATH
cmake -S . -B $build -G Ninja -U "WATARI_OFFLOADS_*" -DWATARI_CUDA=ON -DCMAKE_CXX_FLAGS="-B$gcc/" -DCMAKE_Fortran_FLAGS="-B$gcc/" \
    -DWATARI_LLVM="$PWD/$build/clang++" | grep watari:
ninja -C $build watari_directives

find $build/cases -name 'libwatari_*.so' -exec cp {} "$folder" \;
for styles in acc_gcc omp_gcc omp_llvm fortran_acc_gcc fortran_omp_gcc; do
    [[ -f $folder/libwatari_himeno_$styles.so ]] ||
        fail "no styles $styles: $build/CMakeFiles/CMakeConfigureLog.yaml says why"
done
for library in libgomp.so.1 libgomp-plugin-nvptx.so.1 libgfortran.so.5 libquadmath.so.0; do
    cp -L "$root/usr/lib/$triple/$library" "$folder"
done
cp -L "$clang"/lib/{libomp.so.5,libomptarget.so.$llvm.*} "$root/usr/lib/$triple"/libLLVM.so.$llvm.* "$folder"
strip --strip-unneeded "$folder"/libLLVM.so.*

# Stands for a library of which libLLVM.so uses nothing here, under a name that no other program looks for: only its
# names and their versions. $1: the library, $2: its new name, of the same length
stand_in() {
    sed -i "s/${1//./\\.}/$2/g" "$folder"/libLLVM.so.*
    local defined=$root/usr/lib/$triple/$1
    nm -D --defined-only "$defined" | awk '{ sub(/@.*/, "", $3); print $3 }' >"$build/defined"
    # name and version of each symbol that it has to have
    nm -D --undefined-only "$folder"/libLLVM.so.* | tr @ ' ' |
        awk 'NR == FNR { known[$1] = 1; next } $2 in known { print $2, $3 }' "$build/defined" - >"$build/names"
    awk '{ print "void " $1 "(void) { __builtin_trap(); }" }' "$build/names" >"$build/stand_in.c"
    awk 'NF > 1 { of[$2] = of[$2] $1 ";" } END { for (version in of) print version " { " of[version] " };" }' \
        "$build/names" >"$build/versions"
    [[ -s $build/versions ]] || echo '{ global: *; };' >"$build/versions"
    gcc -shared -fPIC -w -o "$folder/$2" "$build/stand_in.c" "-Wl,-soname,$2,--version-script=$build/versions"
}
stand_in libz3.so.4 libzx.so.4
stand_in libedit.so.2 libedix.so.2
stand_in libxml2.so.2 libxmlx.so.2
# LLVM looks for libcuda.so, which only developers' packages have
gcc -shared -o "$folder/libcuda.so" -Wl,-soname,libcuda.so,--no-as-needed \
    -L"$(dirname "$(find -L /usr/local/cuda/ -path '*stubs/libcuda.so' | head -n 1)")" -lcuda
ls -l "$folder"
