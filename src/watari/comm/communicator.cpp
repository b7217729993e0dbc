#include "watari/comm/communicator.hpp"

#include "watari/core/device.hpp"
#include "watari/core/loaded/shared_object.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace watari::comm {

namespace {

const mpi_table* running = nullptr;

const mpi_table& load() {
    const char* file = "libwatari_mpi.so";
    const shared_object library = load_part(file, "", symbols::everybodys);
    if (library.handle == nullptr)
        throw unsupported(
            "several ranks need MPI when Watari is built: the package libopenmpi-dev "
            "or libmpich-dev [" +
            library.why_not + "]");
    const auto ask = reinterpret_cast<decltype(&watari_mpi)>(dlsym(library.handle, "watari_mpi"));
    if (ask == nullptr) throw unsupported(std::string(file) + " is not of this build");
    running = ask();
    running->start();
    return *running;
}

/// A number of bytes as the int that MPI takes. Throws usage_error if it is too large.
int counted(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw usage_error("a message of " + bytes_text(bytes) + " is more than MPI can count");
    return static_cast<int>(bytes);
}

}  // namespace

communicator::communicator(const mpi_table& mpi)
    : mpi_(&mpi),
      rank_(mpi.rank()),
      size_(mpi.size()),
      local_rank_(mpi.local_rank()),
      local_size_(mpi.local_size()) {}

void communicator::exchange(const int (&ranks)[2], const void* const (&send)[2],
                            void* const (&receive)[2], std::size_t bytes) const {
    mpi_->exchange(ranks, send, receive, counted(bytes));
}

void communicator::gather(std::span<const std::byte> own, std::span<std::byte> all) const {
    mpi_->gather(own.data(), all.data(), counted(own.size()));
}

double communicator::sum(double own) const {
    sum(std::span(&own, 1));
    return own;
}

void communicator::sum(std::span<double> values) const {
    mpi_->sum(values.data(), static_cast<int>(values.size()));
}

std::uint64_t communicator::sum(std::uint64_t own) const {
    mpi_->sum_integers(&own, 1);
    return own;
}

void communicator::maximum(std::span<double> values) const {
    mpi_->maximum(values.data(), static_cast<int>(values.size()));
}

void communicator::agree(const std::string& reason) const {
    const auto refusing = gather(reason.empty() ? 0 : 1);
    const auto first = std::find(refusing.begin(), refusing.end(), 1);
    if (first == refusing.end()) return;
    std::array<char, 1024> text{};
    reason.copy(text.data(), text.size() - 1);
    broadcast(text, static_cast<int>(first - refusing.begin()));
    throw refused(text.data());
}

const communicator& world() {
    static const communicator all(load());
    return all;
}

void finish() {
    if (running != nullptr) running->finish();
    running = nullptr;
}

void exchange_gpu_memory() {
    const communicator& all = world();
    all.together([&] {
        if (device::count() == 0) throw unsupported(device::absent_reason());
        device::use(all.local_rank() % device::count());
    });
    // one size for the eager protocol of MPI, one for its rendezvous protocol
    for (const std::size_t bytes : {std::size_t{1} << 10, std::size_t{8} << 20}) {
        const device::scratch own(bytes), others(bytes);
        const int other = all.rank() == 0 ? 1 : 0;
        std::vector<unsigned char> data(bytes, static_cast<unsigned char>(17 + all.rank()));
        device::copy(own.data(), data.data(), bytes, nullptr);
        device::synchronize(nullptr);
        all.exchange({other, nobody}, {own.data(), nullptr}, {others.data(), nullptr}, bytes);
        device::read_back(data.data(), others.data(), bytes, nullptr);
        const auto expected = static_cast<unsigned char>(17 + other);
        if (!std::all_of(data.begin(), data.end(), [=](auto byte) { return byte == expected; }))
            throw error("what came is not what was sent");
    }
}

}  // namespace watari::comm
