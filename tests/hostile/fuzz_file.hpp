/// A file in memory that holds one input of a fuzzer.
#pragma once

#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace fuzz {

class file {
public:
    explicit file(const std::string& name)
        : path_((access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "/tmp/") + ("watari-fuzz-" + name) +
                "-" + std::to_string(getpid())) {}
    file(const file&) = delete;
    ~file() { unlink(path_.c_str()); }

    const std::string& path() const { return path_; }

    /// Replaces the content by these bytes.
    void hold(const std::uint8_t* data, std::size_t size) const {
        std::FILE* into = std::fopen(path_.c_str(), "wb");
        if (!into || (size > 0 && std::fwrite(data, 1, size, into) != size) ||
            std::fclose(into) != 0) {
            std::perror(path_.c_str());
            std::_Exit(2);
        }
    }

private:
    std::string path_;
};

}  // namespace fuzz
