#include "watari/storage/engines/modelled_time.hpp"

#include "watari/core/parallel/atomic.hpp"
#include "watari/storage/backends/disk_array.hpp"

namespace watari::storage {

modelled_time::modelled_time(const engine_options& options)
    : disks_(options.disks),
      operation_(options.direction == files::direction::read ? opcode::read : opcode::write) {}

std::int64_t modelled_time::begin(std::uint64_t offset, std::size_t bytes) const {
    return disks_->due(operation_, offset, bytes, cpu::nanoseconds());
}

void modelled_time::end(std::uint64_t offset, std::size_t bytes) const {
    disks_->ended(operation_, offset, bytes);
}

void modelled_time::flush() const {
    wait_until(disks_->due(opcode::flush, 0, 0, cpu::nanoseconds()));
    disks_->ended(opcode::flush, 0, 0);
}

void modelled_time::wait_until(std::int64_t moment) {
    storage::wait_until(static_cast<double>(moment) * 1e-9);
    for (unsigned attempt = 0; cpu::nanoseconds() < moment; ++attempt) cpu::pause(attempt);
}

std::string no_modelled_time(const std::string& engine) {
    return "engine " + engine +
           " cannot hold a request back until a modelled SSD ends it; engine=posix, uring, queue "
           "or gpu";
}

}  // namespace watari::storage
