/// GPUs as the rest of the library sees them: streams, events, scratch memory.
///
/// One of device.cpp (CUDA) and device_absent.cpp is built. Without CUDA there are no GPUs, and
/// everything that needs one throws `unsupported`.
#pragma once

#include "watari/core/handle.hpp"

#include <cstddef>
#include <set>
#include <source_location>
#include <string>

struct CUstream_st;
struct CUevent_st;

namespace watari {

using stream_t = CUstream_st*;  ///< a cudaStream_t; null is the default stream

namespace device {

/// Number of GPUs; 0 where there is no CUDA, no driver or no GPU.
int count();

/// Why there is no GPU; empty if there is one.
std::string absent_reason();

/// Throws `unsupported` unless there is a GPU of this number; makes it the current one.
void use(int number);

/// What memory of a GPU may do: CUDA's device attributes of these names.
enum class attribute {
    managed_memory,
    concurrent_managed_access,
    pageable_memory_access,
    pageable_memory_access_uses_host_page_tables,
    host_native_atomic_supported,
};
bool has(attribute which, int number);

/// Limits of the current GPU for the blocks of a kernel.
struct limits {
    unsigned multiprocessors;
    std::size_t shared_bytes;  ///< shared memory that one block can have
};
limits current_limits();

/// The NUMA nodes that are memory of a GPU (GH200); empty where no GPU's memory is a node.
std::set<int> numa_nodes();

/// Free and total bytes of a GPU's memory. memory() makes this GPU the current one.
struct memory_info {
    std::size_t free;
    std::size_t total;
};
memory_info memory(int number);

/// Lets kernels on one GPU address another's memory; makes `from` the current one. Throws
/// `unsupported` if the machine cannot.
void enable_peer(int from, int to);

/// Gives each thread of the current GPU at least so many bytes of stack for functions that are
/// called by address. The GPU keeps that much of its memory for each thread that can run at once.
void give_stack(std::size_t bytes);

/// From now on no call of this thread breaks the stream capture of another thread, or fails because
/// of one.
void ignore_captures();

/// Waits for a stream (null: the default stream).
void synchronize(stream_t stream, std::source_location at = std::source_location::current());

/// Copies bytes between any two addresses that CUDA knows, in stream order.
void copy(void* to, const void* from, std::size_t bytes, stream_t stream);

/// Copies rows of `bytes`, `to_stride` and `from_stride` bytes apart, in stream order.
void copy_rows(void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
               std::size_t bytes, std::size_t rows, stream_t stream);

/// Copies to ordinary memory and waits.
void read_back(void* to, const void* from, std::size_t bytes, stream_t stream);

/// Throws if the last kernel launch was refused.
void check_launch(std::source_location at = std::source_location::current());

void destroy_stream(stream_t stream) noexcept;
void destroy_event(CUevent_st* event) noexcept;
void release_scratch(void* data) noexcept;

/// Which work a GPU begins first if several streams have work.
enum class priority { usual, urgent };

/// A stream of its own, not synchronised with the default one.
class stream {
public:
    explicit stream(priority which = priority::usual);
    stream_t get() const noexcept { return handle_.get(); }

private:
    handle<stream_t, destroy_stream> handle_;
};

/// How a thread waits. awake: it polls. asleep: it yields its core and wakes tens of microseconds
/// late.
enum class waiting { awake, asleep };

/// A moment in a stream.
class event {
public:
    explicit event(waiting how = waiting::awake);
    void record(stream_t stream);
    void make_wait(stream_t stream) const;  ///< later work of `stream` waits for this moment
    void wait() const;                      ///< the calling thread waits for it
    bool happened() const;
    /// Seconds on the device from `first` to `last`; both must have happened.
    static double seconds(const event& first, const event& last);

private:
    handle<CUevent_st*, destroy_event> handle_;
};

/// GPU memory for a reduction's partial results.
class scratch {
public:
    explicit scratch(std::size_t bytes);
    void* data() const noexcept { return handle_.get(); }

private:
    handle<void*, release_scratch> handle_;
};

}  // namespace device
}  // namespace watari
