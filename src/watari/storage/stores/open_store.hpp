/// A store, opened for the engines that read or write it. It is files, a controller over files or
/// memory, host memory that the GPU copies from, or objects of a server.
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
    std::string engine;                  ///< a row of storage::engines(), or pinned or managed
    processor who;                       ///< processor whose memory the data move to or from
    std::vector<std::string> objects{};  ///< addresses, for engine s3; several lie as files apart
    std::size_t merged = 0, gap = 0;     ///< of objects: see engine_options
    files::file_options files{};         ///< without paths, `memory` or `behind` is the store
    std::span<std::byte> memory{};       ///< for engines queue, gpu, pinned, managed
    std::shared_ptr<disk_array>
        disks{};  ///< modelled SSDs, whose times requests to files in memory have
    std::shared_ptr<backend> behind{};  ///< for engines queue and gpu, instead of files and memory
    std::size_t threads = 1;            ///< threads of the controller; or those that read objects
    std::size_t requests = 1;           ///< in flight at the controller, of all users together
    std::size_t largest_block = 512;    ///< bytes of the largest request
    double timeout = 10;                ///< seconds that a user waits for a command
    bool spare_identifiers = false;  ///< use every identifier of a queue: a lost command keeps its
                                     ///< own until reset()
};

/// Whether an engine copies from host memory (pinned, managed) instead of sending requests.
bool in_host_memory(const std::string& engine);

/// Returns the cache state in which an engine opens files. `direct` asks for direct I/O; engine
/// mmap always uses the page cache.
files::cache_state cache_of(const std::string& engine, bool direct);

/// Returns the unit that a store of one file will have, without opening the store. Throws
/// usage_error, system_error.
std::size_t unit_of(const store_options& wanted);

/// Throws unsupported if this machine cannot open the store so; usage_error, system_error.
void require_engine(const store_options& wanted);

class open_store {
public:
    /// Throws unsupported, usage_error, system_error, beyond_memory.
    explicit open_store(const store_options& wanted);

    /// Makes one thread's engine for this store. The caller sets direction, pattern, block, depth,
    /// requests, memory and bytes of `options`.
    std::unique_ptr<storage::engine> open(storage::engine_options options) const;
    /// As above, by engine `by`: the store's own, or one that opens files.
    std::unique_ptr<storage::engine> open(storage::engine_options options,
                                          const storage::engine_row& by) const;

    /// Makes the identifiers of lost commands available again. No thread may have a command in
    /// flight.
    void reset();

    processor who() const { return wanted_.who; }
    /// Whether requests are commands to a controller. Its errors name addresses, not files.
    bool in_queues() const { return controller_.has_value(); }
    /// Requests in flight of one thread's engine: `wanted` if it has several. Of objects, the
    /// threads divide the number that suits the server.
    std::size_t depth(std::size_t wanted) const;
    /// Bytes of the store; of `padded` files without their zeros.
    std::uint64_t bytes() const;
    /// Every offset and size must be a multiple of this many bytes; 1: any.
    std::size_t unit() const;
    /// A request must not cross a multiple of this many bytes; 0: any. A controller cuts requests.
    std::size_t stripe() const { return files_ && !controller_ ? files_->stripe() : 0; }
    /// Device number of the disk that this store keeps busy: its file system, or the block device.
    /// None for memory, for the page cache, and for engines with one request in flight.
    std::optional<dev_t> disk() const { return disk_; }
    /// The files; null if the store has none.
    const files::striped_files* files() const { return files_ ? &*files_ : nullptr; }
    /// Path of the first file; empty if the store has no files.
    std::string path() const { return files_ ? files_->path(0) : ""; }
    /// A notice for users, such as a fallback or the model of an SSD; may be empty.
    std::string notice() const;

private:
    void start_controller();
    storage::engine_options complete(storage::engine_options options) const;

    store_options wanted_;
    std::optional<dev_t> disk_;
    const storage::engine_row* row_ = nullptr;  ///< null if the store is in host memory
    std::optional<files::striped_files> files_;
    std::shared_ptr<const objects::object_set> objects_;
    std::optional<storage::controller> controller_;
    std::optional<storage::namespace_view> view_;
};

}  // namespace watari::storage
