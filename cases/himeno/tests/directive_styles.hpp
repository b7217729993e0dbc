/// The directive styles as host code, for the programs that link them.
#pragma once

#include "../native/directive.hpp"

#include <cstdlib>
#include <string>
#include <utility>

extern "C" {
#define WATARI_STYLE(name) \
    void name(const watari::himeno::directive::request*, watari::himeno::directive::answer*)
WATARI_STYLE(acc_data);
WATARI_STYLE(acc_host_data);
WATARI_STYLE(acc_managed_all);
WATARI_STYLE(acc_system);
WATARI_STYLE(omp_target);
WATARI_STYLE(omp_system);
#ifdef WATARI_FORTRAN_STYLES
WATARI_STYLE(f_acc_data);
WATARI_STYLE(f_acc_host_data);
WATARI_STYLE(f_acc_managed_all);
WATARI_STYLE(f_acc_managed);
WATARI_STYLE(f_omp_target);
WATARI_STYLE(f_do_concurrent);
WATARI_STYLE(f_cpu);
#endif
#undef WATARI_STYLE

// Replace managed_malloc.cpp, which needs a GPU.
inline int managed_blocks = 0;
__attribute__((used)) inline void* managed_malloc(std::size_t bytes) {
    ++managed_blocks;
    return std::calloc(1, bytes);
}
__attribute__((used)) inline void managed_free(void* data) {
    --managed_blocks;
    std::free(data);
}
}

namespace watari::himeno {

inline const std::pair<std::string, directive::function> directive_styles[] = {
    {"acc-data", acc_data},
    {"acc-host-data", acc_host_data},
    {"acc-managed-all", acc_managed_all},
    {"acc-system", acc_system},
    {"omp-target", omp_target},
    {"omp-system", omp_system},
#ifdef WATARI_FORTRAN_STYLES
    {"f-acc-data", f_acc_data},
    {"f-acc-host-data", f_acc_host_data},
    {"f-acc-managed-all", f_acc_managed_all},
    {"f-acc-managed", f_acc_managed},
    {"f-omp-target", f_omp_target},
    {"f-do-concurrent", f_do_concurrent},
    {"f-cpu", f_cpu},
#endif
};

}  // namespace watari::himeno
