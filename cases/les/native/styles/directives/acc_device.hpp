/// The device of the acc- styles.
#pragma once

#include "directive.hpp"

#include <openacc.h>

namespace watari::les::directive {

/// Chooses the device and makes the runtime library load its code there; false if there is none.
inline bool choose_device(const request& r, answer& out) {
    if (r.gpu == on_host) {
        acc_set_device_type(acc_device_host);
        return true;
    }
    out.no_device = r.gpu >= acc_get_num_devices(acc_device_nvidia);
    if (out.no_device) return false;
    acc_set_device_num(r.gpu, acc_device_nvidia);
    return true;
}

/// Whether a parallel region runs on the GPU: results do not show it.
inline int asks_where_it_runs() {
    int on_gpu = 0;
#pragma acc parallel copy(on_gpu)
    on_gpu = acc_on_device(acc_device_not_host);
    return on_gpu;
}

}  // namespace watari::les::directive
