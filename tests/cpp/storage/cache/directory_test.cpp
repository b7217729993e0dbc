// A model of the cache's states: users take one step at a time, in random order, on the real
// directory. The content of a page is its number of writes, so a lost or torn write shows.
#include "watari/storage/cache/directory.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace watari {
namespace {

using cpu::group;
using cpu::intent;
using cpu::next_action;
using cpu::page_state;
namespace page = cpu::page;
using directory = cpu::directory<cpu::second_chance>;

struct world {
    world(std::size_t slots, std::size_t pages, unsigned seed)
        : owner({.bytes = slots * 512, .page_bytes = 512, .spares = 2}),
          real{owner.view()},
          in_slot(real.slots() + 2),
          in_store(pages),
          latest(pages),
          random(seed) {}

    storage::cache_owner owner;
    directory real;
    std::vector<unsigned> in_slot, in_store, latest;
    std::mt19937 random;

    bool chance(unsigned one_in) { return random() % one_in == 0; }
    page_state state(std::uint64_t slot) const { return page::state(real.memory.words[slot]); }

    void check() const {
        std::map<std::uint64_t, std::uint64_t> where;
        for (std::uint64_t slot = 0; slot < real.slots() + 2; ++slot) {
            const std::uint64_t tag = real.memory.tags[slot];
            if (tag == real.none) continue;
            ASSERT_TRUE(where.emplace(tag, slot).second) << "page " << tag << " is there twice";
            if (slot >= real.slots()) continue;
            const page_state now = state(slot);
            if (page::valid(now)) {
                ASSERT_EQ(in_slot[slot], latest[tag]) << "a write is lost";
            }
            if (now == page_state::clean || now == page_state::poisoned) {
                ASSERT_EQ(in_store[tag], latest[tag]) << "a write will be lost";
            }
        }
        for (std::uint64_t p = 0; p < latest.size(); ++p)
            if (!where.contains(p)) {
                ASSERT_EQ(in_store[p], latest[p]) << "a write was lost";
            }
    }
};

/// One user; each call of step() is atomic for the other users.
struct user {
    enum {
        idle,
        looking,
        found_it,
        filling,
        using_it,
        wrote,
        passing,
        persisting,
        draining,
        copying
    } now = idle;
    std::uint64_t page_wanted = 0, slot = 0;
    intent why = intent::read;
    unsigned copied = 0;
    bool resumes = false;  ///< looks again after a write-back
    bool durable = false, holds = false;
    bool ahead = false;  ///< reads a page before its turn

    void step(world& w, bool finish) {
        switch (now) {
            case idle:
                return finish ? void() : begin(w);
            case looking:
                slot = w.real.find(group::active(), page_wanted);
                now = found_it;
                return;
            case found_it:
                return enter(w);
            case filling:
                return fill(w, finish);
            case using_it:
                return use(w);
            case wrote:
                w.real.leave(slot, page::writer + (durable ? 0 : page::holder));
                now = durable ? persisting : idle;
                return;
            case persisting:
                return persist(w);
            case passing:
                return pass(w);
            case draining:
                return drain(w);
            case copying:
                return copy(w, finish);
        }
    }

private:
    static constexpr std::int64_t no_wait = 1;

    void begin(world& w) {
        if (w.chance(4)) {  // a flush
            cpu::timeout wait{no_wait};
            slot = w.random() % w.real.slots();
            if (w.real.begin_write_back(slot, w.chance(3), wait) == 1) now = draining;
            resumes = holds = false;
            return;
        }
        durable = w.chance(3);
        page_wanted = w.random() % w.latest.size();
        why = static_cast<intent>(w.random() % 3);
        now = looking;
    }

    /// Other users may have changed the directory since the user looked.
    void enter(world& w) {
        cpu::timeout wait{no_wait};
        const std::uint64_t found = slot;
        now = looking;
        if (found != w.real.none && w.chance(2)) {
            if (w.real.join_valid(found, page_wanted, why)) now = using_it;
            return;
        }
        ahead = found == w.real.none && why == intent::read && w.chance(2);
        if (ahead) {
            slot = w.real.claim_free(page_wanted);
            if (slot != w.real.none) now = filling;
            return;
        }
        const cpu::step next = found == w.real.none ? w.real.claim(page_wanted, !w.chance(5))
                                                    : w.real.join(found, page_wanted, why, wait);
        slot = next.where;
        switch (static_cast<next_action>(next.action)) {
            case next_action::again:
            case next_action::late:
                return;
            case next_action::use:
                now = using_it;
                return;
            case next_action::fill:
                ASSERT_EQ(w.state(slot), page_state::filling);
                now = filling;
                return;
            case next_action::pass:
                w.in_slot[slot] = w.in_store[page_wanted];
                now = passing;
                return;
            case next_action::evict:
                now = draining;
                resumes = true;
                holds = false;
                return;
            case next_action::failed:
                FAIL() << "nobody here waits until a read has failed";
        }
    }

