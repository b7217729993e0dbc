#include "watari/storage/stores/open_store.hpp"

#include "watari/core/error.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/files/disk.hpp"
#include "watari/measure/thread_team.hpp"
#include "watari/objects/object_set.hpp"
#include "watari/storage/backends/disk_array.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/stores/host_engine.hpp"
#include "watari/storage/verify/sector.hpp"

#include <algorithm>

namespace watari::storage {

bool in_host_memory(const std::string& engine) { return engine == "pinned" || engine == "managed"; }

files::cache_state cache_of(const std::string& engine, bool direct) {
    return direct && engine != "mmap" ? files::cache_state::none : files::cache_state::cold;
}

std::size_t unit_of(const store_options& wanted) {
    if (storage::engine_named(wanted.engine).of_objects) return 1;
    const std::size_t least =
        storage::engine_named(wanted.engine).queued ? storage::sector_bytes : 1;
    const bool direct = wanted.files.cache == files::cache_state::none;
    return direct ? std::max(least, files::direct_unit_of(wanted.files.paths[0])) : least;
}

/// Checks engines over queues without starting a controller.
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
    if (row_->of_objects) {
        if (wanted.objects.empty())
            throw unsupported("engine " + wanted.engine + " reads objects, s3://bucket/key");
        objects_ = std::make_shared<objects::object_set>(wanted.objects);
    } else if (!wanted.files.paths.empty())
        files_.emplace(wanted.files);
    else if (!row_->queued)
        throw unsupported("engine " + wanted.engine + " reads files");
    storage::engine_options options;
    options.direction = wanted.files.writable ? files::direction::write : files::direction::read;
    if (const std::string reason = row_->unsupported(complete(options)); !reason.empty())
        throw unsupported(reason);
    if (row_->queued) start_controller();
    if (row_->deep && files_ && files_->cache() == files::cache_state::none)
        disk_ = files::disk_of(path());
}

void open_store::start_controller() {
    const std::shared_ptr<backend> store = wanted_.behind ? wanted_.behind
                                           : files_       ? make_file(wanted_.files)
                                                          : make_ram(wanted_.memory);
    storage::controller_options options;
    options.threads = static_cast<std::uint32_t>(wanted_.threads);
    options.queues =
        storage::queues_for(wanted_.who, wanted_.threads, wanted_.requests, wanted_.largest_block);
    options.queues.limit = wanted_.timeout;
    if (wanted_.spare_identifiers) options.queues.max_outstanding = 0;
    options.block_bytes = std::max<std::uint32_t>(storage::sector_bytes, store->alignment());
    measure::unbind();
    controller_.emplace(store, options);
    view_ = controller_->view();
}

void open_store::reset() {
    if (controller_) controller_->reset();
}

std::uint64_t open_store::bytes() const {
    if (files_) return files_->count() * files_->file_bytes();
    if (objects_) {
        const std::size_t last = objects_->count() - 1;
        return last * files::file_room + objects_->facts(last).bytes;
    }
    return view_ ? view_->blocks * view_->block_bytes : wanted_.memory.size();
}

std::size_t open_store::depth(std::size_t wanted) const {
    constexpr std::size_t least = 2;  // one request is under way while another is copied
    if (objects_)
        return std::max(least, objects_->depth() / std::max<std::size_t>(wanted_.threads, 1));
    return row_ && row_->deep ? wanted : 1;
}

std::string open_store::notice() const {
    if (controller_) return controller_->notice();
    return wanted_.disks ? "modelled: " + wanted_.disks->source() : "";
}

std::size_t open_store::unit() const {
    return view_ ? view_->block_bytes : files_ ? files_->alignment() : 1;
}

storage::engine_options open_store::complete(storage::engine_options options) const {
    options.who = wanted_.who;
    options.files = files();
    options.objects = objects_.get();
    options.merged = wanted_.merged;
    options.gap = wanted_.gap;
    options.view = view_ ? &*view_ : nullptr;
    options.errors = controller_ ? controller_->errors() : nullptr;
    options.disks = wanted_.disks.get();
    options.on_disk = disk_ || (wanted_.behind && wanted_.behind->models_disk());
    return options;
}

std::unique_ptr<storage::engine> open_store::open(storage::engine_options options) const {
    return row_ ? row_->make(complete(options))
                : make_host_engine(wanted_.engine, complete(options), wanted_.memory.data());
}

std::unique_ptr<storage::engine> open_store::open(storage::engine_options options,
                                                  const storage::engine_row& by) const {
    return by.make(complete(options));
}

}  // namespace watari::storage
