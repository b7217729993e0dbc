// Pieces of one copy, shared between the thread that makes the copy (the owner) and the threads of
// the pool. The owner opens pieces, threads take and do them in any order. Tickets number the
// pieces of all copies that used the same object, so that a thread that was slow to look cannot
// take a piece of a later copy that is not open yet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../plan.hpp"

namespace attach::staged {

// Constant while pieces are open.
struct sides {
    unsigned char* host;   // the program's memory
    unsigned char* slots;  // pinned
    std::size_t bytes;
    std::size_t piece;   // whole rows
    std::size_t slot;    // from one to the next
    unsigned ring;       // number of slots: piece i is in slot i modulo it
    bool is_to_host;     // slots to host, else host to slots
    bool passes_caches;  // writes do not stay in caches
    std::size_t width;   // of a row; 0: all bytes are one row
    std::size_t pitch;   // of rows in the program's memory
    bool is_fresh;       // the program's memory has no pages yet, and is written
};

class work {
public:
    // By the owner, between copies.
    void begin(const sides& of);
    std::uint64_t count() const { return (what.bytes + what.piece - 1) / what.piece; }
    std::size_t offset(std::uint64_t piece) const { return piece * what.piece; }
    std::size_t size(std::uint64_t piece) const;
    unsigned char* slot(std::uint64_t piece) const {
        return what.slots + piece % what.ring * what.slot;
    }

    // Lets threads do the pieces below this one. Returns whether there are new ones.
    bool open(std::uint64_t pieces);
    bool is_done(std::uint64_t piece) const;
    // No thread takes another piece, and those that were taken are done.
    void stop();

    // By a thread of the pool, or the owner: does an open piece; false if there is none.
    bool help();
    bool has_open() const;

private:
    void copy(unsigned char* host, unsigned char* slot, std::size_t bytes) const;
    void copy_piece(std::uint64_t piece) const;

    sides what{};
    std::uint64_t first = 0;  // ticket of piece 0
    alignas(64) std::uint64_t opened = 0;
    alignas(64) std::uint64_t taken = 0;
    alignas(64) std::uint64_t done[most_slots] = {};  // the last ticket done in a slot, plus one
};

}  // namespace attach::staged
