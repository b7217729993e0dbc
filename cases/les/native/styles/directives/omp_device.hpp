/// The device of the style omp-target.
#pragma once

#include "directive.hpp"

#include <omp.h>

namespace watari::les::directive {

/// Chooses the device and makes the runtime library load its code there; false if there is none.
inline bool choose_device(const request& r, answer& out) {
    const int host = omp_get_initial_device();
    out.no_device = r.gpu != on_host && r.gpu >= omp_get_num_devices();
    omp_set_default_device(r.gpu == on_host ? host : r.gpu);
    return !out.no_device;
}

/// Whether a target region runs on the GPU: results do not show it.
inline int asks_where_it_runs() {
    int on_gpu = 0;
#pragma omp target map(tofrom : on_gpu)
    on_gpu = !omp_is_initial_device();
    return on_gpu;
}

}  // namespace watari::les::directive
