// A build without CUDA: there are no GPUs, and asking for one says so.
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

namespace watari::device {

namespace {

[[noreturn]] void absent() { throw unsupported(absent_reason()); }

}  // namespace

int count() { return 0; }

std::string absent_reason() { return "built without CUDA"; }

void use(int) { absent(); }

bool has(attribute, int) { absent(); }

limits current_limits() { absent(); }

std::set<int> numa_nodes() { return {}; }

memory_info memory(int) { absent(); }

void enable_peer(int, int) { absent(); }

void give_stack(std::size_t) { absent(); }

void ignore_captures() { absent(); }

void synchronize(stream_t, std::source_location) { absent(); }

void copy(void*, const void*, std::size_t, stream_t) { absent(); }

void copy_rows(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, stream_t) {
    absent();
}

void read_back(void*, const void*, std::size_t, stream_t) { absent(); }

void check_launch(std::source_location) { absent(); }

void destroy_stream(stream_t) noexcept {}

void destroy_event(CUevent_st*) noexcept {}

void release_scratch(void*) noexcept {}

stream::stream(priority) { absent(); }

event::event(waiting) { absent(); }

void event::record(stream_t) { absent(); }

void event::make_wait(stream_t) const { absent(); }

void event::wait() const { absent(); }

bool event::happened() const { absent(); }

double event::seconds(const event&, const event&) { absent(); }

scratch::scratch(std::size_t) { absent(); }

}  // namespace watari::device
