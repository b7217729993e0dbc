/// The journal of a product in files: lines of text beside the partial file, so that a killed run
/// can be resumed.
///
///     watari-gemm 2
///     inode 1234                     of the partial file
///     product A.path /data/A.npy     identity of the product: a line for each name
///     tiles 0 0 9f3b.. 0 1 -         completed tiles of C: row, column, checksum (rows.hpp) in
///                                    hexadecimal digits, or - for none
///     whole 4294971392 1795...       once C is complete: its bytes and time of change, which
///                                    identify it under its own name
///
/// Version 1, which is read too, has no checksums, and fewer names of the product. A line that was
/// being written when the machine stopped is incomplete: reading ignores it, and its tiles are
/// computed again.
#pragma once

#include "watari/files/descriptor.hpp"
#include "watari/files/file_state.hpp"
#include "watari/gemm/pipeline/pipeline.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace watari::gemm {

/// Advice for a partial file that this run does not resume.
inline const std::string begin_anew = "fresh (--fresh) discards it and starts over";

/// Names (one word each) and values that must be equal for a run to be resumed.
using identity = std::vector<std::pair<std::string, std::string>>;

/// Describes the first difference of two products, e.g. `alpha was 1, is now 2` or `A was changed
/// since`; empty if there is none.
std::string difference(const identity& before, const identity& now);

/// Path of a new journal before it replaces an older one.
std::string begun_path(const std::string& journal);

class journal {
public:
    struct contents {
        int version = 2;
        std::uint64_t inode = 0;
        identity product{};
        completed_tiles tiles{};
        std::optional<files::file_state> whole{};
    };

    /// Returns none if there is no journal or it has no complete line. Throws file_error.
    static std::optional<contents> read(const std::string& path);

    /// Begins a journal with the tiles that are durable already. Throws file_error.
    journal(const std::string& path, const contents& begin);

    const completed_tiles& tiles() const { return tiles_; }
    /// Records that these tiles are durable, too. Throws file_error.
    void add(const completed_tiles& tiles);
    /// Forgets these tiles, but leaves their lines in the file: a later run verifies them.
    void drop(const std::vector<tile_of_c>& tiles) {
        for (const tile_of_c& each : tiles) tiles_.erase(each);
    }
    /// Records that C is complete, with its bytes and time of change. Throws file_error.
    void finish(const files::file_state& whole);
    /// Forgets all tiles, but leaves their lines in the file.
    void clear() { tiles_.clear(); }
    /// Removes the journal durably: if a power cut restored it, the next such product would be
    /// taken as completed.
    void remove() {
        files::remove_own(path_, file_.get());
        files::sync_names_beside(path_);
    }

private:
    void store(const std::string& line);

    std::string path_;
    files::descriptor file_;
    completed_tiles tiles_;
};

}  // namespace watari::gemm
