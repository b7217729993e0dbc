/// The threads of a GPU's block as fibers of one thread of the CPU, so that the source of a kernel
/// runs without a GPU, with its shuffles and barriers. Blocks run one after the other, in an order
/// that the test chooses. Slow: for small data.
///
/// A test includes what the kernel's file includes, then this, then defines `gpu` as `emulated`
/// and includes the file itself.
#pragma once

#include "watari/core/backend.hpp"
#include "watari/core/device.hpp"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#define __device__
#define __shared__ static

namespace watari::emulated {

using cpu::row_lanes;

struct double2 {
    double x, y;
};
struct float2 {
    float x, y;
};
template <class Value>
Value __ldg(const Value* from) {
    return *from;
}
template <class Value>
Value __ldcs(const Value* from) {
    return *from;
}
template <class Value>
void __stcs(Value* to, const Value& value) {
    *to = value;
}

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    dim3(unsigned i = 1, unsigned j = 1) : x(i), y(j) {}
};

/// Indices of the fiber that runs.
inline dim3 threadIdx, blockIdx;
inline unsigned own_thread = 0;

/// The order of blocks: ascending if 0, otherwise the seed of a random order.
inline unsigned order_of_blocks = 0;

/// Threads that wait for each other; `turn` counts how often all have arrived.
struct meeting {
    unsigned size = 0, came = 0, turn = 0;
};

/// A stack, for AddressSanitizer, which needs a call at each change of stacks.
struct own_stack {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* frames = nullptr;  ///< the sanitizer's record of its unfinished functions

    /// Call before the jump. `ends`: this stack is not resumed.
    void leave([[maybe_unused]] const own_stack& next, [[maybe_unused]] bool ends = false) {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_start_switch_fiber(ends ? nullptr : &frames, next.bottom, next.bytes);
#endif
    }
    /// Call after the jump. Fills in the bounds of the stack that was left.
    void enter([[maybe_unused]] own_stack& before) {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_finish_switch_fiber(frames, &before.bottom, &before.bytes);
        frames = nullptr;
#endif
    }
};

/// The place where a stack resumes. C's longjmp would do, but AddressSanitizer takes it for a jump
/// within one stack: it makes a system call and clears its record of the stack. noipa: the compiler
/// must not look into these functions, because other fibers run during a call.
struct place {
    std::array<void*, 5> registers{};

    [[gnu::noipa, gnu::no_sanitize("address")]] static void go_on(place& at) {
        __builtin_longjmp(at.registers.data(), 1);
    }
    [[gnu::noipa]] static void change(place& from, place& to) {
        if (!__builtin_setjmp(from.registers.data())) go_on(to);
    }
    [[gnu::noipa]] static void begin(place& from, const ucontext_t& other) {
        if (!__builtin_setjmp(from.registers.data())) setcontext(&other);
    }
};

/// A block: all of its fibers, which switch where they wait.
class block {
public:
    static constexpr std::size_t stack_bytes = std::size_t{1} << 16;

    block(unsigned threads, dim3 shape, std::function<void()> body)
        : shape_(shape), body_(std::move(body)), all{threads}, fibers_(threads) {
        for (unsigned w = 0; w < threads / row_lanes; ++w) warps.push_back({row_lanes});
        given.resize(threads);
        for (fiber& one : fibers_) one.stack.reset(new std::byte[stack_bytes]);
    }

    void run(unsigned number) {
        blockIdx = {number};
        now = this;
        for (fiber& one : fibers_) {
            getcontext(&one.context);
            one.context.uc_stack.ss_sp = one.stack.get();
            one.context.uc_stack.ss_size = stack_bytes;
            one.own = {one.stack.get(), stack_bytes};
            one.begun = one.ended = false;
            one.waits_at = nullptr;
            makecontext(&one.context, &block::begin, 0);
        }
        std::vector<unsigned> order(warps.size());
        std::iota(order.begin(), order.end(), 0u);
        std::mt19937 chance(number);
        for (bool ran = true; ran;) {
            ran = false;
            std::ranges::shuffle(order, chance);
            for (const unsigned warp : order) ran |= advance(warp);
        }
        for (const fiber& one : fibers_)
            if (!one.ended) throw std::logic_error("a block's threads wait without end");
    }

    void wait(meeting& at) {
        const unsigned turn = at.turn;
        if (++at.came == at.size) at.came = 0, ++at.turn;
        fiber& own = fibers_[own_thread];
        own.waits_at = &at, own.until_after = turn;
        if (own.waits()) {
            own.own.leave(turns_stack_);
            place::change(own.at, turns_);
            own.own.enter(turns_stack_);
        }
    }

    /// The barrier `number` of a part of the block, with this number of threads.
    void wait(unsigned number, unsigned threads) {
        meeting& at = parts_.at(number);
        if (at.size == 0) at.size = threads;
        if (at.size != threads) throw std::logic_error("a barrier of two sizes");
        wait(at);
    }

    static inline block* now = nullptr;

private:
    struct fiber {
        ucontext_t context{};  ///< its start
        place at{};            ///< where it resumes: a switch of contexts costs two system calls
        std::unique_ptr<std::byte[]> stack{};
        own_stack own{};
        bool begun = false, ended = false;
        const meeting* waits_at = nullptr;
        unsigned until_after = 0;  ///< it waits while the meeting is in this turn

