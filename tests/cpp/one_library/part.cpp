#include "one_library/part.hpp"

#include <locale>
#include <numeric>
#include <sstream>
#include <vector>

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/threads.hpp"

extern "C" int watari_forks_without_threads;

namespace watari {
namespace {

void fail() { throw beyond_memory("a part", 3, 2); }

std::string caught(void (*thrower)()) {
    try {
        thrower();
    } catch (const beyond_memory& e) {
        return std::string(e.name()) + " " + std::to_string(e.requested) + " " +
               std::to_string(e.available);
    } catch (const std::exception&) {
        return "another error";
    }
    return "none";
}

void loop() {
    std::vector<int> data(100000);
    int* const to = data.data();
    cpu::for_each(
        data.size(), [=](std::size_t i) { to[i] = 1; }, nullptr);
    if (std::accumulate(data.begin(), data.end(), 0) != 100000) throw error("not all elements");
}

std::string text() {
    std::stringstream stream;
    stream << 1.5 << ' ' << 42;
    double first = 0;
    int second = 0;
    stream >> first >> second;
    return std::to_string(first) + " " + std::to_string(second);
}

const part all{.fail = fail,
               .caught = caught,
               .set_threads = cpu::set_threads,
               .threads = [] { return cpu::current_team().threads; },
               .loop = loop,
               .text = text,
               .fork_hook = &watari_forks_without_threads,
               .runtime = reinterpret_cast<const void*>(&std::locale::classic),
               .device_state = reinterpret_cast<const void*>(&device::count)};

}  // namespace
}  // namespace watari

const watari::part* watari_part() { return &watari::all; }
