/// What several engines have to say, as one.
#pragma once

#include "watari/storage/engines/engine.hpp"

#include <string>
#include <vector>

namespace watari::storage {

class notes {
public:
    /// All that it has to say so far; each engine once.
    void add(const engine& from);

    /// What several noted is there once; commands that were sent again are counted together.
    std::vector<std::string> texts() const;

private:
    std::vector<std::string> notes_;
    repetitions sent_again_;
};

}  // namespace watari::storage
