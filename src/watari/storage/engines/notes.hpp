/// The notes of several engines, merged, and the bytes that they threw away.
#pragma once

#include "watari/storage/engines/engine.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace watari::storage {

class notes {
public:
    /// Adds the notes of an engine so far. Call it once for each engine.
    void add(const engine& from);

    /// Returns the notes, equal ones once, and one note that counts all commands sent again.
    std::vector<std::string> texts() const;

    std::uint64_t surplus() const { return surplus_; }  ///< see engine::surplus

private:
    std::vector<std::string> notes_;
    repetitions sent_again_;
    std::uint64_t surplus_ = 0;
};

}  // namespace watari::storage
