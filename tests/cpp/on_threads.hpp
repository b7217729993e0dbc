/// The same work in several threads at once.
#pragma once

#include <thread>
#include <vector>

namespace watari {

/// Calls work(t) for every t below `count`, each in a thread of its own. Returns when all have
/// returned.
template <class Count, class Work>
void on_threads(Count count, const Work& work) {
    std::vector<std::jthread> team;
    for (Count t = 0; t < count; ++t) team.emplace_back([&work, t] { work(t); });
}

}  // namespace watari
