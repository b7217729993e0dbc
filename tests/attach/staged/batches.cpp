// A program that copies batches, of which `staged` leaves some to the driver. Its arguments say
// which, in turn:
//
//     batch VERSION     a batch (of CUDA 12 or 13) with large and small copies in both directions
//     own               the same in the thread's own default stream
//     ordered           a batch that reads its source in the order of its stream
//     between           a batch between other work of its stream, again and again
//     wrong             batches that the driver refuses, and the index of the copy that failed;
//                       what they have copied until then is not promised
//     captured          a batch in a capture
//     volumes           a batch of volumes behind a staged copy
//     random COUNT UNIT random batches of copies around 4 UNITs, and fills between them; prints a
//                       hash of all memory after each
//
// It copies 96 MiB before, so that threads have started, and prints `same` or what differs.
#include <cstring>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include "mixed.hpp"

namespace {

// CUmemcpyAttributes
struct attributes {
    int order;
    int hints[4];
    unsigned flags;
};
constexpr attributes of_stream{1, {}, 0}, during_call{2, {}, 0}, any{3, {}, 0};

struct batch {
    std::vector<device_pointer> to, from;
    std::vector<std::size_t> bytes, firsts;
    std::vector<attributes> rows;

    void add(const void* into, const void* out_of, std::size_t size, const attributes& how) {
        if (rows.empty() || std::memcmp(&rows.back(), &how, sizeof how) != 0) {
            rows.push_back(how);
            firsts.push_back(bytes.size());
        }
        to.push_back(reinterpret_cast<device_pointer>(into));
        from.push_back(reinterpret_cast<device_pointer>(out_of));
        bytes.push_back(size);
    }

