#include "watari/storage/files/file_set.hpp"

#include "watari/core/error.hpp"
#include "watari/files/disk.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/files/test_data.hpp"
#include "watari/storage/verify/sector.hpp"
#include "watari/storage/verify/sectors.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

namespace watari::storage {

namespace {

constexpr std::size_t piece = 8 * stripe_bytes;

}  // namespace

file_set::file_set(const extent& wanted) : wanted_(wanted) {
    if (wanted.files == 0 || wanted.bytes % (wanted.files * sector_bytes) != 0 ||
        (wanted.files > 1 && wanted.bytes % (wanted.files * stripe_bytes) != 0))
        throw usage_error(
            "size: must be whole sectors of 512 bytes, with several files whole MiB "
            "in each of them");
    if (wanted.folders.empty() || wanted.files % wanted.folders.size() != 0)
        throw usage_error("files: each of " + std::to_string(wanted.folders.size()) +
                          " folders has as many");
    for (const std::string& folder : wanted.folders) make_folder(folder);
    const std::string name = "/watari-" + std::to_string(wanted.bytes);
    for (std::size_t i = 0; i < wanted.files; ++i) {
        const std::string part = "-" + std::to_string(i + 1) + "of" + std::to_string(wanted.files);
        paths_.push_back(wanted.folders[i % wanted.folders.size()] + name +
                         (wanted.files > 1 ? part : "") + ".data");
    }
    try {
        for (std::size_t i = 0; i < wanted.files; ++i)
            in_use_.push_back(open_data_file(paths_[i], file_bytes(), wanted.how, [&](int file) {
                write_test_data({file, paths_[i], file_bytes(), i, wanted.files});
            }));
    } catch (...) {  // useless without the others
        for (std::size_t i = 0; i < in_use_.size(); ++i)
            if (in_use_[i].made) unlink(paths_[i].c_str());
        throw;
    }
}

std::vector<int> file_set::in_use() const {
    std::vector<int> all;
    for (const data_file& each : in_use_) all.push_back(each.file.get());
    return all;
}

std::string file_set::on_one_device() const {
    return files::on_one_device(in_use(), wanted_.folders);
}

std::vector<std::string> file_set::foreign() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < in_use_.size(); ++i)
        if (is_foreign(in_use_[i].file.get(), file_bytes(), paths_[i])) all.push_back(paths_[i]);
    return all;
}

void write_test_data(std::span<std::byte> memory) {
    for (std::size_t i = 0; i < memory.size() / sector_bytes; ++i)
        cpu::write_sector(reinterpret_cast<std::uint64_t*>(memory.data() + i * sector_bytes), i, 0);
}

void write_test_data(const file_of_set& to) {
    const memory::buffer<std::byte> data(memory::kind::pageable, piece);
    std::vector<std::uint64_t> offsets(piece / stripe_bytes);
    for (std::uint64_t done = 0; done < to.bytes; done += piece) {
        for (std::size_t i = 0; i < offsets.size(); ++i)
            offsets[i] = ((done / stripe_bytes + i) * to.count + to.number) * stripe_bytes;
        kernels_on<sector_kernels>(the_cpu).write(
            {data.data(), offsets.data(), offsets.size(), stripe_bytes / sector_bytes}, 0, nullptr);
        const auto bytes =
            static_cast<std::size_t>(std::min<std::uint64_t>(piece, to.bytes - done));
        const ssize_t written = pwrite(to.descriptor, data.data(), bytes, static_cast<off_t>(done));
        if (written != static_cast<ssize_t>(bytes))
            files::transfer_failed(files::direction::write, to.path, done, bytes,
                                   written < 0 ? -errno : written);
        // what was written must not fill the page cache
        sync_file_range(to.descriptor, static_cast<off_t>(done), static_cast<off_t>(bytes),
                        SYNC_FILE_RANGE_WRITE);
    }
}

}  // namespace watari::storage
