// The replay of a traced program (python/watari/model/replay/simulate.py): one pass over all calls
// and operations, in an order in which each comes after those that it waits for.
//
//     call       begin = end of the call before + gap, or later: end of another thread's call + lag
//                end   = begin + own, or later: end of what it waits for + late
//     operation  start = begin of its call + issue, end of what it follows + after,
//                        or the time at which its engine has room + turn: the latest of them
//                end   = start + takes
#include "arrays.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using index = std::int64_t;
using times = column<double>;
using indices = column<index>;
template <class Element>
using filled = nb::ndarray<Element, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr index none = -1;

/// Rows of different lengths: row i is `all[first[i]]` to `all[first[i + 1]]`.
struct ragged {
    const index* first;
    const index* all;

    const index* begin(index row) const { return all + first[row]; }
    const index* end(index row) const { return all + first[row + 1]; }
};

/// The ends of what runs on an engine, the earliest first, each with its operation.
class engine {
public:
    explicit engine(index rooms) : ends_(static_cast<std::size_t>(rooms), {0.0, none}) {}

    const std::pair<double, index>& earliest() const { return ends_.front(); }

    void replace(double end, index operation) {
        std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
        ends_.back() = {end, operation};
        std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
    }

private:
    std::vector<std::pair<double, index>> ends_;
};

struct calls {
    times gap, own, late;
    indices before;
};

struct operations {
    times issue, after, turn, takes;
    indices call, engine;
};

/// The results of a replay. `causes`: the operation that held each one back; `awaited`: the
/// operation that each call waited for; `joined`: the call of another thread that it waited for.
/// -1: none.
struct result {
    filled<double> begins, ends, starts, finishes;
    filled<index> causes, awaited, joined;
};

calls calls_of(const nb::dict& d) {
    const auto of = [&](const char* name) { return nb::cast<times>(d[name]); };
    return {of("gap"), of("own"), of("late"), nb::cast<indices>(d["before"])};
}

operations operations_of(const nb::dict& d) {
    const auto of = [&](const char* name) { return nb::cast<times>(d[name]); };
    return {of("issue"),
            of("after"),
            of("turn"),
            of("takes"),
            nb::cast<indices>(d["call"]),
            nb::cast<indices>(d["engine"])};
}

result result_of(const nb::dict& d) {
    const auto time = [&](const char* name) { return nb::cast<filled<double>>(d[name]); };
    const auto one = [&](const char* name) { return nb::cast<filled<index>>(d[name]); };
    return {time("begins"), time("ends"),   time("starts"), time("finishes"),
            one("causes"),  one("awaited"), one("joined")};
}

/// A call waits for another thread: it begins `lag` after the end of `other`, or later.
struct join {
    index call, other;
    double lag;
};

void begin_call(index one, const calls& c, const std::vector<join>& joins, result& r) {
    const index before = c.before(one);
    double begin = c.gap(one) + (before != none ? r.ends(before) : 0.0);
    const auto first = std::lower_bound(joins.begin(), joins.end(), one,
                                        [](const join& j, index call) { return j.call < call; });
    for (auto j = first; j != joins.end() && j->call == one; ++j)
        if (r.ends(j->other) + j->lag > begin) {
            begin = r.ends(j->other) + j->lag;
            r.joined(one) = j->other;
        }
    r.begins(one) = begin;
    r.ends(one) = begin + c.own(one);
}

void run_operation(index one, const operations& o, const ragged& follows,
                   std::vector<engine>& engines, result& r) {
    double start = r.begins(o.call(one)) + o.issue(one);
    for (auto other = follows.begin(one); other != follows.end(one); ++other)
        if (r.finishes(*other) + o.after(one) > start) {
            start = r.finishes(*other) + o.after(one);
            r.causes(one) = *other;
        }
    if (o.engine(one) == none) {
        r.starts(one) = start;
        r.finishes(one) = start + o.takes(one);
        return;
    }
    engine& on = engines[static_cast<std::size_t>(o.engine(one))];
    if (const auto [end, other] = on.earliest(); end + o.turn(one) > start) {
        start = end + o.turn(one);
        r.causes(one) = other;
    }
    r.starts(one) = start;
    r.finishes(one) = start + o.takes(one);
    on.replace(r.finishes(one), one);
}

void end_call(index one, const calls& c, const ragged& targets, result& r) {
    for (auto other = targets.begin(one); other != targets.end(one); ++other)
        if (r.finishes(*other) + c.late(one) > r.ends(one)) {
            r.ends(one) = r.finishes(*other) + c.late(one);
            r.awaited(one) = *other;
        }
}

/// Replays all nodes: a call that begins is its index, an operation the number of calls and its
/// index, a call that ends the number of both and its index, unless `needless` says that it does
/// not wait.
void replay(const nb::dict& of_calls, const nb::dict& of_operations,
            const std::pair<indices, indices>& follows, const std::pair<indices, indices>& targets,
            const indices& nodes, const column<bool>& needless, const std::vector<index>& rooms,
            const std::vector<std::tuple<index, index, double>>& joined,
            const nb::dict& filled_in) {
    const auto c = calls_of(of_calls);
    const auto o = operations_of(of_operations);
    auto r = result_of(filled_in);
    const ragged before{follows.first.data(), follows.second.data()};
    const ragged awaited{targets.first.data(), targets.second.data()};
    std::vector<join> joins;
    for (const auto& [call, other, lag] : joined) joins.push_back({call, other, lag});
    std::sort(joins.begin(), joins.end(),
              [](const join& a, const join& b) { return a.call < b.call; });
    const auto count = static_cast<index>(c.gap.shape(0));
    const index both = count + static_cast<index>(o.takes.shape(0));
    std::vector<engine> engines(rooms.begin(), rooms.end());
    for (std::size_t i = 0; i < nodes.shape(0); ++i) {
        const index node = nodes(i);
        if (node < count)
            begin_call(node, c, joins, r);
        else if (node < both)
            run_operation(node - count, o, before, engines, r);
        else if (!needless(static_cast<std::size_t>(node - both)))
            end_call(node - both, c, awaited, r);
    }
}

void bind(nb::module_& module) {
    module.def(
        "replay", replay, nb::arg("calls"), nb::arg("operations"), nb::arg("follows"),
        nb::arg("targets"), nb::arg("nodes"), nb::arg("needless"), nb::arg("rooms"),
        nb::arg("joins"), nb::arg("result"),
        "Replays a program: fills `result`. `follows`, `targets`: where each row begins, and "
        "all rows; `joins`: call, other call, lag.");
}

const binding bindings(bind);

}  // namespace
