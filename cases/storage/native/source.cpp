#include "source.hpp"

#include "own_data.hpp"
#include "watari/core/error.hpp"
#include "watari/files/memory_file.hpp"
#include "watari/memory/room.hpp"
#include "watari/objects/service/address.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/backends/modelled.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/files/test_object.hpp"
#include "watari/storage/stores/modelled_store.hpp"

#include <utility>

namespace watari::cases {

namespace {

void require_store(const storage_parameters& p, const storage::engine_row& row) {
    if (!row.queued && (p.store == "ram" || p.fault != "none"))
        throw unsupported((p.store == "ram" ? "store=" + p.store : "fault=" + p.fault) +
                          " is behind queues, engine=queue or engine=gpu; engine " +
                          std::string(row.name) + " opens files");
    if (storage::is_modelled(p.store) && !row.queued) {
        storage::disk_array disks(storage::disks_of(p.store, p.ssd, p.files));
        const storage::engine_options how{.disks = &disks, .direction = p.direction};
        if (const std::string reason = row.unsupported(how); !reason.empty())
            throw unsupported(reason);
    }
    if (p.has_own()) require_own(p, row);
    const bool object = p.has_own() ? row.of_objects : objects::is_address(p.folder);
    if (object != row.of_objects)
        throw usage_error(object
                              ? "engine " + std::string(row.name) + " opens files, not " + p.folder
                              : "engine s3 reads an object: folder=s3://bucket/prefix");
    if (object && (p.cache != files::cache_state::none || p.files != 1))
        throw unsupported("an object has no page cache and no stripes; cache=none files=1");
    if (p.store != "file" && p.cache != files::cache_state::none)
        throw unsupported("store=" + p.store + " has no page cache; cache=none");
    if (p.store == "ram" && p.files != 1) throw unsupported("store=ram is in one piece; files=1");
}

void require_block(const files::striped_files& files, std::size_t bytes) {
    if (const std::size_t unit = files.alignment(); bytes % unit != 0)
        throw unsupported("block=" + std::to_string(bytes) + ": direct I/O of " + files.path(0) +
                          " moves whole units of " + std::to_string(unit) + " bytes");
}

}  // namespace

/// Makes a store of test data in memory for engines of queues; null if the store is files.
std::shared_ptr<storage::backend> storage_source::make_memory(const storage_parameters& p,
                                                              const storage::engine_row& row) {
    if (p.store == "file") return nullptr;
    const memory::demand all[] = {{memory::kind::pageable, p.size, {}}};
    memory::require_room(all, "choose a smaller size");
    if (!row.queued) return nullptr;
    memory_.emplace(memory::kind::pageable, p.size, memory::huge_placement());
    const std::span data(memory_->data(), memory_->size());
    storage::write_test_data(data);
    const auto ram = storage::make_ram(data);
    if (p.store == "ram") return ram;
    return storage::make_modelled(ram, storage::disks_of(p.store, p.ssd, p.files));
}

/// Makes a file of test data in memory, for engines of files over modelled SSDs.
void storage_source::add_memory_file(const storage_parameters& p, storage::store_options& wanted) {
    wanted.disks =
        std::make_shared<storage::disk_array>(storage::disks_of(p.store, p.ssd, p.files));
    memory_file_.emplace(files::memory_file("watari-storage", p.size));
    const std::string path = files::path_of(*memory_file_);
    storage::write_test_data({memory_file_->get(), path, p.size});
    wanted.files = {.paths = {path},
                    .known = {memory_file_->get()},
                    .writable = p.direction == files::direction::write,
                    .cache = files::cache_state::cold};
}

storage_source::storage_source(const storage_parameters& p, const storage::engine_row& row)
    : faulty_(p.fault != "none") {
    require_store(p, row);
    const auto threads = static_cast<std::size_t>(p.threads);
    storage::store_options wanted{.engine = std::string(row.name),
                                  .who = p.processor,
                                  .behind = make_memory(p, row),
                                  .threads = threads,
                                  .requests = threads * p.depth,
                                  .largest_block = p.block};
    if (p.has_own()) {
        add_own(p, wanted);
        if (!row.of_objects) require_block(files::striped_files(wanted.files), p.block);
    } else if (row.of_objects) {
        if (const std::string reason = row.unsupported({.direction = p.direction}); !reason.empty())
            throw unsupported(reason);
        wanted.objects = {storage::test_object(p.folder, p.size)};
    } else if (p.store == "file") {
        const bool writes = p.direction == files::direction::write;
        set_.emplace(storage::extent{p.folders, p.size, p.files,
                                     writes ? files::usage::alone : files::usage::shared});
        wanted.files = {.paths = set_->paths(),
                        .known = set_->in_use(),
                        .writable = writes,
                        .cache = p.cache,
                        .stripe = storage::stripe_bytes};
        require_block(files::striped_files(wanted.files), p.block);
    } else if (!row.queued) {
        add_memory_file(p, wanted);
    }
    if (faulty_) {
        wanted.behind = storage::make_faulty(
            wanted.behind ? wanted.behind : storage::make_file(wanted.files), p.fault, p.seed);
        wanted.timeout = storage::faulty_timeout;
        wanted.spare_identifiers = true;
    }
    store_.emplace(wanted);
}

}  // namespace watari::cases
