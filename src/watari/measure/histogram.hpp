/// Times of single requests, counted in buckets of 1/32 of their octave: 3% apart, from 1 ns on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace watari::measure {

class histogram {
public:
    struct bucket {
        double low, high;  ///< s
        std::uint64_t count;
    };

    void record(double seconds) { ++counts_[index(static_cast<std::uint64_t>(seconds * 1e9))]; }

    /// The buckets that are not empty, in order.
    std::vector<bucket> buckets() const {
        std::vector<bucket> found;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            if (counts_[i] == 0) continue;
            const std::size_t shift = i < 2 * per_octave ? 0 : i / per_octave - 1;
            const double low = static_cast<double>(i - shift * per_octave);
            const double unit = static_cast<double>(std::uint64_t{1} << shift) * 1e-9;
            found.push_back({low * unit, (low + 1) * unit, counts_[i]});
        }
        return found;
    }

private:
    static constexpr std::size_t per_octave = 32;

    static std::size_t index(std::uint64_t nanoseconds) {
        const int width = std::bit_width(nanoseconds);
        const auto shift = static_cast<std::size_t>(width > 6 ? width - 6 : 0);
        return shift * per_octave + (nanoseconds >> shift);
    }

    std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(60 * per_octave);
};

}  // namespace watari::measure
