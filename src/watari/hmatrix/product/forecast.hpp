/// The effect of a budget of fast memory: the batches that stay, and the bytes that a product
/// reads.
#pragma once

#include "watari/hmatrix/product/plan.hpp"
#include "watari/storage/backends/backend.hpp"
#include "watari/storage/backends/disk_array.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace watari::hmatrix {

struct product_options {
    processor who = the_cpu;
    std::size_t systems = 1;       ///< right-hand sides of a product, at most
    std::size_t fast_memory = 0;   ///< bytes for batches, lists and t; 0: as many as all take
    bool pinned = true;            ///< batches that fit stay; false: each product reads all of them
    std::string engine = "posix";  ///< a row of storage::engines()
    std::size_t batch_bytes = std::size_t{1} << 22;  ///< of a batch, where it has several leaves
    std::size_t ahead = 3;                           ///< batches that are read ahead
    std::size_t readers = 2, depth = 16;
    std::size_t request = std::size_t{1} << 17;
    bool direct = true;             ///< past the page cache
    bool near_first = false;        ///< batches near the diagonal stay
    bool verify_always = false;     ///< verify each read of a batch, not only the first
    std::span<std::byte> memory{};  ///< holds the file, for engines of queues
    std::shared_ptr<storage::backend> behind{};  ///< backend of these engines, instead of the file
    std::shared_ptr<storage::disk_array>
        disks{};          ///< modelled SSDs, whose times reads of files have
    double timeout = 10;  ///< seconds that a reader waits for a command
};

/// The forecast for a matrix and a budget.
struct product_forecast {
    bool whole = false;          ///< all of it stays in memory
    std::uint64_t resident = 0;  ///< bytes of batches that stay
    std::uint64_t read = 0;      ///< bytes that each product reads, after the first one
    std::uint64_t memory = 0;    ///< bytes that are taken
    std::uint64_t least = 0;     ///< smallest budget for a product
    std::vector<batch> batches{};
    std::vector<bool> stays{};  ///< by batch
};

/// Forecasts a product; reads nothing. Throws usage_error, which names `least`, if the budget is
/// below it.
product_forecast forecast(const matrix_index& index, const product_options& how);

/// A lower bound of `least` for any matrix with these leaves, whatever the ranks of the low-rank
/// ones and the batches: the lists, and the largest leaf in each slot. `index` needs no offsets.
std::uint64_t least_of_any(const matrix_index& index, const product_options& how);

/// The batches that are multiplied by one call of the kernels each: those that are read, or the
/// parts of a matrix that stays whole in memory.
std::vector<batch> parts_of(const matrix_index& index, const product_forecast& ahead);

/// The kernels' lists of these batches.
plan_lists lists_of(const matrix_index& index, const product_forecast& ahead, processor who);

/// Doubles of the kernels' scratch memory, of which one system takes `of_a_system`.
std::size_t scratch_doubles(std::size_t of_a_system, const product_options& how);

/// Bytes of the largest batch.
std::uint64_t largest_of(std::span<const batch> batches);

}  // namespace watari::hmatrix