    void fill(world& w, bool finish) {
        if (why == intent::overwrite) {
            w.in_slot[slot] = ++w.latest[page_wanted];
            w.real.turn(slot, page_state::filling, page_state::dirty, 0 - page::holder);
            now = idle;
        } else if (!finish && w.chance(4)) {
            if (ahead)
                w.real.let_go(slot);
            else
                w.real.turn(slot, page_state::filling, page_state::poisoned, 0 - page::holder);
            now = idle;
        } else {
            w.in_slot[slot] = w.in_store[page_wanted];
            if (why == intent::write)
                w.real.turn(slot, page_state::filling, page_state::dirty, page::writer);
            else
                w.real.turn(slot, page_state::filling, page_state::clean);
            now = using_it;
        }
    }

    void use(world& w) {
        ASSERT_EQ(w.real.memory.tags[slot], page_wanted) << "taken from under its holder";
        ASSERT_EQ(w.in_slot[slot], w.latest[page_wanted]);
        if (why == intent::read) {
            w.real.leave(slot, page::holder);
            now = idle;
        } else {
            ++w.in_slot[slot];
            ++w.latest[page_wanted];
            now = wrote;
        }
    }

    void pass(world& w) {
        ASSERT_EQ(w.in_store[page_wanted], w.in_slot[slot]) << "somebody else wrote meanwhile";
        if (why != intent::read) w.in_store[page_wanted] = ++w.latest[page_wanted];
        cpu::local::store_release(w.real.memory.tags[slot], w.real.none);
        now = idle;
    }

    /// A page that its writer holds can be written to the medium, whatever other users did to it.
    void persist(world& w) {
        cpu::timeout wait{no_wait};
        const int mine = w.real.begin_write_back(slot, true, wait);
        ASSERT_NE(mine, 0) << "written, and not durable";
        if (mine < 0) return;
        now = draining;
        resumes = false;
        holds = true;
    }

    void drain(world& w) {
        cpu::timeout wait{no_wait};
        if (!w.real.writers_left(slot, wait)) return;
        copied = w.in_slot[slot];
        now = copying;
    }

    void copy(world& w, bool finish) {
        ASSERT_EQ(w.in_slot[slot], copied) << "written while it was written back: torn";
        const bool ok = finish || !w.chance(4);
        if (ok) w.in_store[w.real.memory.tags[slot]] = copied;
        w.real.turn(slot, page_state::writing, ok ? page_state::clean : page_state::dirty);
        if (holds) w.real.leave(slot, page::holder);
        now = resumes ? looking : idle;
    }
};

TEST(Directory, LosesNoWriteInAnyOrderOfSteps) {
    for (const std::size_t slots : {1u, 2u, 3u, 8u, 16u, 24u})
        for (unsigned seed = 0; seed < 25; ++seed) {
            world w(slots, 2 * slots + 3, seed);
            std::vector<user> users(1 + seed % 12);
            for (int i = 0; i < 4000 && !testing::Test::HasFatalFailure(); ++i) {
                users[w.random() % users.size()].step(w, false);
                w.check();
            }
            ASSERT_FALSE(testing::Test::HasFatalFailure())
                << slots << " slots, " << users.size() << " users, seed " << seed;
            bool busy = true;
            for (int i = 0; i < 10000 && busy; ++i) {  // from any state every user comes to an end
                busy = false;
                for (user& u : users) {
                    u.step(w, true);
                    busy |= u.now != user::idle;
                }
                w.check();
            }
            ASSERT_FALSE(busy) << slots << " slots, seed " << seed;
            for (std::uint64_t slot = 0; slot < w.real.slots(); ++slot) {
                EXPECT_EQ(page::holders(w.real.memory.words[slot]), 0u);
                EXPECT_EQ(page::writers(w.real.memory.words[slot]), 0u);
            }
        }
}

TEST(Directory, SpreadsPagesOverItsSets) {
    const storage::cache_owner owner({.bytes = 1 << 20, .page_bytes = 512});
    const directory real{owner.view()};
    const std::uint64_t sets = owner.view().set_mask + 1;
    for (std::uint64_t stride : {std::uint64_t{1}, sets, 3 * sets, sets * sets, sets + 1}) {
        std::vector<unsigned> hits(sets);
        for (std::uint64_t i = 0; i < 8 * sets; ++i) ++hits[real.set_of(i * stride)];
        for (const unsigned h : hits) EXPECT_LT(h, 40u) << "stride " << stride;
    }
}

}  // namespace
}  // namespace watari
