/// A store, opened for the engines that read or write it: files, a controller over a file or over
/// memory, or host memory that the GPU copies from.
#pragma once

#include "watari/storage/backends/backend.hpp"
#include "watari/storage/controller/controller.hpp"
#include "watari/storage/engines/engine.hpp"

#include <sys/types.h>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace watari::storage {

struct store_options {
    std::string engine;                 ///< a row of storage::engines(), or pinned or managed
    processor who;                      ///< whose memory the data come to
    std::string path;                   ///< of the file; empty: `memory` is the store
    int known = -1;                     ///< the same file, open already; -1: whichever has the name
    std::span<std::byte> memory{};      ///< of engines queue, gpu, pinned, managed
    std::shared_ptr<backend> behind{};  ///< of engines queue and gpu, instead of path and memory
    bool writable = false;
    bool direct = true;               ///< past the page cache
    std::size_t threads = 1;          ///< of a controller
    std::size_t requests = 1;         ///< in flight at a controller, of all users together
    std::size_t largest_block = 512;  ///< bytes of a request
};

/// Whether an engine copies from host memory, without requests.
bool in_host_memory(const std::string& engine);

/// What a store of files will have as its unit, by asking the file alone. Throws usage_error,
/// system_error.
std::size_t unit_of(const store_options& wanted);

/// Throws unsupported where this machine cannot read so; usage_error, system_error.
void require_engine(const store_options& wanted);

class open_store {
public:
    /// Throws unsupported, usage_error, system_error, beyond_memory.
    explicit open_store(const store_options& wanted);

    /// One thread's engine for what lies here. In `options`, direction, block, depth, requests and
    /// memory are set.
    std::unique_ptr<storage::engine> open(storage::engine_options options) const;

    processor who() const { return wanted_.who; }
    /// Whether an engine has several requests in flight.
    bool deep() const { return row_ && row_->deep; }
    /// Bytes of direct I/O's offsets and sizes; 1 where there are none.
    std::size_t unit() const;
    /// What stands for the disk that this store keeps busy by itself, past the page cache: its
    /// file system, or the block device. None: memory, the page cache, one request at a time.
    std::optional<dev_t> disk() const { return disk_; }
    /// The files; null where there are none.
    const storage::open_files* files() const { return files_ ? &*files_ : nullptr; }
    const std::string& path() const { return wanted_.path; }
    /// How it is served, if not as one would expect; may be empty.
    std::string notice() const { return controller_ ? controller_->notice() : ""; }

private:
    void start_controller();

    store_options wanted_;
    std::optional<dev_t> disk_;
    const storage::engine_row* row_ = nullptr;  ///< null: in host memory
    std::optional<storage::file_set> set_;
    std::optional<storage::open_files> files_;
    std::optional<storage::controller> controller_;
    std::optional<storage::namespace_view> view_;
};

}  // namespace watari::storage
