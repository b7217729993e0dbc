#include "watari/cases/storage/source.hpp"

#include "watari/core/error.hpp"
#include "watari/files/disk.hpp"
#include "watari/measure/thread_team.hpp"
#include "watari/memory/room.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/backends/modelled.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/verify/sector.hpp"

#include <algorithm>

namespace watari::cases {

namespace {

struct named_fault {
    std::string_view name;
    double storage::fault_plan::*chance;
    double value;
};

/// A dropped command costs its identifier until the list has ended, so few of them are.
constexpr named_fault faults[] = {
    {"reordered", &storage::fault_plan::reordered, 1e-2},
    {"delayed", &storage::fault_plan::delayed, 1e-2},
    {"duplicated", &storage::fault_plan::duplicated, 1e-2},
    {"dropped", &storage::fault_plan::dropped, 1e-4},
    {"failed", &storage::fault_plan::failed, 1e-2},
    {"late-data", &storage::fault_plan::late_data, 1e-2},
    {"bad-phase", &storage::fault_plan::bad_phase, 1e-2},
};

constexpr double usual_limit = 10, short_limit = 0.2;  ///< seconds that a wait may take

std::shared_ptr<storage::backend> with_fault(std::shared_ptr<storage::backend> inner,
                                             const storage_parameters& p) {
    if (p.fault == "none") return inner;
    for (const named_fault& row : faults) {
        if (row.name != p.fault) continue;
        storage::fault_plan plan{.seed = p.seed};
        plan.*row.chance = row.value;
        return storage::make_faulty(std::move(inner), plan);
    }
    throw usage_error("no fault is called '" + p.fault + "'");
}

}  // namespace

storage_source::storage_source(const storage_parameters& p, const storage::engine_row& row) {
    const std::string name(row.name);
    if (!row.queued && (p.store != "file" || p.fault != "none"))
        throw unsupported((p.store != "file" ? "store=" + p.store : "fault=" + p.fault) +
                          " is behind queues, engine=queue or engine=gpu; engine " + name +
                          " opens files");
    if (p.store == "file") {
        const bool writes = p.direction == files::direction::write;
        set_.emplace(storage::extent{p.folder, p.size, p.files,
                                     writes ? storage::usage::alone : storage::usage::shared});
        files_.emplace(*set_, p.direction, p.cache);
        files_->require_block(p.block);
    } else if (p.cache != storage::cache_state::none || p.files != 1) {
        throw unsupported("store=" + p.store + " has neither page cache nor files; cache=none");
    }
    storage::engine_options options = engine_options();
    options.direction = p.direction;
    options.who = p.processor;
    if (const std::string reason = row.unsupported(options); !reason.empty())
        throw unsupported(reason);
    if (row.queued) start_controller(p);
}

std::shared_ptr<storage::backend> storage_source::make_backend(const storage_parameters& p) const {
    if (p.store != "file") {
        const memory::demand all[] = {{memory::kind::pageable, p.size, {}}};
        memory::require_room(all, "choose a smaller size");
    }
    if (p.store == "ram") return storage::make_ram(p.size);
    if (p.store.starts_with("modelled:"))
        return storage::make_modelled(p.size, p.store.substr(sizeof "modelled:" - 1));
    return storage::make_file({.paths = set_->paths(),
                               .known = set_->in_use(),
                               .writable = p.direction == files::direction::write,
                               .direct = p.cache == storage::cache_state::none,
                               .stripe = storage::stripe_bytes});
}

void storage_source::start_controller(const storage_parameters& p) {
    const auto threads = static_cast<std::uint32_t>(p.threads);
    const std::shared_ptr<storage::backend> store = with_fault(make_backend(p), p);
    storage::controller_options options;
    options.threads = threads;
    options.queues = storage::queues_for(p.processor, threads, threads * p.depth, p.block);
    options.queues.limit = p.fault == "none" ? usual_limit : short_limit;
    if (p.fault != "none")
        options.queues.max_outstanding = 0;  // some to spare: faults cost identifiers
    options.block_bytes = std::max<std::uint32_t>(storage::sector_bytes, store->alignment());
    measure::unbind();
    controller_.emplace(store, options);
    view_ = controller_->view();
    faulty_ = p.fault != "none";
}

void storage_source::renew() {
    if (faulty_) controller_->reset();
}

storage::engine_options storage_source::engine_options() const {
    storage::engine_options result;
    result.files = files();
    result.view = view_ ? &*view_ : nullptr;
    result.errors = controller_ ? controller_->errors() : nullptr;
    result.on_disk =
        files_ && files_->cache() == storage::cache_state::none && files::disk_of(files_->path(0));
    return result;
}

}  // namespace watari::cases
