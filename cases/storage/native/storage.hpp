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
#include <vector>

namespace watari::cases {

inline constexpr word<storage::pattern> patterns[] = {{"random", storage::pattern::random},
                                                      {"sequential", storage::pattern::sequential}};
inline constexpr word<files::direction> directions[] = {{"read", files::direction::read},
                                                        {"write", files::direction::write}};
inline constexpr word<files::cache_state> cache_states[] = {{"none", files::cache_state::none},
                                                            {"cold", files::cache_state::cold},
                                                            {"warm", files::cache_state::warm}};

/// Data of the user, which are only read: `bytes` of each file or object, from `offset` on.
struct own_data {
    std::vector<std::string> paths{};
    std::uint64_t offset = 0, bytes = 0;

    static constexpr std::tuple members{member{"paths", &own_data::paths},
                                        member{"offset", &own_data::offset},
                                        member{"bytes", &own_data::bytes}};
};

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
    std::size_t files = 1;  ///< or modelled SSDs
    files::cache_state cache = files::cache_state::none;
    std::string folder;                  ///< of test files, or an address of objects
    std::vector<std::string> folders{};  ///< of test files, each with one file in turn
    std::string store = "file";  ///< file, ram, modelled:<name of an SSD, or file of its model>
    std::string fault = "none";  ///< of the controller (storage/backends/faulty.hpp)
    std::uint64_t seed = 0;
    own_data own{};  ///< in place of test files
    std::vector<double>
        ssd{};  ///< rows of the measured model in `store` (storage/backends/ssd.hpp)
    std::vector<std::uint64_t>
        trace{};  ///< block numbers in the order of a workload; empty: by `pattern`
    /// Seconds at which the blocks of `trace` arrive, ascending; empty: as fast as possible.
    std::vector<double> times{};

    bool has_own() const { return !own.paths.empty(); }
    /// Offset of a block in the store. Each of the user's files has whole blocks, from its data on.
    std::uint64_t place(std::uint64_t number) const {
        if (!has_own()) return number * block;
        const std::uint64_t in_each = own.bytes / block;
        return number / in_each * files::file_room + own.offset + number % in_each * block;
    }

    static constexpr auto members = std::tuple_cat(
        common::members, std::tuple{
                             member{"processor", &storage_parameters::processor},
                             member{"engine", &storage_parameters::engine},
                             member{"pattern", &storage_parameters::pattern, patterns},
                             member{"direction", &storage_parameters::direction, directions},
                             member{"block", &storage_parameters::block},
                             member{"depth", &storage_parameters::depth},
                             member{"requests", &storage_parameters::requests},
                             member{"files", &storage_parameters::files},
                             member{"cache", &storage_parameters::cache, cache_states},
                             member{"folder", &storage_parameters::folder},
                             member{"folders", &storage_parameters::folders},
                             member{"store", &storage_parameters::store},
                             member{"fault", &storage_parameters::fault},
                             member{"seed", &storage_parameters::seed},
                             member{"ssd", &storage_parameters::ssd},
                             member{"trace", &storage_parameters::trace},
                             member{"times", &storage_parameters::times},
                             nested{&storage_parameters::own, own_data::members},
                         });
};
measure::trial storage(const storage_parameters& p);

}  // namespace watari::cases
