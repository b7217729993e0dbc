// The defaults of a product.
#include "watari/gemm/defaults.hpp"
#include "watari/core/error.hpp"
#include "watari/files/uring/uring.hpp"

#include <gtest/gtest.h>

namespace watari::gemm {
namespace {

TEST(GemmDefaults, EnginesAreThoseOfTheProcessor) {
    EXPECT_EQ(default_engine(the_cpu), files::uring_absent_reason().empty() ? "uring" : "posix");
    EXPECT_EQ(default_engine(gpu_number(1)), "gpu");
}

TEST(GemmDefaults, FastMemoryHoldsSomeTensOfTheTile) {
    const auto packed = [](std::size_t edge) { return edge * edge * 4; };
    EXPECT_EQ(default_tile(std::size_t{1} << 40, packed), 2048u);
    EXPECT_EQ(default_tile(32 * packed(2048), packed), 2048u);
    EXPECT_EQ(default_tile(32 * packed(2048) - 1, packed), 1024u);
    EXPECT_EQ(default_tile(32 * packed(256), packed), 256u);
    EXPECT_EQ(default_tile(0, packed), 128u);
    // the padding around the rows of a tile counts
    EXPECT_EQ(default_tile(32 * packed(1024), [&](std::size_t e) { return packed(e) + e * 512; }),
              512u);
}

TEST(GemmDefaults, ThreadsLeaveCoresToThoseWhoWaitForAGpu) {
    for (const char* engine : {"uring", "posix", "mmap", "queue", "cufile", "pinned"})
        EXPECT_EQ(default_threads(engine, 16, true), 16u) << engine;
    EXPECT_EQ(default_threads("gpu", 16, true), 4u);
    EXPECT_EQ(default_threads("gpu", 16, false), 8u);
    EXPECT_EQ(default_threads("gpu", 2, true), 1u);
    EXPECT_EQ(default_threads("gpu", 1, false), 1u);
}

TEST(GemmDefaults, DepthIsWhatTheEngineAndItsStoreTake) {
    const auto depth = [](const char* engine, bool on_disk, layout how, std::size_t tile) {
        return default_depth(engine, on_disk, how, tile, 4);
    };
    for (const char* engine : {"posix", "mmap", "cufile", "pinned", "managed"})
        EXPECT_EQ(depth(engine, false, layout::row_major, 2048), 1u) << engine;
    for (const char* engine : {"uring", "queue"})
        EXPECT_EQ(depth(engine, true, layout::row_major, 2048), 32u) << engine;
    EXPECT_EQ(depth("gpu", true, layout::row_major, 128), 16u);
    EXPECT_EQ(depth("gpu", true, layout::row_major, 8192), 16u);
    EXPECT_EQ(depth("gpu", false, layout::row_major, 2048), 128u);
    EXPECT_EQ(depth("gpu", false, layout::row_major, 128), 256u);
    EXPECT_EQ(depth("gpu", false, layout::tiled, 2048), 2u);
    EXPECT_EQ(depth("gpu", false, layout::tiled, 128 * 3), 32u);
    EXPECT_THROW(depth("teleport", true, layout::row_major, 128), usage_error);
}

}  // namespace
}  // namespace watari::gemm
