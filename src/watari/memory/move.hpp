/// Copies and waits, by the processor that computes. Nothing else in the library asks which one it
/// is before it copies.
///
/// A GPU copies in the order of a stream, between any two addresses that its driver knows: memory
/// of every kind, and ordinary memory of the CPU. The CPU copies at once, between addresses that it
/// can load and store. Bytes: each is read once and written once.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <source_location>
#include <vector>

namespace watari::memory {

/// Copies bytes. On a GPU it may return before it is done.
void copy(processor who, void* to, const void* from, std::size_t bytes, stream_t stream);

/// Copies rows of `bytes`, `to_stride` and `from_stride` bytes apart. On a GPU it may return before
/// it is done.
void copy_rows(processor who, void* to, std::size_t to_stride, const void* from,
               std::size_t from_stride, std::size_t bytes, std::size_t rows, stream_t stream);

/// Waits for a stream of a GPU (null: the default stream). The work of the CPU is done already.
void wait(processor who, stream_t stream = nullptr,
          std::source_location at = std::source_location::current());

/// Copies bytes and waits.
void copy_now(processor who, void* to, const void* from, std::size_t bytes,
              stream_t stream = nullptr);

/// Values that a processor's work has left in memory, after that work.
template <class Value>
std::vector<Value> read_back(processor who, const Value* from, std::size_t count,
                             stream_t stream = nullptr) {
    std::vector<Value> values(count);
    copy_now(who, values.data(), from, count * sizeof(Value), stream);
    return values;
}
template <class Value>
Value read_back(processor who, const Value* from) {
    Value value{};
    copy_now(who, &value, from, sizeof value);
    return value;
}

}  // namespace watari::memory
