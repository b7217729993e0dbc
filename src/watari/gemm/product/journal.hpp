/// The journal of a product in files: lines of text beside the unfinished C, so that a killed run
/// goes on where it was.
///
///     watari-gemm 1
///     inode 1234                     of the unfinished file
///     product A.path /data/A.npy     of what the product is: a line for each name
///     tiles 0 0 0 1                  (row, column) of tiles of C that are durable; any number
///     whole 4294971392 1795...       once C is finished: its bytes and time of change, by which it
///                                    is known again under its own name
///
/// A line that was being written when the machine stopped is cut short and left out on reading: its
/// tiles are computed again.
#pragma once

#include "watari/gemm/file_state.hpp"
#include "watari/gemm/pipeline.hpp"
#include "watari/storage/descriptor.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace watari::gemm {

/// What to do with an unfinished file that is not gone on with.
inline const std::string begin_anew = "fresh (--fresh) discards it and begins anew";

/// What must be the same for a run to be continued bit by bit: names, of one word, and values.
using identity = std::vector<std::pair<std::string, std::string>>;

/// What names of times of change end in: their numbers tell people nothing.
inline constexpr std::string_view time_of_change = ".changed";

/// `alpha was 1, is now 2`, `A was changed since`: the first thing in which two products differ;
/// empty if in none.
std::string difference(const identity& before, const identity& now);

/// Where a journal is begun, before it takes the place of an older one.
std::string begun_path(const std::string& journal);

class journal {
public:
    /// What a journal says.
    struct contents {
        std::uint64_t inode = 0;
        identity product{};
        std::vector<tile_of_c> tiles{};  ///< each once
        std::optional<file_state> whole{};
    };

    /// None where nothing whole was written. Throws file_error.
    static std::optional<contents> read(const std::string& path);

    /// Begins one, with the tiles that are durable already. Throws file_error.
    journal(const std::string& path, const contents& begin);

    /// Tiles that are durable, each once.
    const std::vector<tile_of_c>& tiles() const { return tiles_; }
    /// Stores that these are, too. Throws file_error.
    void add(const std::vector<tile_of_c>& tiles);
    /// Stores that the file is whole, and how it is then. Throws file_error.
    void finish(const file_state& whole);
    /// It tells of nothing any more: none of its tiles counts.
    void clear();
    /// For good: come back by a power cut, it would say of the next such product that it is done.
    void remove() {
        remove_own(path_, file_.get());
        sync_names_beside(path_);
    }

private:
    void store(const std::string& line);

    std::string path_;
    storage::descriptor file_;
    std::vector<tile_of_c> tiles_;
    std::set<tile_of_c> known_;
};

}  // namespace watari::gemm
