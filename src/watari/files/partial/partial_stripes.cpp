#include "watari/files/partial/partial_stripes.hpp"

#include "watari/core/error.hpp"
#include "watari/files/striped_piece.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace watari::files {

partial_stripes::partial_stripes(const std::vector<std::string>& outputs, std::size_t stripe)
    : outputs_(outputs), stripe_(stripe) {
    if (outputs.empty() || stripe == 0) throw usage_error("no file to write");
    for (const std::string& each : outputs) get_.push_back(files_.emplace_back(each).get());
}

/// Bytes of one file, of a result with `bytes` bytes.
std::uint64_t partial_stripes::share(std::size_t number, std::uint64_t bytes) const {
    if (count() == 1) return bytes;
    const std::uint64_t row = count() * stripe_, before = number * stripe_, rest = bytes % row;
    return bytes / row * stripe_ + std::clamp<std::uint64_t>(rest, before, before + stripe_) -
           before;
}

void partial_stripes::allocate(std::uint64_t bytes, const std::string& header, bool anew) {
    std::size_t number = 0;
    for (partial_file& each : files_) {
        const std::uint64_t own = std::max<std::uint64_t>(1, share(number, bytes));
        each.allocate(own, number == 0 ? header : "", anew);
        ++number;
    }
}

void partial_stripes::write(std::uint64_t offset, const void* data, std::size_t bytes) const {
    for (std::size_t done = 0; done < bytes;) {
        const striped_piece at = piece_of(offset + done, bytes - done, count(), stripe_);
        const ssize_t moved = pwrite(file(at.file), static_cast<const char*>(data) + done, at.bytes,
                                     static_cast<off_t>(at.offset));
        if (moved < 0 && errno == EINTR) continue;
        if (moved <= 0) cannot_write(outputs_[at.file], moved < 0 ? errno : ENOSPC);
        done += static_cast<std::size_t>(moved);
    }
}

std::string partial_stripes::read(std::uint64_t offset, std::size_t bytes) const {
    std::string all;
    while (all.size() < bytes) {
        const striped_piece at =
            piece_of(offset + all.size(), bytes - all.size(), count(), stripe_);
        const std::string some = bytes_of(file(at.file), at.offset, at.bytes);
        all += some;
        if (some.size() < at.bytes) break;
    }
    return all;
}

void partial_stripes::resize(std::uint64_t bytes) const {
    const std::uint64_t row = count() * stripe_;
    const std::uint64_t all = count() == 1 ? bytes : (bytes + row - 1) / row * row;
    for (std::size_t i = 0; i < count(); ++i)
        if (ftruncate(file(i), static_cast<off_t>(share(i, all))) != 0)
            cannot_write(outputs_[i], errno);
}

void partial_stripes::sync() {
    for (partial_file& each : files_) each.sync();
}

void partial_stripes::put_in_place() {
    if (count() > 1 && unlink(outputs_.front().c_str()) != 0 && errno != ENOENT)
        cannot_write(outputs_.front(), errno);  // of an older result, whose other files go now
    for (auto each = files_.rbegin(); each != files_.rend(); ++each) each->put_in_place();
}

}  // namespace watari::files
