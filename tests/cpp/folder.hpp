/// A folder for files of a test.
#pragma once

#include "watari/core/error.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace watari::storage {

/// A temporary directory, removed with its files by the destructor.
struct directory {
    std::string path = std::filesystem::temp_directory_path() / "watari-storage-XXXXXX";
    directory() {
        if (!mkdtemp(path.data())) throw system_error("mkdtemp", errno);
    }
    ~directory() { std::filesystem::remove_all(path); }

    std::string file(const std::string& name, std::size_t bytes) const {
        const std::string full = path + "/" + name;
        const int out = open(full.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
        const std::vector<std::byte> zeros(bytes);
        EXPECT_EQ(::write(out, zeros.data(), bytes), static_cast<ssize_t>(bytes));
        close(out);
        return full;
    }
};

}  // namespace watari::storage
