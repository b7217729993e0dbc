// io_uring on a file of the temporary folder: written data are read, errors are those of pread.
#include "watari/files/uring/uring.hpp"
#include "on_threads.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace watari::storage {
namespace {

constexpr std::uint32_t block = 4096;
constexpr int blocks = 100;

/// An unlinked file of `blocks` blocks, block i full of the byte i.
class Uring : public testing::Test {
protected:
    void SetUp() override {
        if (const std::string reason = files::uring_absent_reason(); !reason.empty())
            GTEST_SKIP() << reason;
        std::string name = testing::TempDir() + "watari-uring-XXXXXX";
        file_ = mkstemp(name.data());
        ASSERT_GE(file_, 0);
        unlink(name.c_str());
        std::vector<char> data(block);
        for (int i = 0; i < blocks; ++i) {
            std::memset(data.data(), i, block);
            ASSERT_EQ(pwrite(file_, data.data(), block, off_t{i} * block), ssize_t{block});
        }
    }
    void TearDown() override {
        if (file_ >= 0) close(file_);
    }

    /// Waits for the completion of the one request in flight.
    static int result_of(files::uring& ring, const files::uring_request& request) {
        EXPECT_TRUE(ring.push(request));
        EXPECT_EQ(ring.submit(1), 1u);
        std::array<files::uring_completion, 4> done{};
        EXPECT_EQ(ring.reap(done), 1u);
        EXPECT_EQ(done[0].tag, request.tag);
        EXPECT_EQ(ring.in_flight(), 0u);
        return done[0].result;
    }

    int file_ = -1;
};

TEST_F(Uring, ManyReadsCompleteEachOnceWithTheirOwnData) {
    files::uring ring(8);
    std::vector<std::vector<unsigned char>> data(blocks, std::vector<unsigned char>(block, 255));
    std::set<std::uint64_t> seen;
    std::array<files::uring_completion, 3> done{};
    int next = 0;
    while (seen.size() < blocks) {
        while (next < blocks && ring.in_flight() < 8) {
            const auto i = static_cast<std::size_t>(next);
            if (!ring.push({.file = file_,
                            .data = data[i].data(),
                            .bytes = block,
                            .offset = i * block,
                            .tag = i}))
                break;
            ++next;
        }
        ring.submit(1);
        for (std::size_t n = ring.reap(done), k = 0; k < n; ++k) {
            EXPECT_EQ(done[k].result, int{block});
            EXPECT_TRUE(seen.insert(done[k].tag).second) << "twice";
        }
    }
    for (std::size_t i = 0; i < blocks; ++i)
        EXPECT_EQ(data[i], std::vector<unsigned char>(block, static_cast<unsigned char>(i)));
}

TEST_F(Uring, SaysWhenItIsFull) {
    files::uring ring(4);
    char data[block];
    int pushed = 0;
    while (ring.push({.file = file_, .data = data, .bytes = block, .tag = 1})) ++pushed;
    EXPECT_EQ(pushed, 4);
    EXPECT_EQ(ring.submit(4), 4u);
    std::array<files::uring_completion, 8> done{};
    EXPECT_EQ(ring.reap(done), 4u);
}

TEST_F(Uring, WritesAreReadBackThroughRegisteredBuffersAndFiles) {
    files::uring ring(4);
    std::vector<char> memory(2 * block, 'x');
    const iovec buffers[] = {{memory.data(), block}, {memory.data() + block, block}};
    ring.register_buffers(buffers);
    ring.register_files(std::array{file_});
    EXPECT_EQ(result_of(ring, {.operation = files::uring_operation::write,
                               .file = 0,
                               .buffer = 0,
                               .data = memory.data(),
                               .bytes = block,
                               .offset = 7 * block,
                               .tag = 9,
                               .durable = true}),
              int{block});
    EXPECT_EQ(result_of(ring, {.operation = files::uring_operation::sync, .file = 0, .tag = 10}),
              0);
    std::memset(memory.data() + block, 0, block);
    EXPECT_EQ(result_of(ring, {.file = 0,
                               .buffer = 1,
                               .data = memory.data() + block,
                               .bytes = block,
                               .offset = 7 * block,
                               .tag = 11}),
              int{block});
    EXPECT_EQ(std::memcmp(memory.data(), memory.data() + block, block), 0);
}

TEST_F(Uring, ErrorsAreThoseOfPread) {
    files::uring ring(4);
    std::vector<char> data(2 * block);
    EXPECT_EQ(result_of(ring, {.file = 1 << 20, .data = data.data(), .bytes = block}), -EBADF);
    // a read is short at the end of the file, and empty behind it
    EXPECT_EQ(result_of(ring, {.file = file_,
                               .data = data.data(),
                               .bytes = 2 * block,
                               .offset = (blocks - 1) * std::uint64_t{block}}),
              int{block});
    EXPECT_EQ(result_of(ring, {.file = file_,
                               .data = data.data(),
                               .bytes = block,
                               .offset = blocks * std::uint64_t{block}}),
              0);
}

TEST_F(Uring, EndsWithRequestsInFlight) {
    std::vector<char> data(block);
    files::uring first(4);
    ASSERT_TRUE(first.push(
        {.file = file_, .data = data.data(), .bytes = block, .offset = 5 * block, .tag = 1}));
    first = files::uring(4);  // the old ring waits for its read
    EXPECT_EQ(first.in_flight(), 0u);
    EXPECT_EQ(data[0], 5);
}

// Under ThreadSanitizer: nothing else orders the two threads, and the second ring has the first's
// memory.
TEST_F(Uring, ARingMayHaveTheMemoryOfOneThatAnotherThreadClosed) {
    std::atomic<bool> closed{false};
    const auto read_block = [&] {
        std::vector<char> data(block);
        files::uring ring(4);
        EXPECT_EQ(result_of(ring, {.file = file_, .data = data.data(), .bytes = block, .tag = 1}),
                  int{block});
    };
    on_threads(2, [&](int t) {
        while (t == 1 && !closed.load(std::memory_order_relaxed)) {
        }
        read_block();
        closed.store(true, std::memory_order_relaxed);
    });
}

TEST(UringAbsent, SaysWhy) {
    if (files::uring_absent_reason().empty()) GTEST_SKIP() << "there is io_uring";
    EXPECT_THROW(files::uring(4), unsupported);
}

}  // namespace
}  // namespace watari::storage
