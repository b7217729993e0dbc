// Selects the launches of a kernel that are sampled, and where their memory is then. A launch runs
// once, in one placement; launches of one number of threads take turns, since only they are
// comparable. The first one shows what it touches: the bytes bound what `mapped` takes. Touches are
// seen at 0, 3, 4, 5, 8, ...: of launches that use two or three allocations in turn, all are seen.
// Launches may change over the run, as those of an elimination become shorter. So two more are
// timed at launches 32, 64, 128, ...: `mapped` and `local`, whose ratio counts.
//
// A kernel that is launched once shows its touches. Further runs of the program have `only` one
// placement, for the first launch of each kernel.
//
// Sampling has a limit of time. Before a half of it is over, all turns are sampled; up to three
// quarters the first three turns, so that each kernel has its own; then the first turn alone.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace watari::attach {

// touched: in CPU memory, and some of it read-mostly, so that writes are seen. faulting: in CPU
// memory; the bytes are seen. mapped: held in CPU memory, used over the link.
// local: in GPU memory.
enum class placement : std::uint32_t { touched = 0, local = 1, mapped = 2, faulting = 3 };
inline constexpr std::size_t placements = 4;

inline constexpr std::array turns_of_launch = {placement::touched, placement::mapped,
                                               placement::local, placement::faulting,
                                               placement::touched};
inline constexpr std::size_t rounds = 2;       // of these turns; then launches are `touched`
inline constexpr std::size_t first_turns = 3;  // that each kernel has up to three quarters
inline constexpr unsigned most_placed = 24;    // launches of a kernel that are not `touched`
inline constexpr std::size_t all_turns = rounds * turns_of_launch.size();

inline constexpr std::array turns_of_visit = {placement::mapped, placement::local};
inline constexpr std::uint64_t first_visit = 32;  // a launch; later ones are twice as far

// Launches of a kernel with one number of threads.
struct launches_alike {
    std::uint64_t seen = 0;
    std::size_t turn = 0;
    std::size_t turn_of_visit = turns_of_visit.size();
    std::uint64_t bytes = 0;  // that a launch touches, as far as it is known
    std::array<bool, placements> is_refused{};
};

class schedule {
public:
    explicit schedule(unsigned touched_launches, std::optional<placement> only_placement = {})
        : most_touched{touched_launches}, only{only_placement} {}

    struct chosen {
        placement where;
        unsigned number;  // of this launch among the `touched` ones of its kernel
        launches_alike* alike;
    };

    // Counts a launch, before it is asked about.
    void begin(std::string_view kernel, std::uint64_t threads) {
        auto& alike = of(kernel).by_threads[threads];
        if (alike.seen >= first_visit && std::has_single_bit(alike.seen)) {
            alike.turn_of_visit = 0;
        }
        ++alike.seen;
    }

    // The placement of this launch; nothing if it is not sampled. `spent`: share of the limit. A
    // placement that `alike` then refuses is not chosen again: ask again.
    std::optional<chosen> next(std::string_view kernel, std::uint64_t threads, double spent) {
        auto& own = of(kernel);
        if (own.is_excluded || spent >= 1) {
            return std::nullopt;
        }
        auto& alike = own.by_threads[threads];
        if (only) {
            const bool is_first = alike.turn == 0 && is_open(own, alike, *only);
            return is_first ? std::optional{chosen{*only, 0, &alike}} : std::nullopt;
        }
        const std::size_t limit = spent < 0.5 ? all_turns : spent < 0.75 ? first_turns : 1;
        for (; alike.turn < limit; ++alike.turn) {
            const auto where = turns_of_launch[alike.turn % turns_of_launch.size()];
            if (where == placement::touched ? own.touched < most_touched
                                            : is_open(own, alike, where)) {
                return chosen{where, own.touched, &alike};
            }
        }
        if (limit < all_turns) {
            return std::nullopt;
        }
        if (own.touched < most_touched) {
            return chosen{placement::touched, own.touched, &alike};
        }
        for (; alike.turn_of_visit < turns_of_visit.size(); ++alike.turn_of_visit) {
            const auto where = turns_of_visit[alike.turn_of_visit];
            if (is_open(own, alike, where)) {
                return chosen{where, own.touched, &alike};
            }
        }
        return std::nullopt;
    }

    // Counts a launch that has been chosen.
    void take(std::string_view kernel, const chosen& one) {
        auto& own = of(kernel);
        const bool is_of_visit = one.alike->turn >= all_turns && one.where != placement::touched;
        ++(is_of_visit ? one.alike->turn_of_visit : one.alike->turn);
        ++(one.where == placement::touched ? own.touched : own.placed);
    }

    // Whether launches of this kernel are left out for lack of time; true once for each kernel.
    bool is_cut(std::string_view kernel, double spent) {
        auto& own = of(kernel);
        const bool is_cut =
            spent >= 0.5 && !own.is_excluded && !own.is_cut_seen && own.touched < most_touched;
        own.is_cut_seen = own.is_cut_seen || is_cut;
        return is_cut;
    }

    unsigned touched(std::string_view kernel) { return of(kernel).touched; }

    // Excludes a kernel from sampling; true if it was not before.
    bool exclude(std::string_view kernel) { return !std::exchange(of(kernel).is_excluded, true); }

private:
    struct launches {
        unsigned touched = 0;
        unsigned placed = 0;
        bool is_excluded = false, is_cut_seen = false;
        std::map<std::uint64_t, launches_alike> by_threads;
    };

    struct hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };

    static bool is_open(const launches& own, const launches_alike& alike, placement where) {
        return own.placed < most_placed && !alike.is_refused[static_cast<std::size_t>(where)];
    }

    launches& of(std::string_view kernel) {
        const auto found = kernels.find(kernel);
        return found != kernels.end() ? found->second : kernels[std::string(kernel)];
    }

    unsigned most_touched;
    std::optional<placement> only;
    std::unordered_map<std::string, launches, hash, std::equal_to<>> kernels;
};

}  // namespace watari::attach
