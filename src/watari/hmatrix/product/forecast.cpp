#include "watari/hmatrix/product/forecast.hpp"

#include "watari/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace watari::hmatrix {

namespace {

constexpr std::size_t margin = std::size_t{1} << 16;  ///< alignment of separate allocations

std::uint64_t scratch_of(const plan_lists& lists, const product_options& how) {
    return lists.bytes() + 8 * scratch_doubles(lists.scratch(), how);
}

std::uint64_t size_of(std::span<const batch> batches) {
    std::uint64_t sum = 0;
    for (const batch& one : batches) sum += one.bytes;
    return sum;
}

/// Chooses the batches that stay: `room` bytes of all, spread evenly over the order, and no more
/// than fit.
std::vector<bool> spread(std::span<const batch> batches, std::uint64_t room,
                         std::uint64_t& resident) {
    const double part = static_cast<double>(room) / static_cast<double>(size_of(batches));
    std::vector<bool> stays(batches.size());
    double due = 0;
    for (std::size_t b = 0; b < stays.size(); ++b) {
        const std::uint64_t bytes = batches[b].bytes;
        due += part * static_cast<double>(bytes);
        if (due < static_cast<double>(resident + bytes) || resident + bytes > room) continue;
        stays[b] = true;
        resident += bytes;
    }
    for (std::size_t b = 0; b < stays.size(); ++b)  // fills the room that rounding left
        if (!stays[b] && resident + batches[b].bytes <= room) {
            stays[b] = true;
            resident += batches[b].bytes;
        }
    return stays;
}

/// Chooses the batches that stay: those whose leaves lie nearest to the diagonal, as many as fit.
std::vector<bool> nearest(const matrix_index& index, std::span<const batch> batches,
                          std::uint64_t room, std::uint64_t& resident) {
    std::vector<double> away(batches.size());
    for (std::size_t b = 0; b < batches.size(); ++b) {
        double sum = 0, elements = 0;
        for (std::size_t i = 0; i < batches[b].leaves; ++i) {
            const leaf_record& leaf = index.leaves[batches[b].first_leaf + i];
            const auto own = static_cast<double>(leaf.elements());
            sum +=
                own * std::abs((leaf.row + 0.5 * leaf.rows) - (leaf.column + 0.5 * leaf.columns));
            elements += own;
        }
        away[b] = sum / elements;
    }
    std::vector<std::size_t> order(batches.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return away[a] < away[b]; });
    std::vector<bool> stays(batches.size());
    for (const std::size_t b : order) {
        if (resident + batches[b].bytes > room) continue;
        stays[b] = true;
        resident += batches[b].bytes;
    }
    return stays;
}

}  // namespace

std::vector<batch> parts_of(const matrix_index& index, const product_forecast& ahead) {
    if (!ahead.whole) return ahead.batches;
    return batches_of(index, index.head.index_offset);
}

plan_lists lists_of(const matrix_index& index, const product_forecast& ahead, processor who) {
    return {index, parts_of(index, ahead),
            who.is_gpu() ? processor::type::gpu : processor::type::cpu};
}

std::size_t scratch_doubles(std::size_t of_a_system, const product_options& how) {
    return std::max<std::size_t>(1, of_a_system * std::min(how.systems, systems_at_once));
}

std::uint64_t largest_of(std::span<const batch> batches) {
    std::uint64_t largest = 0;
    for (const batch& one : batches) largest = std::max(largest, one.bytes);
    return largest;
}

std::uint64_t least_of_any(const matrix_index& index, const product_options& how) {
    const batch all{.offset = 0, .bytes = 0, .first_leaf = 0, .leaves = index.leaves.size()};
    const auto kernels = how.who.is_gpu() ? processor::type::gpu : processor::type::cpu;
    std::uint64_t elements = 0;
    for (const leaf_record& leaf : index.leaves) elements = std::max(elements, leaf.elements());
    const std::uint64_t largest = elements * index.head.of.element_bytes;
    const std::uint64_t pages = (largest + page_bytes - 1) / page_bytes;
    return scratch_of({index, std::span(&all, 1), kernels}, how) +
           (how.ahead + 1) * pages * page_bytes + margin;
}

product_forecast forecast(const matrix_index& index, const product_options& how) {
    product_forecast ahead;
    ahead.batches = batches_of(index, how.batch_bytes);
    const std::uint64_t size = index.data_bytes(), largest = largest_of(ahead.batches);
    ahead.whole = true;
    const std::uint64_t whole = scratch_of(lists_of(index, ahead, how.who), how);
    ahead.whole = false;
    const std::uint64_t apart = scratch_of(lists_of(index, ahead, how.who), how);
    const std::uint64_t slots = (how.ahead + 1) * largest;
    ahead.least = apart + slots + margin;
    if (how.fast_memory > 0 && how.fast_memory < ahead.least)
        throw usage_error("fast memory of " + bytes_text(how.fast_memory) +
                          " is too small for this matrix in batches of " + bytes_text(largest) +
                          "; give " + bytes_text(ahead.least) + " or more");
    if (how.pinned && (how.fast_memory == 0 || how.fast_memory >= whole + size + slots + margin)) {
        ahead.whole = true;
        ahead.resident = size;
        ahead.memory = whole + size + slots + margin;  // it loads through the slots
        ahead.stays.assign(ahead.batches.size(), true);
        return ahead;
    }
    const std::uint64_t room = how.pinned ? how.fast_memory - ahead.least : 0;
    ahead.stays = how.near_first ? nearest(index, ahead.batches, room, ahead.resident)
                                 : spread(ahead.batches, room, ahead.resident);
    ahead.read = size_of(ahead.batches) - ahead.resident;
    ahead.memory = apart + slots + ahead.resident + margin;
    return ahead;
}

}  // namespace watari::hmatrix
