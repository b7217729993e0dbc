// One thing that this machine or this build has or lacks, with the reason in a user's words.
//
// A folder that needs something of the machine (MPI, cuFile, io_uring) reports it itself, in its
// own capabilities(); `watari probe` gathers all of them.
#pragma once

#include <string>
#include <vector>

namespace watari::machine {

struct capability {
    std::string name;
    bool available = false;
    std::string reason;  ///< why it is not available; empty where it is
    std::string detail;  ///< version, path or a warning; may be empty
};

/// The capability that the machine description itself uses: `hwloc`.
std::vector<capability> capabilities();

}  // namespace watari::machine
