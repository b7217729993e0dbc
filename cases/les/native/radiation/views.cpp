#include "views.hpp"

#include "products.hpp"
#include "watari/core/loops.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace watari::les {

namespace {

constexpr memory::placement in_huge_pages{.thp = memory::huge_pages::always};
constexpr std::size_t block = 1024;  ///< facets that a thread takes at a time

/// The nodes that each node of a block sees, and by how many rays.
struct block_hits {
    std::vector<std::uint32_t> ends, facets;
    std::vector<float> rays;
};

/// Calls work(block) for all blocks; a thread takes the next one when it is done.
template <class Work>
void for_each_block(std::size_t count, const Work& work) {
    std::atomic<std::size_t> next = 0;
    cpu::for_each_part(count, [&](std::size_t, std::size_t) {
        for (std::size_t b = next++; b < count; b = next++) work(b);
    });
}

std::vector<block_hits> trace(const parameters& p, const facet_list& facets, std::size_t rays) {
    const ray_tracer tracer(p, facets);
    const std::vector<point> points = sobol_points(rays);
    std::vector<block_hits> found((facets.nodes() + block - 1) / block);
    for_each_block(found.size(), [&](std::size_t b) {
        block_hits& own = found[b];
        std::vector<share_seen> seen;
        const std::size_t last = std::min(facets.nodes(), (b + 1) * block);
        for (std::size_t n = b * block; n < last; ++n) {
            tracer.see(n, points, shift_of(static_cast<std::uint32_t>(n)), seen);
            for (const share_seen& each : seen) {
                own.facets.push_back(each.node);
                own.rays.push_back(each.share);
            }
            own.ends.push_back(static_cast<std::uint32_t>(own.facets.size()));
        }
    });
    return found;
}

/// Calls work(facet, other, rays) for all pairs of which the one hits the other.
template <class Work>
void for_each_pair(const std::vector<block_hits>& all, const Work& work) {
    for_each_block(all.size(), [&](std::size_t b) {
        const block_hits& own = all[b];
        std::uint32_t at = 0;
        for (std::size_t n = 0; n < own.ends.size(); ++n)
            for (; at < own.ends[n]; ++at) work(b * block + n, own.facets[at], own.rays[at]);
    });
}

/// A non-zero before both halves of G are added.
struct half {
    std::uint32_t column;
    float value;
};

/// Rows of halves: A_i F_ij / 2 in row i, and again in row j.
struct halves {
    std::vector<std::uint64_t> first;
    memory::buffer<half> values;
};

void sum_up(std::vector<std::uint64_t>& counts) {
    std::uint64_t before = 0;
    for (std::uint64_t& count : counts) before += std::exchange(count, before);
}

halves both_ways(const std::vector<block_hits>& hits, const std::vector<float>& area,
                 std::size_t rays) {
    std::vector<std::uint64_t> first(area.size() + 1);
    const auto taken = [&](std::size_t row) {
        return std::atomic_ref(first[row]).fetch_add(1, std::memory_order_relaxed);
    };
    for_each_pair(hits, [&](std::size_t i, std::uint32_t j, float) {
        taken(i);
        taken(j);
    });
    sum_up(first);
    memory::buffer<half> values(memory::kind::pageable, std::max<std::size_t>(first.back(), 1));
    half* const to = values.data();
    for_each_pair(hits, [&](std::size_t i, std::uint32_t j, float n) {
        const float value = area[i] * n / static_cast<float>(2 * rays);
        to[taken(i)] = {j, value};
        to[taken(j)] = {static_cast<std::uint32_t>(i), value};
    });
    first.insert(first.begin(), 0);  // each has gone to the next row's
    first.pop_back();
    return {std::move(first), std::move(values)};
}

/// Sorts each row and adds the two halves of a pair; returns how many columns each row then has.
std::vector<std::uint64_t> add_halves(halves& of) {
    const std::size_t rows = of.first.size() - 1;
    std::vector<std::uint64_t> counts(rows + 1);
    for_each_block((rows + block - 1) / block, [&](std::size_t b) {
        for (std::size_t n = b * block; n < std::min(rows, (b + 1) * block); ++n) {
            half* const begin = of.values.data() + of.first[n];
            half* const end = of.values.data() + of.first[n + 1];
            std::sort(begin, end, [](half a, half b) { return a.column < b.column; });
            half* to = begin;
            for (const half* from = begin; from != end; ++from)
                if (to != begin && to[-1].column == from->column)
                    to[-1].value += from->value;
                else
                    *to++ = *from;
            counts[n] = static_cast<std::uint64_t>(to - begin);
        }
    });
    sum_up(counts);
    return counts;
}

/// The share of each facet's rays that hit a facet.
std::vector<float> shares_of(const std::vector<block_hits>& hits, std::size_t facets,
                             std::size_t rays) {
    std::vector<float> result(facets);
    for_each_pair(hits, [&](std::size_t i, std::uint32_t, float n) {
        result[i] += n / static_cast<float>(rays);
    });
    return result;
}

/// Makes the rows of a symmetric matrix sum to A (1 - sky), and keeps it symmetric.
void balance(view_factors& of, const std::vector<float>& seen) {
    const std::size_t rows = of.facets();
    std::vector<double> d(rows, 1.0), next(rows);
    for (int sweep = 0; sweep < reciprocity_sweeps; ++sweep) {
        for_each_block((rows + block - 1) / block, [&](std::size_t b) {
            for (std::size_t n = b * block; n < std::min(rows, (b + 1) * block); ++n) {
                double sum = 0;
                for (std::size_t at = of.first[n]; at < of.first[n + 1]; ++at)
                    sum += double(of.shared.data()[at]) * d[of.column.data()[at]];
                next[n] = sum > 0 ? std::sqrt(d[n] * of.area[n] * seen[n] / sum) : d[n];
            }
        });
        d.swap(next);
    }
    for_each_block((rows + block - 1) / block, [&](std::size_t b) {
        for (std::size_t n = b * block; n < std::min(rows, (b + 1) * block); ++n)
            for (std::size_t at = of.first[n]; at < of.first[n + 1]; ++at) {
                float& value = of.shared.data()[at];
                value = static_cast<float>(d[n] * d[of.column.data()[at]] * value);
            }
    });
}

}  // namespace

