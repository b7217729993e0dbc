/// The journal of a product in files: lines of text beside the partial file, so that a killed run
/// can be resumed.
///
///     watari-gemm 2
///     inode 1234                     of the partial file
///     product A.path /data/A.npy     what the product is: a line for each name
///     tiles 0 0 9f3b.. 0 1 -         completed tiles of C: row, column, checksum (rows.hpp) in
///                                    hexadecimal digits, or - where there is none
///     whole 4294971392 1795...       once C is complete: its bytes and time of change, which
///                                    identify it under its own name
///
/// Version 1, which is read too, has no checksums, and fewer names of the product. A line that was
/// being written when the machine stopped is cut short and left out on reading: its tiles are
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

/// What must be the same for a run to be continued bit by bit: names, of one word, and values.
using identity = std::vector<std::pair<std::string, std::string>>;

/// `alpha was 1, is now 2`, `A was changed since`: the first thing in which two products differ;
/// empty if in none.
std::string difference(const identity& before, const identity& now);

/// Where a journal is begun, before it replaces an older one.
std::string begun_path(const std::string& journal);

class journal {
public:
    /// What a journal says.
    struct contents {
        int version = 2;
        std::uint64_t inode = 0;
        identity product{};
        completed_tiles tiles{};
        std::optional<files::file_state> whole{};
    };

    /// None where nothing whole was written. Throws file_error.
    static std::optional<contents> read(const std::string& path);

    /// Begins one, with the tiles that are durable already. Throws file_error.
    journal(const std::string& path, const contents& begin);

    const completed_tiles& tiles() const { return tiles_; }
    /// Stores that these are, too. Throws file_error.
    void add(const completed_tiles& tiles);
    /// These are not, whatever the file says: whoever reads it verifies them.
    void drop(const std::vector<tile_of_c>& tiles) {
        for (const tile_of_c& each : tiles) tiles_.erase(each);
    }
    /// Stores that the file is whole, and how it is then. Throws file_error.
    void finish(const files::file_state& whole);
    /// From now on none of its tiles counts.
    void clear() { tiles_.clear(); }
    /// For good: come back by a power cut, it would say of the next such product that it is done.
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
