/// The directive styles as host code, for the programs that link them.
#pragma once

#include "../native/directive.hpp"

#include <string>
#include <utility>

extern "C" {
void lattice_acc_data(const watari::lattice::directive::request*,
                      watari::lattice::directive::answer*);
void lattice_acc_host_data(const watari::lattice::directive::request*,
                           watari::lattice::directive::answer*);
void lattice_acc_managed(const watari::lattice::directive::request*,
                         watari::lattice::directive::answer*);
void lattice_omp_target(const watari::lattice::directive::request*,
                        watari::lattice::directive::answer*);
void lattice_omp_device_ptr(const watari::lattice::directive::request*,
                            watari::lattice::directive::answer*);
extern int managed_arrays;  ///< number of arrays that acc-managed holds
}

namespace watari::lattice {

inline const std::pair<std::string, directive::function> directive_styles[] = {
    {"acc-data", lattice_acc_data},
    {"acc-host-data", lattice_acc_host_data},
    {"acc-managed", lattice_acc_managed},
    {"omp-target", lattice_omp_target},
    {"omp-device-ptr", lattice_omp_device_ptr}};

inline parameters directive_parameters(const std::string& style, const extents& size) {
    parameters p;
    p.style = style;
    p.size = size;
    p.kernel = kernel::shared;
    return p;
}

}  // namespace watari::lattice
