/// A mapped range of a file in memory (tmpfs). Several threads fill it at once; with pwrite they
/// would take turns, since the kernel locks the file for each call.
///
/// Its pages have 2 MiB if the kernel makes such pages on request (Linux 6.1), whatever the file
/// system's option `huge`. Making small pages takes several times as long as writing into them:
/// 2.25 GB have 550,000, each with its entry in the file and in the page table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace watari::files {

class window {
public:
    /// Maps bytes [at, at + bytes) of a file. The file grows to the end of their last large page;
    /// its writer truncates it. Throws file_error, with `path` as the file's name.
    window(int file, const std::string& path, std::uint64_t at, std::size_t bytes);
    window(const window&) = delete;
    window& operator=(const window&) = delete;
    ~window();

    /// The number of large pages, and a request for one of them. Several threads may call it,
    /// before part(), which makes small pages where there are no large ones.
    std::size_t large_pages() const;
    void ask_for_large(std::size_t number) const;

    /// Some of the bytes, with their pages in memory. Throws file_error if there is no room, so
    /// that no later write is killed. Several threads may call it.
    std::span<std::byte> part(std::size_t at, std::size_t bytes) const;

    /// Whether the file lies in memory, and the kernel reports missing room (Linux 5.14).
    static bool suits(const std::string& path);

private:
    std::string path_;
    std::size_t page_;             ///< bytes of a small page
    std::size_t before_;           ///< bytes before `at` in its large page
    std::size_t mapped_;           ///< bytes, in whole large pages
    std::byte *reserved_, *data_;  ///< mapped_ and a large page more; the large page of `at`
};

}  // namespace watari::files
