#include "watari/storage/stores/open_store.hpp"

#include "watari/core/error.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/files/disk.hpp"
#include "watari/measure/thread_team.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/stores/host_engine.hpp"
#include "watari/storage/verify/sector.hpp"

#include <algorithm>

namespace watari::storage {

namespace {

storage::cache_state cache_of(const store_options& wanted, const storage::engine_row& row) {
    // memory-mapped files are the page cache
    return wanted.direct && row.name != "mmap" ? storage::cache_state::none
                                               : storage::cache_state::cold;
}

}  // namespace

bool in_host_memory(const std::string& engine) { return engine == "pinned" || engine == "managed"; }

std::size_t unit_of(const store_options& wanted) {
    const storage::engine_row& row = storage::engine_named(wanted.engine);
    const std::size_t least = row.queued ? storage::sector_bytes : 1;
    const bool direct = cache_of(wanted, row) == storage::cache_state::none;
    return direct ? std::max(least, files::direct_unit_of(wanted.path)) : least;
}

/// Of queues without the controller that serves them.
void require_engine(const store_options& wanted) {
    if (in_host_memory(wanted.engine) || !storage::engine_named(wanted.engine).queued) {
        const open_store opened(wanted);
        return;
    }
    storage::engine_options options;
    options.who = wanted.who;
    const std::string reason = storage::engine_named(wanted.engine).unsupported(options);
    if (!reason.empty()) throw unsupported(reason);
}

open_store::open_store(const store_options& wanted) : wanted_(wanted) {
    if (in_host_memory(wanted.engine)) {
        require_host_engine(wanted.engine, wanted.who);
        return;
    }
    row_ = &storage::engine_named(wanted.engine);
    if (!row_->queued) {
        if (wanted.path.empty()) throw unsupported("engine " + wanted.engine + " reads files");
        set_.emplace(wanted.path);
        files_.emplace(*set_, wanted.writable ? files::direction::write : files::direction::read,
                       cache_of(wanted, *row_));
        files::require_same_file(files_->descriptor_of(0), wanted.known, wanted.path);
    }
    storage::engine_options options;
    options.files = files();
    options.who = wanted.who;
    options.direction = wanted.writable ? files::direction::write : files::direction::read;
    if (const std::string reason = row_->unsupported(options); !reason.empty())
        throw unsupported(reason);
    if (row_->queued) start_controller();
    if (row_->deep && wanted.direct && !wanted.path.empty()) disk_ = files::disk_of(wanted.path);
}

void open_store::start_controller() {
    const auto opened = [&] {
        if (wanted_.path.empty()) return make_ram(wanted_.memory);
        return make_file({.paths = {wanted_.path},
                          .known = {wanted_.known},
                          .writable = wanted_.writable,
                          .direct = wanted_.direct,
                          .padded = !wanted_.writable});
    };
    const std::shared_ptr<backend> store = wanted_.behind ? wanted_.behind : opened();
    storage::controller_options options;
    options.threads = static_cast<std::uint32_t>(wanted_.threads);
    options.queues =
        storage::queues_for(wanted_.who, wanted_.threads, wanted_.requests, wanted_.largest_block);
    options.block_bytes = std::max<std::uint32_t>(storage::sector_bytes, store->alignment());
    measure::unbind();
    controller_.emplace(store, options);
    view_ = controller_->view();
}

std::size_t open_store::unit() const {
    if (view_) return view_->block_bytes;
    return files_ && files_->cache() == storage::cache_state::none ? files_->direct_unit() : 1;
}

std::unique_ptr<storage::engine> open_store::open(storage::engine_options options) const {
    options.who = wanted_.who;
    options.files = files();
    options.view = view_ ? &*view_ : nullptr;
    options.errors = controller_ ? controller_->errors() : nullptr;
    options.on_disk = disk_.has_value();
    options.pattern = storage::pattern::random;  // rows of tiles: no read-ahead by the kernel
    return row_ ? row_->make(options)
                : make_host_engine(wanted_.engine, options, wanted_.memory.data());
}

}  // namespace watari::storage
