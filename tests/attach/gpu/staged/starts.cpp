// What the start of `staged` costs, in milliseconds: threads, events, pinned memory of several
// sizes.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "../../staged/driver.hpp"

namespace {

void* rest(void*) {
    pause();
    return nullptr;
}

void measure_threads() {
    pthread_t thread;
    const double took = milliseconds([&] {
        for (int i = 0; i < 8; ++i) pthread_create(&thread, nullptr, rest, nullptr);
    });
    std::printf("ms: 8 threads %.3f\n", took);
}

void measure_events() {
    void* event;
    const double took = milliseconds([&] {
        for (int i = 0; i < 64; ++i) REQUIRE(cuda::create_event(&event, 2));
    });
    std::printf("ms: 64 events %.3f\n", took);
}

// Of new memory, whose pages the registration makes, and of memory that was written before.
void measure_pinning(std::size_t mib, bool is_huge, bool is_touched) {
    const std::size_t bytes = mib << 20;
    std::vector<double> touched, pinned;
    for (int i = 0; i < 3; ++i) {
        void* memory = mmap(nullptr, bytes + (2 << 20), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        auto* slots = static_cast<unsigned char*>(memory);
        slots += -reinterpret_cast<std::uintptr_t>(slots) % (2 << 20);
        if (is_huge) madvise(slots, bytes, MADV_HUGEPAGE);
        touched.push_back(milliseconds([&] {
            if (is_touched) std::memset(slots, 0, bytes);
        }));
        pinned.push_back(milliseconds([&] { REQUIRE(cuda::enroll(slots, bytes, 1)); }));
    }
    std::sort(touched.begin(), touched.end());
    std::sort(pinned.begin(), pinned.end());
    std::printf("ms: %zu MiB, %s pages: written %.3f, registered %.3f\n", mib,
                is_huge ? "huge" : "small", touched[1], pinned[1]);
}

}  // namespace

int main() {
    begin();
    measure_threads();
    measure_events();
    for (std::size_t mib : {4, 8, 16, 32})
        for (bool is_huge : {true, false})
            for (bool is_touched : {false, true}) measure_pinning(mib, is_huge, is_touched);
    return 0;
}
