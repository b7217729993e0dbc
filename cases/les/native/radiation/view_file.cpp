#include "view_file.hpp"

#include "watari/core/error.hpp"
#include "watari/core/loops.hpp"
#include "watari/files/descriptor.hpp"
#include "watari/files/file_state.hpp"
#include "watari/objects/crc32c.hpp"
#include "watari/objects/service/sha256.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

namespace watari::les {

namespace {

constexpr std::size_t piece_bytes = std::size_t{16} << 20;
constexpr std::array<char, 16> what_it_is{"watari views 1\n"};

struct header {
    std::array<char, 16> what;
    objects::digest hash;
    std::uint64_t facets, nonzeros;
};

/// A part of the file, in memory.
using bytes = std::span<std::byte>;

objects::digest hash_of(const parameters& p, std::size_t rays) {
    std::string all(what_it_is.data(), what_it_is.size());
    const auto add = [&all](const void* data, std::size_t count) {
        all.append(static_cast<const char*>(data), count);
    };
    const std::uint64_t numbers[] = {p.whole.x, p.whole.y,    p.whole.z,
                                     rays,      most_columns, reciprocity_sweeps};
    add(numbers, sizeof numbers);
    add(p.spacing.data(), sizeof p.spacing);
    add(p.heights.data(), p.heights.size() * sizeof p.heights[0]);
    if (p.transpires()) add(p.trees.data(), p.trees.size() * sizeof p.trees[0]);
    return objects::sha256(all);
}

template <class Element>
bytes bytes_of(Element* data, std::size_t count) {
    return {reinterpret_cast<std::byte*>(data), count * sizeof(Element)};
}

/// The pieces of some arrays, one after the other, and where each begins in a file.
std::vector<std::pair<std::size_t, bytes>> pieces_of(std::span<const bytes> arrays) {
    std::vector<std::pair<std::size_t, bytes>> result;
    std::size_t at = 0;
    for (const bytes& array : arrays)
        for (std::size_t n = 0; n < array.size(); n += piece_bytes) {
            result.emplace_back(at, array.subspan(n, std::min(piece_bytes, array.size() - n)));
            at += result.back().second.size();
        }
    return result;
}

bool read_at(int file, std::size_t at, bytes into) {
    while (!into.empty()) {
        const ssize_t got = pread(file, into.data(), into.size(), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += static_cast<std::size_t>(got);
        into = into.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

void write_at(int file, std::size_t at, std::span<const std::byte> from) {
    while (!from.empty()) {
        const ssize_t put = pwrite(file, from.data(), from.size(), static_cast<off_t>(at));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) throw file_error(std::strerror(put < 0 ? errno : ENOSPC));
        at += static_cast<std::size_t>(put);
        from = from.subspan(static_cast<std::size_t>(put));
    }
}

/// The header with the checksums of the pieces, and its own at the end.
std::vector<std::byte> complete_header(const header& first,
                                       const std::vector<std::uint32_t>& sums) {
    std::vector<std::byte> result(sizeof first + (sums.size() + 1) * sizeof sums[0]);
    std::memcpy(result.data(), &first, sizeof first);
    std::memcpy(result.data() + sizeof first, sums.data(), sums.size() * sizeof sums[0]);
    const std::size_t before = result.size() - sizeof sums[0];
    const std::uint32_t own = objects::crc32c(std::span(result).first(before));
    std::memcpy(result.data() + before, &own, sizeof own);
    return result;
}

/// The checksums of all pieces, computed by all threads.
std::vector<std::uint32_t> checksums(const std::vector<std::pair<std::size_t, bytes>>& pieces) {
    std::vector<std::uint32_t> sums(pieces.size());
    cpu::for_each(
        pieces.size(), [&](std::size_t n) { sums[n] = objects::crc32c(pieces[n].second); },
        nullptr);
    return sums;
}

std::size_t header_bytes(std::size_t pieces) {
    return sizeof(header) + (pieces + 1) * sizeof(std::uint32_t);
}

}  // namespace

std::string view_file_name(const parameters& p, std::size_t rays) {
    return objects::hex(hash_of(p, rays)).substr(0, 32) + ".views";
}

std::optional<view_factors> read_views(const std::string& path, const parameters& p,
                                       const facet_list& facets, std::size_t rays) {
    const files::descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    header head{};
    if (file.get() < 0 || !read_at(file.get(), 0, bytes_of(&head, 1))) return {};
    if (head.what != what_it_is || head.hash != hash_of(p, rays) || head.facets != facets.nodes())
        return {};
    std::vector<std::uint32_t> lengths(head.facets);
    struct stat status {};
    const std::size_t body = head.facets * sizeof lengths[0] + head.nonzeros * 8;
    if (fstat(file.get(), &status) != 0 || head.nonzeros > std::uint64_t{1} << 40 ||
        static_cast<std::uint64_t>(status.st_size) < body)
        return {};
    std::vector<std::uint64_t> first(head.facets + 1);
    first.back() = head.nonzeros;
    view_factors result(std::move(first), areas_of(p, facets));
    const bytes arrays[] = {bytes_of(lengths.data(), lengths.size()),
                            bytes_of(result.column.data(), head.nonzeros),
                            bytes_of(result.shared.data(), head.nonzeros)};
    const auto pieces = pieces_of(arrays);
    std::atomic<bool> whole = true;
    cpu::for_each(
        pieces.size(),
        [&](std::size_t n) {
            const auto& [at, into] = pieces[n];
            if (!read_at(file.get(), header_bytes(pieces.size()) + at, into)) whole = false;
        },
        nullptr);
    const std::vector<std::byte> expected = complete_header(head, checksums(pieces));
    std::vector<std::byte> found(expected.size());
    if (!whole || !read_at(file.get(), 0, found) || found != expected) return {};
    std::uint64_t at = 0;
    for (std::size_t n = 0; n < lengths.size(); ++n) {
        result.first[n] = at;
        at += lengths[n];
    }
    if (at != head.nonzeros) return {};
    result.see_sky();
    return result;
}

void write_views(const std::string& path, const view_factors& views, const parameters& p,
                 std::size_t rays) {
    std::vector<std::uint32_t> lengths(views.facets());
    for (std::size_t n = 0; n < lengths.size(); ++n)
        lengths[n] = static_cast<std::uint32_t>(views.first[n + 1] - views.first[n]);
    const bytes arrays[] = {bytes_of(lengths.data(), lengths.size()),
                            bytes_of(views.column.data(), views.nonzeros()),
                            bytes_of(views.shared.data(), views.nonzeros())};
    const auto pieces = pieces_of(arrays);
    const auto head = complete_header(
        {what_it_is, hash_of(p, rays), views.facets(), views.nonzeros()}, checksums(pieces));
    const std::string partial = path + "." + std::to_string(getpid()) + ".partial";
    try {
        const files::descriptor file(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
        write_at(file.get(), 0, head);
        for (const auto& [at, from] : pieces) write_at(file.get(), head.size() + at, from);
        if (fsync(file.get()) != 0 || std::rename(partial.c_str(), path.c_str()) != 0)
            throw file_error(std::strerror(errno));
    } catch (...) {
        unlink(partial.c_str());
        throw;
    }
}

}  // namespace watari::les