view_factors::view_factors(std::vector<std::uint64_t> rows, std::vector<float> areas)
    : first(std::move(rows)),
      area(std::move(areas)),
      sky(area.size()),
      column(memory::kind::pageable, first.back() + row_sums, in_huge_pages),
      shared(memory::kind::pageable, first.back() + row_sums, in_huge_pages) {
    std::fill_n(column.data() + first.back(), row_sums, 0u);
}

void view_factors::see_sky() {
    cpu::for_each_part(facets(), [this](std::size_t n, std::size_t last) {
        for (; n < last; ++n) {
            double sum = 0;
            for (std::size_t at = first[n]; at < first[n + 1]; ++at) sum += shared.data()[at];
            sky[n] = static_cast<float>(1 - sum / area[n]);
        }
    });
}

std::vector<float> areas_of(const parameters& p, const facet_list& facets) {
    const double volume = p.spacing[0] * p.spacing[1] * p.spacing[2];
    std::vector<float> result(facets.nodes());
    for (std::size_t n = 0; n < facets.count(); ++n)
        result[n] = static_cast<float>(volume / p.spacing[normal_axis[facets[n].direction]]);
    for (std::size_t n = facets.count(); n < result.size(); ++n)
        result[n] = static_cast<float>(4 * leaf_extinction * volume *
                                       facets.leaves()[n - facets.count()].density);
    return result;
}

view_factors trace_views(const parameters& p, const facet_list& facets, std::size_t rays) {
    std::vector<float> area = areas_of(p, facets);
    std::vector<block_hits> hits = trace(p, facets, rays);
    const std::vector<float> seen = shares_of(hits, facets.nodes(), rays);
    halves doubled = both_ways(hits, area, rays);
    hits.clear();
    view_factors result(add_halves(doubled), std::move(area));
    cpu::for_each_part(result.facets(), [&](std::size_t n, std::size_t last) {
        for (; n < last; ++n) {
            const half* from = doubled.values.data() + doubled.first[n];
            for (std::size_t at = result.first[n]; at < result.first[n + 1]; ++at, ++from) {
                result.column.data()[at] = from->column;
                result.shared.data()[at] = from->value;
            }
        }
    });
    balance(result, seen);
    result.see_sky();
    return result;
}

}  // namespace watari::les
