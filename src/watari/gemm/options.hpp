/// What a product is asked to be, and what follows from that for threads, requests and room.
#pragma once

#include "watari/core/processor.hpp"
#include "watari/gemm/schedule/placement.hpp"
#include "watari/gemm/schedule/schedule.hpp"

#include <cstddef>
#include <string>

namespace watari::gemm {

struct options {
    std::string engine;  ///< a row of storage::engines(), or pinned or managed
    watari::processor processor;
    std::size_t tile = 0;  ///< elements along an edge; defaults.hpp has what suits
    schedule_kind schedule = schedule_kind::reuse;
    precision type = precision::single_precision;
    std::size_t fast_memory = 0;  ///< bytes
    double alpha = 1, beta = 0;
    std::size_t threads = 1;  ///< that read, and as many that write; or those of the controller
    std::size_t depth = 1;    ///< requests in flight of each
};

/// Threads that give the lists to queues: one at work while the other's list ends.
inline constexpr std::size_t queue_movers = 2;

bool is_queue(const options& p);

/// Tiles that requests on a disk should cover.
tiles_per_request tiles_per_request_of(const options& p, const placement& a, const placement& b,
                                       const placement& c);

/// Whether tiles come from a disk, which is slower than a GPU's products.
bool is_store_bound(const options& p, bool on_disk);

/// Threads that read, and as many that write; requests in flight of each.
std::size_t movers_of(const options& p);
std::size_t depth_of(const options& p);

/// Throws beyond_memory, unsupported where there is no room for the fast memory.
void require_room_for(const options& p);

/// Throws beyond_memory where RLIMIT_AS leaves too few addresses for tiles, OpenBLAS and threads.
/// Asked once, before OpenBLAS is loaded.
void require_addresses_for(const options& p);

/// Whether elements of a type hold a factor: of float, 1e39 would be infinite and 1e-50 nothing.
bool holds(precision type, double factor);

/// Throws usage_error for factors that the elements' type does not hold.
void require_factors(const options& p);

}  // namespace watari::gemm
