// The best schedule, by trying every one.
#pragma once

#include "watari/core/error.hpp"
#include "watari/gemm/schedule/schedule.hpp"

#include <algorithm>
#include <tuple>

namespace watari::gemm {

/// Merits of a choice, the smaller the better: elements of A and B that it reads, columns short of
/// four, loads and writes, sets of slots of A short of two, products for each tile short of two,
/// and slots.
using merit = std::tuple<double, std::size_t, std::size_t, std::size_t, double, std::size_t>;

struct candidate {
    std::size_t p, q, times_a, times_b;
    std::size_t groups_a;  ///< of the tiles of A that a block needs of one row
    std::size_t slots;
    std::size_t sets_a = 2;
};

/// Returns the number of groups, of at most `wanted` tiles, that move `count` neighbours.
inline std::size_t groups(std::size_t count, std::size_t wanted, std::size_t least) {
    const std::size_t made = std::min(count, std::max(least, divide_up(count, wanted)));
    return divide_up(count, divide_up(count, made));
}

inline merit merit_of(const candidate& c, shape size, std::size_t tile,
                      const tiles_per_request& wanted, bool store_bound) {
    const std::size_t mt = divide_up(size.m, tile), nt = divide_up(size.n, tile);
    const std::size_t kt = divide_up(size.k, tile), blocks = divide_up(nt, c.q);
    const double read =
        static_cast<double>(c.times_a * size.m * size.k + c.times_b * size.k * size.n);
    const std::size_t loads =
        c.times_a * mt * c.groups_a +
        c.times_b * kt * std::min(nt, blocks * groups(c.q, wanted.b, 1)) +
        mt * std::min(nt, blocks * groups(c.q, wanted.c, store_bound ? 1 : 2));
    const double products = static_cast<double>(c.p * c.q) / static_cast<double>(c.p + c.q);
    return {read,         4 - std::min<std::size_t>(c.q, 4), loads,
            2 - c.sets_a, 2 - std::min(products, 2.0),       c.slots};
}

/// The best over every form, group of A, and all p and q that make blocks of about one size.
inline merit best(shape size, std::size_t tile, std::size_t slots, const tiles_per_request& wanted,
                  bool store_bound) {
    const std::size_t mt = divide_up(size.m, tile), nt = divide_up(size.n, tile);
    const std::size_t kt = divide_up(size.k, tile), stay = std::max<std::size_t>(2, kt);
    const auto even = [](std::size_t tiles, std::size_t edge) {
        return edge == divide_up(tiles, divide_up(tiles, edge));
    };
    merit least{1e300, 0, 0, 0, 0, 0};
    const auto one = [&](const candidate& c) {
        if (c.slots <= slots) least = std::min(least, merit_of(c, size, tile, wanted, store_bound));
    };
    for (std::size_t p = 1; p <= mt; ++p)
        for (std::size_t q = 1; q <= nt; ++q) {
            if (!even(mt, p) || !even(nt, q)) continue;
            const std::size_t down = divide_up(mt, p), across = divide_up(nt, q);
            one({p, q, 1, down, groups(kt, wanted.a, 2), p * q + p * stay + 2 * q});
            const std::size_t most = divide_up(kt, groups(kt, wanted.a, 1));
            for (const bool b_stays : {false, true}) {
                const std::size_t others = p * q + q * (b_stays ? stay : 2);
                const std::size_t times_b = b_stays ? 1 : down;
                std::size_t fewest = 0;  // groups of A with two sets of slots
                for (std::size_t g = 1; g <= most && others + 2 * p * g <= slots; ++g) {
                    fewest = divide_up(kt, g);
                    one({p, q, across, times_b, fewest, others + 2 * p * g});
                }
                for (std::size_t g = 1; store_bound && !b_stays && g <= most; ++g)
                    if (divide_up(kt, g) < fewest)
                        one({p, q, across, times_b, divide_up(kt, g), others + p * g, 1});
            }
        }
    return least;
}

inline merit merit_of(const gemm::schedule& schedule, shape size, std::size_t tile,
                      const tiles_per_request& wanted, bool store_bound) {
    std::size_t groups_a = 0;  // of the first block
    bool waits = false;        // loads of A wait for the step before
    for (std::size_t s = 0; s < schedule.steps_of_block(); ++s) {
        groups_a += schedule.step(s).loads_a > 0;
        waits |= s > 0 && schedule.needs_done(schedule.step(s), matrix::a) == s;
    }
    return merit_of({schedule.block_rows(), schedule.block_columns(), schedule.times_a(),
                     schedule.times_b(), groups_a, schedule.slots(), waits ? std::size_t{1} : 2},
                    size, tile, wanted, store_bound);
}

}  // namespace watari::gemm