        bool waits() const { return waits_at && waits_at->turn == until_after; }
    };

    /// Runs a warp alone until all its threads wait or have ended, as a fast warp does. So an
    /// overwrite that comes too early shows. Returns whether any of its threads ran.
    bool advance(unsigned warp) {
        bool any = false;
        for (bool ran = true; ran; any |= ran) {
            ran = false;
            for (unsigned thread = warp * row_lanes; thread < (warp + 1) * row_lanes; ++thread) {
                if (fibers_[thread].ended || fibers_[thread].waits()) continue;
                ran = true;
                own_thread = thread;
                threadIdx = {thread % shape_.x, thread / shape_.x};
                resume(fibers_[thread]);
            }
        }
        return any;
    }

    void resume(fiber& one) {
        turns_stack_.leave(one.own);
        if (one.begun) {
            place::change(turns_, one.at);
        } else {
            one.begun = true;
            place::begin(turns_, one.context);
        }
        own_stack left;  // the stack of a fiber, whose bounds are known
        turns_stack_.enter(left);
    }

    static void begin() {
        fiber& own = now->fibers_[own_thread];
        own.own.enter(now->turns_stack_);
        now->body_();
        own.ended = true;
        own.own.leave(now->turns_stack_, true);
        place::go_on(now->turns_);
    }

    dim3 shape_;
    std::function<void()> body_;
    place turns_{};
    own_stack turns_stack_{};  ///< the stack of the thread that runs all fibers

public:
    meeting all;
    std::vector<meeting> warps{};
    std::vector<std::array<std::uint64_t, 2>> given{};  ///< by thread, in even and odd turns

private:
    std::array<meeting, 16> parts_{};
    std::vector<fiber> fibers_;
};

inline unsigned own_lane() { return own_thread % row_lanes; }
inline meeting& own_warp() { return block::now->warps[own_thread / row_lanes]; }
inline void __syncwarp() { block::now->wait(own_warp()); }
inline void __syncthreads() { block::now->wait(block::now->all); }
template <unsigned Threads>
void sync_part(unsigned number) {
    block::now->wait(number, Threads);
}

/// Stores this thread's value. Returns the index of the warp's values, valid until the next turn
/// but one.
template <class Value>
unsigned give(const Value& value) {
    const unsigned turn = own_warp().turn % 2;
    std::memcpy(&block::now->given[own_thread][turn], &value, sizeof value);
    __syncwarp();
    return turn;
}
template <class Value>
Value taken(unsigned lane, unsigned turn) {
    Value value;
    const unsigned thread = own_thread - own_lane() + static_cast<unsigned>(lane % row_lanes);
    std::memcpy(&value, &block::now->given[thread][turn], sizeof value);
    return value;
}

template <class Value>
Value __shfl_sync(unsigned, Value value, unsigned from) {
    return taken<Value>(from, give(value));
}
template <class Value>
Value __shfl_xor_sync(unsigned, Value value, unsigned lanes) {
    return taken<Value>(own_lane() ^ lanes, give(value));
}
template <class Value>
Value __shfl_up_sync(unsigned, Value value, unsigned lanes) {
    const unsigned from = own_lane() < lanes ? own_lane() : own_lane() - lanes;
    return taken<Value>(from, give(value));
}
template <class Value>
Value __shfl_down_sync(unsigned, Value value, unsigned lanes) {
    const unsigned from = own_lane() + lanes;
    return taken<Value>(from < row_lanes ? from : own_lane(), give(value));
}
inline unsigned __ballot_sync(unsigned, bool condition) {
    const unsigned turn = give(condition);
    unsigned votes = 0;
    for (unsigned lane = 0; lane < row_lanes; ++lane)
        votes |= unsigned{taken<bool>(lane, turn)} << lane;
    return votes;
}

inline void __threadfence() {}  // blocks run one after the other
inline unsigned atomicAdd(unsigned* word, unsigned more) {
    const unsigned before = *word;
    *word += more;
    return before;
}

struct local {
    template <class Word>
    static Word fetch_add(Word& word, Word value) {
        const Word before = word;
        word += value;
        return before;
    }
};

/// The shared memory that launch() gives a block, besides the declarations of its body.
inline std::vector<double> shared_memory;
inline std::byte* block_memory() { return reinterpret_cast<std::byte*>(shared_memory.data()); }

/// Runs body() in every thread of every block.
template <unsigned Threads, unsigned BlocksAtOnce, class Body>
void launch(std::size_t blocks, dim3 threads, Body body, stream_t, std::size_t shared_bytes = 0) {
    static_assert(Threads % row_lanes == 0);
    shared_memory.assign((shared_bytes + sizeof(double) - 1) / sizeof(double),
                         std::numeric_limits<double>::quiet_NaN());
    std::vector<unsigned> order(blocks);
    std::iota(order.begin(), order.end(), 0u);
    if (order_of_blocks) std::ranges::shuffle(order, std::mt19937(order_of_blocks));
    block one(Threads, threads, body);
    for (const unsigned number : order) one.run(number);
}

}  // namespace watari::emulated
