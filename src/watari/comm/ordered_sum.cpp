#include "watari/comm/ordered_sum.hpp"

#include "watari/core/parallel/sums.hpp"

#include <algorithm>
#include <string>

namespace watari::comm {

ordered_sum::ordered_sum(const communicator& ranks, std::span<const std::size_t> places,
                         std::size_t count, std::size_t values)
    : ranks_(&ranks), count_(count), values_(values) {
    const std::vector<std::size_t> sizes = ranks.gather(places.size());
    most_ = *std::ranges::max_element(sizes);
    std::vector<std::size_t> own(most_, count);
    std::ranges::copy(places, own.begin());
    places_.resize(most_ * sizes.size());
    ranks.gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(places_)));
    std::vector<bool> seen(count);
    std::size_t found = 0;
    for (const std::size_t place : places_) {
        if (place > count || (place < count && seen[place]))
            throw usage_error("a partial sum's place, " + std::to_string(place) + " of " +
                              std::to_string(count) + ", is not one rank's");
        if (place < count) seen[place] = true, ++found;
    }
    if (found != count)
        throw usage_error(std::to_string(count - found) + " of " + std::to_string(count) +
                          " partial sums are no rank's");
    own_.resize(most_ * values);
    all_.resize(own_.size() * sizes.size());
    ordered_.resize(count * values);
    scratch_.resize(cpu::sum_scratch(count));
}

void ordered_sum::operator()(std::span<const double> own, std::span<double> totals) {
    std::ranges::copy(own, own_.begin());
    ranks_->gather(std::as_bytes(std::span(own_)), std::as_writable_bytes(std::span(all_)));
    for (std::size_t p = 0; p < places_.size(); ++p)
        for (std::size_t v = 0; v < values_ && places_[p] < count_; ++v)
            ordered_[v * count_ + places_[p]] = all_[p * values_ + v];
    for (std::size_t v = 0; v < values_; ++v) {
        cpu::sum_values(ordered_.data() + v * count_, count_, scratch_.data(), nullptr);
        totals[v] = scratch_[0];
    }
}

}  // namespace watari::comm
