/// The files of a result that is striped over several disks, while they are written: one partial
/// file (partial_file.hpp) for each, used as one file. With one path there are no stripes.
///
/// The files get their names one after the other, the first file last. So the first one has its
/// name only when all have, and a reader that begins with it finds a whole result or none.
#pragma once

#include "watari/files/partial/partial_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace watari::files {

class partial_stripes {
public:
    /// Opens or creates the files. Throws file_error, and usage_error if another run writes one.
    partial_stripes(const std::vector<std::string>& outputs, std::size_t stripe);

    std::size_t count() const { return files_.size(); }
    const partial_file& front() const { return files_.front(); }

    /// Allocates the blocks of `bytes` bytes of all files together, and writes the header to the
    /// first; durable then. `anew`: discards what the files hold. Throws file_error.
    void allocate(std::uint64_t bytes, const std::string& header, bool anew);
    /// Throws file_error.
    void write(std::uint64_t offset, const void* data, std::size_t bytes) const;
    /// Returns fewer bytes where a file ends. Throws file_error.
    std::string read(std::uint64_t offset, std::size_t bytes) const;
    /// Cuts or lengthens the result; several files to whole stripes. Throws file_error.
    void resize(std::uint64_t bytes) const;
    void sync();
    void put_in_place();
    /// Removes the files whose names still refer to them.
    void remove() {
        for (partial_file& each : files_) each.remove();
    }

private:
    int file(std::size_t number) const { return get_[number]; }
    std::uint64_t share(std::size_t number, std::uint64_t bytes) const;

    std::vector<std::string> outputs_;
    std::size_t stripe_;
    std::vector<partial_file> files_;
    std::vector<int> get_;  ///< descriptors of the files
};

}  // namespace watari::files
