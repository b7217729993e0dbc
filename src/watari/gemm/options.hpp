/// Options of a product, and the threads, requests and memory that follow from them.
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
    std::size_t tile = 0;  ///< elements along an edge; default: see defaults.hpp
    schedule_kind schedule = schedule_kind::reuse;
    precision type = precision::single_precision;
    std::size_t fast_memory = 0;  ///< bytes
    double alpha = 1, beta = 0;
    std::size_t threads = 1;  ///< threads that read, and as many that write; or of the controller
    std::size_t depth = 1;    ///< requests in flight of each thread
};

/// Threads per direction that submit lists to queues: one submits while the other's list ends.
inline constexpr std::size_t queue_movers = 2;

bool is_queue(const options& p);

/// Returns the tiles that a request on a disk should cover, by matrix.
tiles_per_request tiles_per_request_of(const options& p, const placement& a, const placement& b,
                                       const placement& c);

/// Whether tiles come from a disk that is slower than the products: a GPU with a deep engine.
bool is_store_bound(const options& p, bool on_disk);

/// Return the threads that read (as many write), and the requests in flight of each.
std::size_t movers_of(const options& p);
std::size_t depth_of(const options& p);

/// Throws beyond_memory, unsupported if the fast memory cannot be allocated.
void require_room_for(const options& p);

/// Throws beyond_memory if RLIMIT_AS leaves too few addresses for tiles, OpenBLAS and threads.
/// Called once, before OpenBLAS is loaded.
void require_addresses_for(const options& p);

/// Whether a type represents a factor: as float, 1e39 is infinite and 1e-50 is 0.
bool holds(precision type, double factor);

/// Throws usage_error for factors that the type of the elements does not represent.
void require_factors(const options& p);

}  // namespace watari::gemm
