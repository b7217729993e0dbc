/// A range of a file in memory (tmpfs), mapped. Several threads fill it at once: with pwrite they
/// take turns, since the kernel locks the file for each call.
///
/// Its pages have 2 MiB where the kernel makes such on request (Linux 6.1), whatever the file
/// system's option `huge`. Small ones take several times as long as what is written into them:
/// 550,000 for 2.25 GB, each with its entry in the file and in the table of pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace watari::files {

class window {
public:
    /// Bytes [at, at + bytes) of a file, which grows to hold them, and to the end of their last
    /// large page: who has written it cuts it off. Throws file_error, with `path` as the file's
    /// name.
    window(int file, const std::string& path, std::uint64_t at, std::size_t bytes);
    window(const window&) = delete;
    window& operator=(const window&) = delete;
    ~window();

    /// Asks for large pages, for a group of them after the other: for several threads, before
    /// part(), which makes small ones where there are none.
    std::size_t groups() const;
    void ask_for_large(std::size_t group) const;

    /// Some of the bytes, whose pages are in memory from now on: without room for them it throws
    /// file_error here, and the thread that writes them is not killed. For several threads.
    std::span<std::byte> part(std::size_t at, std::size_t bytes) const;

    /// Whether the file is one in memory, and the kernel reports missing room (Linux 5.14).
    static bool suits(const std::string& path);

private:
    std::string path_;
    std::size_t page_;             ///< bytes of a small one
    std::size_t before_;           ///< bytes before `at` in its large page
    std::size_t mapped_;           ///< whole large pages
    std::byte *reserved_, *data_;  ///< addresses for one page more; the large page of `at`
};

}  // namespace watari::files