    cuda::result copy(int version, void* stream, bool is_own = false,
                      std::size_t* failed = nullptr) {
        using first = cuda::result(device_pointer*, device_pointer*, std::size_t*, std::size_t,
                                   attributes*, std::size_t*, std::size_t, std::size_t*, void*);
        using second = cuda::result(device_pointer*, device_pointer*, std::size_t*, std::size_t,
                                    attributes*, std::size_t*, std::size_t, void*);
        constexpr char name[] = "cuMemcpyBatchAsync";
        if (version == 13)
            return function<second>(name, 13000, is_own)(to.data(), from.data(), bytes.data(),
                                                         bytes.size(), rows.data(), firsts.data(),
                                                         rows.size(), stream);
        std::size_t index = 0;
        return function<first>(name, 12080, is_own)(to.data(), from.data(), bytes.data(),
                                                    bytes.size(), rows.data(), firsts.data(),
                                                    rows.size(), failed ? failed : &index, stream);
    }
};

void copy_batch(int version, bool is_own) {
    const bytes large = made(9 * mib + 5, 1), small = made(1000, 2), back = made(8 * mib, 3);
    const bytes inside = made(5 * mib, 4), other = made(6 * mib, 5);
    unsigned char* to_large = on_gpu(bytes(large.size()));
    unsigned char* to_small = on_gpu(bytes(small.size()));
    const unsigned char* from_back = on_gpu(back);
    unsigned char* to_inside = on_gpu(bytes(inside.size()));
    const unsigned char* from_inside = on_gpu(inside);
    unsigned char* to_other = on_gpu(bytes(other.size()));
    bytes to_back(back.size());
    batch all;
    all.add(to_large, large.data(), large.size(), during_call);
    all.add(to_small, small.data(), small.size(), during_call);
    all.add(to_back.data(), from_back, back.size(), of_stream);
    all.add(to_inside, from_inside, inside.size(), any);
    all.add(to_other, other.data(), other.size(), any);
    void* on = is_own ? nullptr : stream();
    REQUIRE(all.copy(version, on, is_own));
    REQUIRE(cuda::await_all());
    print(to_back == back && seen(to_large, large.size()) == large &&
          seen(to_small, small.size()) == small && seen(to_inside, inside.size()) == inside &&
          seen(to_other, other.size()) == other);
}

void copy_ordered() {
    const bytes source = made(8 * mib, 6);
    unsigned char* target = on_gpu(bytes(source.size()));
    void* on = stream();
    batch all;
    all.add(target, source.data(), source.size(), of_stream);
    REQUIRE(all.copy(12, on));
    REQUIRE(cuda::await(on));
    print(seen(target, source.size()) == source);
}

// Memory is set, copied to, and copied from in one stream.
void copy_between() {
    const bytes source = made(8 * mib, 7);
    unsigned char* target = on_gpu(bytes(source.size()));
    unsigned char* second = on_gpu(bytes(source.size()));
    const auto at = reinterpret_cast<device_pointer>(target);
    const auto at_second = reinterpret_cast<device_pointer>(second);
    void* on = stream();
    bool is_same = true;
    for (int i = 0; i < 20; ++i) {
        batch all;
        all.add(target, source.data(), source.size(), during_call);
        REQUIRE(cuda::set(at, 1, source.size(), on));
        REQUIRE(all.copy(12, on));
        REQUIRE(cuda::any_async(at_second, at, source.size(), on));
        REQUIRE(cuda::set(at, 2, source.size(), on));
        REQUIRE(cuda::await(on));
        is_same = is_same && seen(second, source.size()) == source &&
                  seen(target, source.size()) == bytes(source.size(), 2);
    }
    print(is_same);
}

void refuse() {
    const bytes source = made(8 * mib, 8);
    unsigned char* target = on_gpu(bytes(source.size()));
    unsigned char* few = on_gpu(bytes(1000));
    void* on = stream();
    batch beyond;
    beyond.add(target, source.data(), source.size(), during_call);
    beyond.add(few, source.data(), 500, during_call);
    beyond.add(few, source.data(), 5000, any);  // more than there is
    std::size_t failed = 77;
    const int outcome = beyond.copy(12, on, false, &failed);
    std::printf("%d, copy %zu\n", outcome, failed);
    batch right;
    right.add(target, source.data(), source.size(), during_call);
    std::printf("legacy %d\n", right.copy(12, nullptr));
    batch unordered = right;
    unordered.rows[0].order = 9;
    std::printf("order %d\n", unordered.copy(12, on));
    REQUIRE(cuda::await_all());  // a driver may have made the copies before the refused one
}

void capture() {
    const bytes source = made(8 * mib, 9);
    unsigned char* target = on_gpu(bytes(source.size()));
    void *on = stream(), *graph = nullptr;
    batch all;
    all.add(target, source.data(), source.size(), during_call);
    REQUIRE(cuda::begin_capture(on, 2));
    REQUIRE(all.copy(12, on));
    REQUIRE(cuda::end_capture(on, &graph));
    print(seen(target, source.size()) == bytes(source.size()));
}

// CUDA_MEMCPY3D_BATCH_OP
struct operand {
    int type;
    const void* pointer;
    std::size_t row, height;
    int hint[2];
};
struct volume {
    operand from, to;
    std::size_t width, height, depth;
    int order;
    unsigned flags;
};

void copy_volumes() {
    using call = cuda::result(std::size_t, const volume*, unsigned long long, void*);
    const bytes first = made(8 * mib, 10), second = made(8 * mib, 11);
    unsigned char* target = on_gpu(bytes(first.size()));
    bytes back(first.size());
    void* on = stream();
    REQUIRE(
        cuda::in_async(reinterpret_cast<device_pointer>(target), first.data(), first.size(), on));
    const volume all[] = {
        {{1, target, 0, 0, {}}, {1, back.data(), 0, 0, {}}, mib, 2, 4, 1, 0},
        {{1, second.data(), 0, 0, {}}, {1, target, 0, 0, {}}, mib, 2, 4, 2, 0},
    };
    REQUIRE(function<call>("cuMemcpy3DBatchAsync", 13000)(1, all, 0, on));
    REQUIRE(function<call>("cuMemcpy3DBatchAsync", 13000)(1, all + 1, 0, on));
    REQUIRE(cuda::await(on));
    print(back == first && seen(target, second.size()) == second);
}

// Places for one copy of a batch, which no other one uses.
struct place {
    unsigned char *host, *pinned;
    device_pointer device, other;
};

class random_batches {
public:
    explicit random_batches(std::size_t unit) : size(8 * unit), on(stream()) {
        for (place& one : places) {
            one.host = static_cast<unsigned char*>(std::calloc(size, 1));
            void* memory;
            REQUIRE(cuda::allocate_pinned(&memory, size, 0));
            one.pinned = static_cast<unsigned char*>(memory);
            std::memset(memory, 0, size);
            for (device_pointer* made : {&one.device, &one.other}) {
                *made = allocated(size);
                REQUIRE(cuda::set(*made, 0, size, on));
            }
        }
    }

