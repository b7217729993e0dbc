// A build without liburing: there are no rings, and the constructor throws the reason.
#include "watari/core/error.hpp"
#include "watari/files/uring/uring.hpp"

namespace watari::files {

struct uring::ring {};

std::string uring_absent_reason() { return "built without liburing (liburing-dev)"; }

uring::uring(unsigned) { throw unsupported("io_uring: " + uring_absent_reason()); }

uring::uring(uring&&) noexcept = default;
uring& uring::operator=(uring&&) noexcept = default;
uring::~uring() = default;

// No ring exists, so these functions are never called.
void uring::register_buffers(std::span<const iovec>) {}
void uring::register_files(std::span<const int>) {}
bool uring::push(const uring_request&) { return false; }
unsigned uring::submit(unsigned) { return 0; }
std::size_t uring::reap(std::span<uring_completion>) { return 0; }

}  // namespace watari::files
