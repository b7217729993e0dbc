/// What a product is asked to be, and what follows from that for threads, requests and room.
#pragma once

#include "watari/core/processor.hpp"
#include "watari/gemm/placement.hpp"
#include "watari/gemm/schedule.hpp"

#include <cstddef>
#include <string>

namespace watari::gemm {

struct parameters {
    std::string engine;  ///< a row of storage::engines(), or pinned or managed
    watari::processor processor;
    shape size{};
    std::size_t tile = 2048;
    layout order = layout::row_major;
    gemm::order schedule = order::reuse;
    precision type = precision::single_precision;
    std::string store;   ///< file or ram; ram is a file in memory to engines that read files
    std::string folder;  ///< of the file
    std::size_t fast_memory = 0;  ///< bytes
    double alpha = 1, beta = 0;
    std::size_t threads = 1;  ///< that read, and as many that write; or those of the controller
    std::size_t depth = 1;    ///< requests in flight of each
    std::size_t samples = 1;
    bool oversubscribe = false;
};

/// Threads that give the lists to queues: one at work while the other's list ends.
inline constexpr std::size_t queue_movers = 2;

bool is_queue(const parameters& p);

/// Tiles that requests on a disk should cover.
together together_of(const parameters& p, const placement& a, const placement& b,
                     const placement& c);

/// Whether tiles come from a disk, which is slower than a GPU's products.
bool is_patient(const parameters& p);

/// Threads that read, and as many that write; requests in flight of each.
std::size_t movers_of(const parameters& p);
std::size_t depth_of(const parameters& p);

/// Throws beyond_memory, unsupported where there is no room for the fast memory.
void require_room_for(const parameters& p);

/// Throws usage_error for factors that the elements' type does not hold: of float, 1e39 would be
/// infinite and 1e-50 nothing.
void require_factors(const parameters& p);

}  // namespace watari::gemm
