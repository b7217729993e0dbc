/// A range of a file in memory (tmpfs), mapped. Several threads fill it at once: with pwrite they
/// take turns, since the kernel locks the file for each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace watari::files {

class window {
public:
    /// Bytes [at, at + bytes) of a file, which grows to hold them. Throws file_error, with `path`
    /// as the file's name.
    window(int file, const std::string& path, std::uint64_t at, std::size_t bytes);
    window(const window&) = delete;
    window& operator=(const window&) = delete;
    ~window();

    /// Some of the bytes, whose pages are in memory from now on: without room for them it throws
    /// file_error here, and the thread that writes them is not killed. For several threads.
    std::span<std::byte> part(std::size_t at, std::size_t bytes) const;

    /// Whether the file is one in memory, and the kernel reports missing room (Linux 5.14).
    static bool suits(const std::string& path);

private:
    std::string path_;
    std::size_t page_, before_;  ///< bytes of a page; those before `at` in its page
    std::size_t mapped_;
    std::byte* data_;  ///< the page of `at`
};

}  // namespace watari::files
