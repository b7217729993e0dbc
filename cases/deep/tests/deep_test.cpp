// The tree, the path to its nodes, and a trial on the CPU.
#include <gtest/gtest.h>

#include "../native/deep.hpp"
#include "../native/kernels.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

#include <cstdlib>
#include <set>

namespace watari::deep {
namespace {

void* on_heap(std::size_t bytes) { return std::malloc(bytes); }

TEST(Tree, HasEveryNodeAtTheEndOfItsPath) {
    for (const unsigned depth : {1u, 2u, 3u, 7u}) {
        const shape s{depth, 3};
        node* root = build(s, on_heap);
        std::set<const node*> seen;
        for (std::size_t n = 1; n <= s.nodes(); ++n) {
            const node* at = walk(root, n);
            ASSERT_NE(at, nullptr) << n;
            seen.insert(at);
            EXPECT_EQ(at->data[2], start(n, 2));
            EXPECT_EQ(at->child[0] == nullptr, 2 * n > s.nodes());
        }
        EXPECT_EQ(seen.size(), s.nodes());
        take_down(root, std::free);
    }
}

TEST(Tree, SeesElementsThatAPassLeftOut) {
    const shape s{3, 5000};
    node* root = build(s, on_heap);
    EXPECT_EQ(mismatches(root, s, 0), 0u);
    EXPECT_EQ(mismatches(root, s, 1), s.nodes() * s.each);
    kernels_on<kernels>(the_cpu).add_one(root, s, nullptr);
    kernels_on<kernels>(the_cpu).add_one(root, s, nullptr);
    EXPECT_EQ(mismatches(root, s, 2), 0u);
    walk(root, 6)->data[4999] += 1;
    EXPECT_EQ(mismatches(root, s, 2), 1u);
    take_down(root, std::free);
}

parameters small() {
    parameters p;
    p.style = "system";
    p.depth = 4;
    p.size = 64 << 10;
    p.samples = 3;
    p.threads = 2;
    return p;
}

TEST(Deep, KeepsEverySampleAndIsVerified) {
    for (const unsigned depth : {1u, 2u, 10u}) {
        parameters p = small();
        p.depth = depth;
        const measure::trial t = run(p);
        const shape s = p.tree();
        EXPECT_EQ(t.host_s.size(), 3u);
        EXPECT_EQ(t.wrong_elements, 0u);
        EXPECT_EQ(t.quantities.at("nodes").value, static_cast<double>(s.nodes()));
        for (const char* part : {"build", "transfer_out", "release"})
            EXPECT_GT(t.quantities.at(part).value, 0) << part;
        EXPECT_EQ(t.quantities.count("transfer_in"), 0u);
    }
}

TEST(Deep, RefusesWhatCannotBeMeant) {
    parameters p = small();
    p.depth = 0;
    EXPECT_THROW(run(p), usage_error);
    p.depth = 21;
    EXPECT_THROW(run(p), usage_error);
    p.depth = 14;  // 16383 nodes for 8192 doubles
    EXPECT_THROW(run(p), usage_error);
}

TEST(Deep, RefusesWhatTheMachineCannotDo) {
    parameters p = small();
    p.style = "explicit";
    EXPECT_THROW(run(p), unsupported);
    p.style = "system";
    p.size = std::size_t{1} << 50;
    EXPECT_THROW(run(p), beyond_memory);
    if (device::count() > 0) GTEST_SKIP() << "there is a GPU";
    p.size = 64 << 10;
    p.processor = gpu_number(0);
    EXPECT_THROW(run(p), unsupported);
}

}  // namespace
}  // namespace watari::deep
