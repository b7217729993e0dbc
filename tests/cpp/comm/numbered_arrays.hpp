/// Arrays over a rank's box with known values: each word is a number of its point in the whole
/// grid, of its place in the point, and of its array.
#pragma once

#include "watari/comm/halo.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace watari::comm {

inline constexpr std::uint32_t untouched = 0xffffffff;

struct place {
    comm::path path;
    processor who;
    memory::kind kind;
};

[[noreturn]] inline void fail(const std::string& what) { throw error(what); }

/// Returns a number for a word of a point of an array.
inline std::uint32_t word_of(std::size_t point, std::size_t word, std::size_t array) {
    return static_cast<std::uint32_t>((point * 131 + word) * 7 + array * 1000003) & 0x7fffffff;
}

/// Calls work(n, place in the whole grid, is inside, is on the boundary) for all points of a box.
inline void for_each_point(const grid& whole, const decomposition& box,
                           const std::function<void(std::size_t, std::size_t, bool, bool)>& work) {
    for (std::size_t n = 0; n < box.size.product(); ++n) {
        std::size_t left = n, point = 0, scale = 1;
        bool inside = true, boundary = false;
        for (std::size_t a = most_axes; a-- > 0;) {
            const std::size_t x = left % box.size[a];
            left /= box.size[a];
            if (a >= whole.points.axes()) continue;
            const std::size_t points = whole.points[a];
            const std::size_t at = (box.inner[a].first + x + points - box.depth) % points;
            inside = inside && x >= box.depth && x + box.depth < box.size[a];
            boundary =
                boundary || (!whole.periodic[a] && (at < box.depth || at + box.depth >= points));
            point += at * scale, scale *= points;
        }
        work(n, point, inside, boundary);
    }
}

/// Arrays in memory of a kind. `host` is their copy in CPU memory.
class numbered_arrays {
public:
    numbered_arrays(const place& where, std::size_t points, std::vector<std::size_t> elements)
        : where_(where), elements_(std::move(elements)) {
        for (const std::size_t element : elements_) {
            data_.emplace_back(where.kind, points * element,
                               memory::placement{.device = where.who.number});
            host.emplace_back(points * element / sizeof(std::uint32_t), untouched);
            fields.push_back({data_.back().data(), element});
        }
    }
    std::size_t words(std::size_t array) const { return elements_[array] / sizeof(std::uint32_t); }
    std::size_t point_bytes() const {
        std::size_t sum = 0;
        for (const std::size_t element : elements_) sum += element;
        return sum;
    }
    void put() {
        for (std::size_t n = 0; n < fields.size(); ++n) move(data_[n].data(), host[n].data(), n);
    }
    void get() {
        for (std::size_t n = 0; n < fields.size(); ++n) move(host[n].data(), data_[n].data(), n);
    }

    std::vector<std::vector<std::uint32_t>> host;
    std::vector<field> fields;

private:
    void move(void* to, const void* from, std::size_t n) const {
        const std::size_t bytes = host[n].size() * sizeof(std::uint32_t);
        if (!where_.who.is_gpu()) return void(std::memcpy(to, from, bytes));
        device::copy(to, from, bytes, nullptr);
        device::synchronize(nullptr);
    }

    place where_;
    std::vector<std::size_t> elements_;
    std::vector<memory::buffer<std::byte>> data_;
};

inline void fill(const grid& whole, const decomposition& box, numbered_arrays& a) {
    for_each_point(whole, box, [&](std::size_t n, std::size_t point, bool inside, bool) {
        for (std::size_t f = 0; f < a.host.size(); ++f)
            for (std::size_t w = 0; w < a.words(f); ++w)
                a.host[f][n * a.words(f) + w] = inside ? word_of(point, w, f) : untouched;
    });
    a.put();
}

inline void expect(const grid& whole, const decomposition& box, numbered_arrays& a) {
    a.get();
    for_each_point(whole, box, [&](std::size_t n, std::size_t point, bool, bool boundary) {
        for (std::size_t f = 0; f < a.host.size(); ++f)
            for (std::size_t w = 0; w < a.words(f); ++w) {
                const std::uint32_t is = a.host[f][n * a.words(f) + w];
                const std::uint32_t must = boundary ? untouched : word_of(point, w, f);
                if (is != must)
                    fail("point " + std::to_string(n) + " array " + std::to_string(f) + " word " +
                         std::to_string(w) + ": " + std::to_string(is) + " instead of " +
                         std::to_string(must));
            }
    });
}

}  // namespace watari::comm
