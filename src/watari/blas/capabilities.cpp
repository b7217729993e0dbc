#include "watari/gemm/capabilities.hpp"

#include "watari/gemm/blas_ways.hpp"

namespace watari::gemm {

namespace {

machine::capability row(const char* name, const blas_library& found) {
    const bool usable = found.why_not.empty();
    return {name, usable, found.why_not, usable ? found.version + ", " + found.file : ""};
}

}  // namespace

std::vector<machine::capability> capabilities() {
    return {row("openblas", openblas_library()), row("cublas", cublas_library())};
}

}  // namespace watari::gemm
