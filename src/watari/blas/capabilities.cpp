#include "watari/blas/capabilities.hpp"

#include "watari/blas/libraries.hpp"

namespace watari::blas {

namespace {

machine::capability row(const char* name, const library_facts& found) {
    const bool usable = found.why_not.empty();
    return {name, usable, found.why_not, usable ? found.version + ", " + found.file : ""};
}

}  // namespace

std::vector<machine::capability> capabilities() {
    return {row("openblas", openblas_library()), row("cublas", cublas_library())};
}

}  // namespace watari::blas
