#include "watari/comm/carrier.hpp"

#include <chrono>

namespace watari::comm {

void carrier::send(const faces& f, ends own, ends others, std::size_t bytes) {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    options_.ranks->exchange(f.ranks, {own[0], own[1]}, {others[0], others[1]}, bytes);
    seconds_ += std::chrono::duration<double>(clock::now() - start).count();
}

}  // namespace watari::comm
