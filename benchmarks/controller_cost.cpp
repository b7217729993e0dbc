// The time that a thread of a software controller takes for a command that is ready: fetch, check,
// copy from a random location in memory into its slot, complete.
//
//   cmake -S . -B build -DWATARI_CUDA=OFF && cmake --build build --target watari
//   g++ -O3 -std=c++20 -Isrc -Ibuild/include benchmarks/controller_cost.cpp
//       -fopenmp -Lbuild/lib -lwatari -Wl,-rpath,build/lib -o controller_cost
//   ./controller_cost [BLOCK ...]
//
// A user thread writes entries into the rings of several queues and rings their doorbells; then it
// waits, and the controller's rounds are timed until all are completed; then the user takes the
// completions. So the entries come out of another core's cache, as they come out of the last-level
// cache if a GPU wrote them. Stores: `none` moves nothing, `ram` is that of the product, and
// `copy` a bare memcpy of the same locations without queues. Printed: nanoseconds a command, the
// median of nine rounds in which the three take turns.
#include "watari/core/parallel/atomic.hpp"
#include "watari/measure/median.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/controller/poller.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace watari::storage;
using namespace watari::cpu;

namespace {

constexpr std::uint32_t queues = 8, depth = 512, each = 256;  ///< commands of a queue a turn
constexpr int turns = 200;
constexpr std::size_t namespace_bytes = std::size_t{1} << 31;

/// Ends every command at once.
class none_channel final : public io_channel {
public:
    bool submit(const request& command) override {
        ended_.push_back({command.queue, command.cid, success});
        return true;
    }
    void reap(std::vector<ending>& ended) override {
        ended.insert(ended.end(), ended_.begin(), ended_.end());
        ended_.clear();
    }
    std::size_t under_way() const override { return ended_.size(); }

private:
    std::vector<ending> ended_;
};

/// The thread whose turn it is: 0 the user, 1 the controller.
std::atomic<int> turn{0};
void await(int whose) {
    while (turn.load(std::memory_order_acquire) != whose) std::this_thread::yield();
}

class bench {
public:
    bench(std::uint32_t block, const std::shared_ptr<backend>& store)
        : block_(block),
          memory_({.queues = queues, .depth = depth, .max_transfer = std::max(block, 4096u)}),
          served_{namespace_bytes / block,
                  block,
                  std::max(block, 4096u),
                  {range(memory_.slots()), range(memory_.lists())}},
          poller_(memory_, served_,
                  store ? store->open_channel({}) : std::make_unique<none_channel>(), 0, 1) {}

    /// Nanoseconds a command.
    double round() {
        turn = 0;
        std::thread user([&] {
            for (int t = 0; t < turns; ++t) {
                await(0);
                submit();
                turn.store(1, std::memory_order_release);
            }
            await(0);
        });
        std::int64_t spent = 0;
        for (int t = 0; t < turns; ++t) {
            await(1);
            const std::uint64_t until = poller_.counts().commands + queues * each;
            const std::int64_t start = nanoseconds();
            while (poller_.counts().commands < until) poller_.serve();
            spent += nanoseconds() - start;
            turn.store(0, std::memory_order_release);
        }
        user.join();
        return static_cast<double>(spent) / (double{turns} * queues * each);
    }

    /// Nanoseconds a command, of a memcpy of the same bytes alone.
    double copies(const std::byte* data) {
        auto* slots = static_cast<std::byte*>(memory_.slots().data());
        std::int64_t spent = 0;
        for (int t = 0; t < turns / 4; ++t) {
            const std::int64_t start = nanoseconds();
            for (std::uint32_t i = 0; i < queues * each; ++i)
                std::memcpy(slots + std::size_t{i % each + i / each * depth} * served_.max_transfer,
                            data + next_block() * block_, block_);
            spent += nanoseconds() - start;
        }
        return static_cast<double>(spent) / (double{turns / 4} * queues * each);
    }

private:
    static memory_range range(const watari::memory::block& block) {
        return {static_cast<std::byte*>(block.data()), block.bytes()};
    }

    std::uint64_t next_block() {
        seed_ = seed_ * 6364136223846793005 + 1442695040888963407;
        return (seed_ >> 20) % served_.blocks;
    }

    /// Takes the completions of the turn before, then submits the commands of the next.
    void submit() {
        const namespace_view view = memory_.view(served_.blocks, block_);
        for (std::uint32_t q = 0; q < queues; ++q) {
            for (std::uint32_t i = 0; i < each; ++i) {
                const std::uint32_t ticket = first_ + i;
                if (first_ > 0 &&
                    !status_of(status_field_of(everywhere::load_acquire(
                                   memory_.completions(q)[(ticket - each) % depth].outcome)))
                         .ok())
                    std::abort();
                const auto cid = static_cast<std::uint16_t>(ticket % depth);
                submission_entry entry = make_transfer(opcode::read, cid, 1, next_block(), 1);
                entry.prp1 = reinterpret_cast<std::uint64_t>(
                    view.slots + std::size_t{q * depth + cid} * view.slot_stride);
                memory_.submissions(q)[ticket % depth] = entry;
            }
            everywhere::store_release(memory_.doorbells(q)[queue_memory::doorbell_stride],
                                      first_ % depth);
            everywhere::store_release(memory_.doorbells(q)[0], (first_ + each) % depth);
        }
        first_ += each;
    }

    std::uint32_t block_;
    queue_memory memory_;
    served_namespace served_;
    poller poller_;
    std::uint32_t first_ = 0;
    std::uint64_t seed_ = 1;
};

}  // namespace

int main(int count, char** words) {
    std::vector<std::uint32_t> blocks;
    for (int i = 1; i < count; ++i)
        blocks.push_back(static_cast<std::uint32_t>(std::atoi(words[i])));
    if (blocks.empty()) blocks = {512, 4096};
    const watari::memory::buffer<std::byte> data(watari::memory::kind::pageable, namespace_bytes,
                                                 watari::memory::huge_placement());
    std::memset(data.data(), 1, data.size());
    const auto store = make_ram({data.data(), data.size()});
    for (const std::uint32_t block : blocks) {
        bench none(block, nullptr), ram(block, store);
        std::vector<double> of_none, of_ram, of_copy;
        for (int round = 0; round < 9; ++round) {
            of_none.push_back(none.round());
            of_ram.push_back(ram.round());
            of_copy.push_back(ram.copies(data.data()));
        }
        std::printf("%6u B: none %.0f ns, ram %.0f ns, copy alone %.0f ns a command\n", block,
                    watari::measure::median(of_none), watari::measure::median(of_ram),
                    watari::measure::median(of_copy));
    }
}
