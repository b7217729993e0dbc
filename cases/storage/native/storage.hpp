/// Case storage: moves blocks of a store to or from memory, by one engine. Throws as the cases of
/// memory paths do.
#pragma once

#include "watari/case/common.hpp"
#include "watari/core/processor.hpp"
#include "watari/files/striped_files.hpp"
#include "watari/measure/trial.hpp"
#include "watari/storage/verify/order.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace watari::cases {

/// Parameters of case `storage`. `size` is that of the whole store; a sample moves `requests`
/// blocks, with `depth` in flight a thread. `seed` selects the random order, and written
/// generations count up from it.
struct storage_parameters : common {
    watari::processor processor;
    std::string engine;
    storage::pattern pattern = storage::pattern::random;
    files::direction direction = files::direction::read;
    std::size_t block = 4096;
    std::size_t depth = 1;
    std::size_t requests = 1;
    std::size_t files = 1;
    files::cache_state cache = files::cache_state::none;
    std::string folder;
    std::string store = "file";  ///< file, ram, modelled:<name of an SSD>
    std::string fault = "none";  ///< of the controller (storage/backends/faulty.hpp)
    std::uint64_t seed = 0;
};
measure::trial storage(const storage_parameters& p);

}  // namespace watari::cases
