/// The store behind the engines of case `storage`: files, or a controller over files, memory or
/// modelled SSDs, with faults if requested. For engines of files, modelled SSDs have a file in
/// memory.
#pragma once

#include "storage.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/files/file_set.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace watari::cases {

class storage_source {
public:
    /// Makes missing files. Throws unsupported if the engine cannot use this store.
    storage_source(const storage_parameters& p, const storage::engine_row& row);

    const storage::open_store& store() const { return *store_; }
    /// The files on disks; null if the store has none.
    const files::striped_files* files() const { return memory_file_ ? nullptr : store_->files(); }

    /// Paths of files that hold other data than test data.
    std::vector<std::string> foreign() const {
        return set_ ? set_->foreign() : std::vector<std::string>();
    }

    /// Folders of the files that are on one device, "a and b"; empty if none are.
    std::string on_one_device() const { return set_ ? set_->on_one_device() : ""; }

    /// Makes the identifiers of commands that a fault dropped available again. No thread may have a
    /// command in flight.
    void renew() {
        if (faulty_) store_->reset();
    }

private:
    std::shared_ptr<storage::backend> make_memory(const storage_parameters& p,
                                                  const storage::engine_row& row);
    void add_memory_file(const storage_parameters& p, storage::store_options& wanted);

    std::optional<storage::file_set> set_;
    std::optional<files::descriptor> memory_file_;
    std::optional<memory::buffer<std::byte>> memory_;
    std::optional<storage::open_store> store_;
    bool faulty_ = false;
};

}  // namespace watari::cases