    // Returns a hash of all memory.
    std::size_t play() {
        batch all;
        std::vector<unsigned char*> read;  // in the call: free afterwards
        const std::size_t count = 1 + random() % std::size(places);
        for (std::size_t i = 0; i < count; ++i) add(all, places[i], read);
        if (random() % 2) REQUIRE(cuda::set(places[0].device, 7, size, on));
        REQUIRE(all.copy(random() % 2 ? 12 : 13, on));
        for (unsigned char* one : read) fill(one);
        if (random() % 2) REQUIRE(cuda::set(places[0].other, 9, size / 2, on));
        REQUIRE(cuda::await(on));
        return hash();
    }

private:
    void add(batch& all, const place& one, std::vector<unsigned char*>& read) {
        static constexpr attributes orders[] = {of_stream, during_call, any};
        const attributes& order = orders[random() % 3];
        unsigned char* host = random() % 4 ? one.host : one.pinned;
        auto* device = reinterpret_cast<unsigned char*>(one.device);
        const std::size_t bytes = 1 + random() % size, at = random() % (size - bytes + 1);
        switch (random() % 5) {
            case 0:
                return all.add(reinterpret_cast<void*>(one.other), device, bytes, order);
            case 1:
            case 2:
                return all.add(host + at, device, bytes, order);
            default:
                fill(host);
                all.add(device + at, host, bytes, order);
                if (order.order == during_call.order) read.push_back(host);
        }
    }

    void fill(unsigned char* memory) {
        const unsigned value = random();
        for (std::size_t i = 0; i < size; i += 61)
            memory[i] = static_cast<unsigned char>(value + i);
    }

    std::size_t hash() const {
        std::string all;
        for (const place& one : places) {
            for (unsigned char* memory : {one.host, one.pinned})
                all.append(reinterpret_cast<char*>(memory), size);
            for (device_pointer memory : {one.device, one.other}) {
                const bytes content = seen(reinterpret_cast<void*>(memory), size);
                all.append(content.begin(), content.end());
            }
        }
        return std::hash<std::string>{}(all);
    }

    std::size_t size;
    void* on;
    place places[6];
    std::mt19937 random;
};

void copy_randomly(int count, std::size_t unit) {
    random_batches batches(unit);
    for (int i = 0; i < count; ++i) std::printf("%zx\n", batches.play());
}

}  // namespace

int main(int argc, char** argv) {
    begin();
    start_threads();
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "batch") copy_batch(std::atoi(argv[++i]), false);
        if (word == "own") copy_batch(12, true);
        if (word == "ordered") copy_ordered();
        if (word == "between") copy_between();
        if (word == "wrong") refuse();
        if (word == "captured") capture();
        if (word == "volumes") copy_volumes();
        if (word == "random") {
            const int count = std::atoi(argv[++i]);
            copy_randomly(count, static_cast<std::size_t>(std::atol(argv[++i])));
        }
    }
    return 0;
}
