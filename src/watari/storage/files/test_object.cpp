#include "watari/storage/files/test_object.hpp"

#include "watari/core/error.hpp"
#include "watari/objects/object.hpp"
#include "watari/objects/upload.hpp"
#include "watari/storage/files/file_set.hpp"
#include "watari/storage/verify/sector.hpp"
#include "watari/storage/verify/sectors.hpp"

#include <algorithm>
#include <vector>

namespace watari::storage {

namespace {

void upload_sectors(const std::string& url, std::uint64_t bytes) {
    constexpr std::size_t piece_bytes = 8 * stripe_bytes;
    objects::upload target(url);
    std::vector<std::byte> data(std::min<std::uint64_t>(piece_bytes, bytes));
    for (std::uint64_t done = 0; done < bytes; done += data.size()) {
        data.resize(std::min<std::uint64_t>(data.size(), bytes - done));
        const std::uint64_t offsets[] = {done};
        kernels_on<sector_kernels>(the_cpu).write(
            {data.data(), offsets, 1, data.size() / sector_bytes}, 0, nullptr);
        target.write(data);
    }
    target.complete();
}

/// Whether the first and the last sector are whole and in their place.
bool has_sectors(const objects::object& found) {
    const std::uint64_t offsets[] = {0, found.bytes() - sector_bytes};
    std::vector<std::byte> data(2 * sector_bytes);
    const objects::range ranges[] = {{offsets[0], std::span(data).first(sector_bytes)},
                                     {offsets[1], std::span(data).last(sector_bytes)}};
    found.read(ranges);
    return kernels_on<sector_kernels>(the_cpu).wrong({data.data(), offsets, 2, 1}, any_generation,
                                                     nullptr) == 0;
}

}  // namespace

std::string test_object(const std::string& folder, std::uint64_t bytes) {
    if (bytes == 0 || bytes % sector_bytes != 0)
        throw usage_error("size: must be whole sectors of 512 bytes");
    const std::string url =
        folder + (folder.ends_with('/') ? "" : "/") + "watari-" + std::to_string(bytes) + ".data";
    if (!objects::exists(url)) upload_sectors(url, bytes);
    const objects::object found(url);
    if (found.bytes() != bytes || !has_sectors(found))
        throw file_error(url +
                         " is not a test object: it has other data; remove it, or choose "
                         "another folder");
    return url;
}

}  // namespace watari::storage
