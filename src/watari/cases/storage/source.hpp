/// What is behind the engines of case `storage`: files, or a controller over files, memory or the
/// model of an SSD, with faults where they are asked for.
#pragma once

#include "watari/cases/storage/storage.hpp"
#include "watari/storage/controller/controller.hpp"
#include "watari/storage/engines/engine.hpp"
#include "watari/storage/files/file_set.hpp"
#include "watari/storage/files/open_files.hpp"

#include <optional>
#include <string>
#include <vector>

namespace watari::cases {

class storage_source {
public:
    /// Makes files that are not there. Throws unsupported for what the engine cannot be put to.
    storage_source(const storage_parameters& p, const storage::engine_row& row);

    /// Options with the parts that depend on the source; `row` may be another engine that reads
    /// files.
    storage::engine_options engine_options() const;

    /// The files; null where there are none.
    const storage::open_files* files() const { return files_ ? &*files_ : nullptr; }

    /// Files that hold other data than a store's.
    std::vector<std::string> foreign() const {
        return set_ ? set_->foreign() : std::vector<std::string>();
    }

    /// Identifiers of commands that a fault dropped can be acquired again. Nobody may have a
    /// command under way.
    void renew();

    /// How it is served, if not as one would expect; may be empty.
    std::string notice() const { return controller_ ? controller_->notice() : ""; }

private:
    void start_controller(const storage_parameters& p);
    std::shared_ptr<storage::backend> make_backend(const storage_parameters& p) const;

    std::optional<storage::file_set> set_;
    std::optional<storage::open_files> files_;
    std::optional<storage::controller> controller_;
    std::optional<storage::namespace_view> view_;
    bool faulty_ = false;
};

}  // namespace watari::cases
