// The notes of several engines, combined.
#include "watari/storage/engines/notes.hpp"

#include "watari/storage/nvme/status_text.hpp"

#include <gtest/gtest.h>

namespace watari::storage {

namespace {

class speaker final : public engine {
public:
    speaker(std::vector<std::string> texts, repetitions again) : engine({}), again_(again) {
        for (std::string& each : texts) note(std::move(each));
    }
    void run(const requests&) override {}
    repetitions sent_again() const override { return again_; }

private:
    repetitions again_;
};

}  // namespace

TEST(Notes, OfSeveralEnginesAreListedOnce) {
    notes all;
    all.add(speaker({"slow", "old"}, {}));
    all.add(speaker({"slow", "new"}, {}));
    EXPECT_EQ(all.texts(), (std::vector<std::string>{"slow", "old", "new"}));
}

TEST(Notes, CountRepetitionsOfAll) {
    notes all;
    all.add(speaker({}, {}));
    EXPECT_TRUE(all.texts().empty());
    all.add(speaker({}, {1, write_fault}));
    EXPECT_EQ(all.texts().back(),
              "1 command was sent again, the first after: " + text(write_fault));
    all.add(speaker({"old"}, {4, unrecovered_read}));
    EXPECT_EQ(all.texts(),
              (std::vector<std::string>{
                  "old", "5 commands were sent again, the first after: " + text(write_fault)}));
}

}  // namespace watari::storage
