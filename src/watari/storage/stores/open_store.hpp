/// A store, opened for the engines that read or write it: files, a controller over a file or over
/// memory, or host memory that the GPU copies from.
#pragma once

#include "watari/files/striped_files.hpp"
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
    files::file_options files{};        ///< no paths: `memory` is the store
    std::span<std::byte> memory{};      ///< of engines queue, gpu, pinned, managed
    std::shared_ptr<backend> behind{};  ///< of engines queue and gpu, instead of files and memory
    std::size_t threads = 1;            ///< of a controller
    std::size_t requests = 1;           ///< in flight at a controller, of all users together
    std::size_t largest_block = 512;    ///< bytes of a request
    double timeout = 10;                ///< seconds that a user waits for a command
    bool spare_identifiers = false;     ///< commands may be lost and keep theirs until reset()
};

/// Whether an engine copies from host memory, without requests.
bool in_host_memory(const std::string& engine);

/// How an engine opens files that direct I/O is wanted of: memory-mapped ones are the page cache.
files::cache_state cache_of(const std::string& engine, bool direct);

/// What a store of one file will have as its unit, by asking the file alone. Throws usage_error,
/// system_error.
std::size_t unit_of(const store_options& wanted);

/// Throws unsupported where this machine cannot read so; usage_error, system_error.
void require_engine(const store_options& wanted);

class open_store {
public:
    /// Throws unsupported, usage_error, system_error, beyond_memory.
    explicit open_store(const store_options& wanted);

    /// One thread's engine for what lies here. In `options`, direction, pattern, block, depth,
    /// requests and memory are set.
    std::unique_ptr<storage::engine> open(storage::engine_options options) const;
    /// The same by another engine that opens files.
    std::unique_ptr<storage::engine> open(storage::engine_options options,
                                          const storage::engine_row& by) const;

    /// Identifiers of commands that were lost can be acquired again. Nobody may have a command
    /// under way.
    void reset();

    processor who() const { return wanted_.who; }
    /// Whether requests are commands to a controller, which knows addresses, not files.
    bool in_queues() const { return controller_.has_value(); }
    /// Whether an engine has several requests in flight.
    bool deep() const { return row_ && row_->deep; }
    /// Bytes that are there to be read; of `padded` files without their zeros.
    std::uint64_t bytes() const;
    /// Bytes of direct I/O's offsets and sizes; 1 where there are none.
    std::size_t unit() const;
    /// What stands for the disk that this store keeps busy by itself, past the page cache: its
    /// file system, or the block device. None: memory, the page cache, one request at a time.
    std::optional<dev_t> disk() const { return disk_; }
    /// The files; null where there are none.
    const files::striped_files* files() const { return files_ ? &*files_ : nullptr; }
    /// Of the first file; empty where there are none.
    std::string path() const { return files_ ? files_->path(0) : ""; }
    /// How it is served, if not as one would expect; may be empty.
    std::string notice() const { return controller_ ? controller_->notice() : ""; }

private:
    void start_controller();
    storage::engine_options complete(storage::engine_options options) const;

    store_options wanted_;
    std::optional<dev_t> disk_;
    const storage::engine_row* row_ = nullptr;  ///< null: in host memory
    std::optional<files::striped_files> files_;
    std::optional<storage::controller> controller_;
    std::optional<storage::namespace_view> view_;
};

}  // namespace watari::storage
