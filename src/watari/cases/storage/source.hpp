/// What is behind the engines of case `storage`: files, or a controller over files, memory or the
/// model of an SSD, with faults where they are asked for.
#pragma once

#include "watari/cases/storage/storage.hpp"
#include "watari/storage/files/file_set.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace watari::cases {

class storage_source {
public:
    /// Makes files that are not there. Throws unsupported for what the engine cannot be put to.
    storage_source(const storage_parameters& p, const storage::engine_row& row);

    const storage::open_store& store() const { return *store_; }
    /// The files; null where there are none.
    const files::striped_files* files() const { return store_->files(); }

    /// Files that hold other data than a store's.
    std::vector<std::string> foreign() const {
        return set_ ? set_->foreign() : std::vector<std::string>();
    }

    /// Identifiers of commands that a fault dropped can be acquired again. Nobody may have a
    /// command under way.
    void renew() {
        if (faulty_) store_->reset();
    }

private:
    std::optional<storage::file_set> set_;
    std::optional<storage::open_store> store_;
    bool faulty_ = false;
};

}  // namespace watari::cases
