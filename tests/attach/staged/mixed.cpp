// A program with copies that are partly staged, or not at all. Its arguments say which, in turn:
//
//     batch VERSION     a batch (of CUDA 12 or 13) with large and small copies in both directions
//     own               the same in the thread's own default stream
//     ordered           a batch that reads its source in the order of its stream
//     between           a batch between other work of its stream, again and again
//     wrong             batches that the driver refuses, and the index of the copy that failed
//     captured          a batch in a capture
//     volumes           a batch of volumes behind a staged copy
//     registered        memory of which a part is registered, then unregistered
//     reset             the same, where a reset of the context ends the registration
//     imported HOW      memory of another process (ipc), of a graphics library (external), of a
//     pool
//                       (pool) or of a handle (handle); then it is closed
//
// Each copies 64 MiB before, so that threads have started, and prints `same` or what differs.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "driver.hpp"

namespace {

using cuda::device_pointer;

constexpr std::size_t mib = 1 << 20;

template <class Function>
Function* function(const char* name, int version = 12000, bool is_per_thread = false) {
    return reinterpret_cast<Function*>(cuda::find(name, is_per_thread, version));
}

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

using bytes = std::vector<unsigned char>;

bytes made(std::size_t size, unsigned seed) {
    bytes all(size);
    for (std::size_t i = 0; i < size; ++i)
        all[i] = static_cast<unsigned char>((i * 2654435761u + seed) >> 11);
    return all;
}

unsigned char* on_gpu(const bytes& content) {
    device_pointer device;
    REQUIRE(cuda::allocate(&device, content.size()));
    for (std::size_t at = 0; at < content.size(); at += mib)  // small: not staged
        REQUIRE(cuda::in(device + at, content.data() + at, std::min(mib, content.size() - at)));
    REQUIRE(cuda::await_all());  // other streams do not wait for copies of pageable memory
    return reinterpret_cast<unsigned char*>(device);
}

bytes seen(const void* device, std::size_t size) {
    bytes all(size);
    for (std::size_t at = 0; at < size; at += mib)
        REQUIRE(cuda::out(all.data() + at, reinterpret_cast<device_pointer>(device) + at,
                          std::min(mib, size - at)));
    return all;
}

void print(bool is_same) { std::printf("%s\n", is_same ? "same" : "other bytes"); }

void* stream() {
    void* made;
    REQUIRE(cuda::create_stream(&made, 1));
    return made;
}

void start_threads() {
    const bytes host(64 * mib);
    device_pointer device;
    REQUIRE(cuda::allocate(&device, host.size()));
    REQUIRE(cuda::in(device, host.data(), host.size()));
    REQUIRE(cuda::release(device));
}

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
    const bool is_back = to_back == back;  // written when the call returned
    REQUIRE(cuda::await_all());
    print(is_back && seen(to_large, large.size()) == large &&
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
    REQUIRE(cuda::await_all());
    print(seen(target, source.size()) == bytes(source.size()));
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

void* mapped(std::size_t size) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::exit(4);
    return memory;
}

void begin() {
    void* context;
    REQUIRE(cuda::init(0));
    REQUIRE(cuda::retain_context(&context, 0));
    REQUIRE(cuda::set_context(context));
}

void copy_all(unsigned char* host, std::size_t size) {
    device_pointer device;
    const bytes content(host, host + size);
    REQUIRE(cuda::allocate(&device, size));
    REQUIRE(cuda::in(device, host, size));
    print(seen(reinterpret_cast<void*>(device), size) == content);
    REQUIRE(cuda::release(device));
}

void copy_registered(bool is_reset) {
    constexpr std::size_t size = 16 * mib;
    auto* host = static_cast<unsigned char*>(mapped(size));
    for (std::size_t i = 0; i < size; ++i) host[i] = static_cast<unsigned char>(i >> 9);
    REQUIRE(cuda::enroll(host + 4 * mib, 2 * mib, 0));
    copy_all(host, size);
    if (is_reset) {
        REQUIRE(cuda::reset_context(0));
        begin();
    } else {
        REQUIRE(function<cuda::result(void*)>("cuMemHostUnregister")(host + 4 * mib));
    }
    copy_all(host, size);
}

struct shared_handle {
    char content[64];
};

void copy_imported(const std::string& how) {
    const bytes content = made(16 * mib, 12);
    device_pointer own, pointer = 0;
    REQUIRE(cuda::allocate(&own, content.size()));
    shared_handle handle{};
    std::memcpy(handle.content, &own, sizeof own);
    unsigned long long number = 0;
    if (how == "ipc") {
        REQUIRE(function<cuda::result(device_pointer*, shared_handle, unsigned)>(
            "cuIpcOpenMemHandle")(&pointer, handle, 1));
    } else if (how == "external") {
        const unsigned long long described[12] = {0, content.size()};
        REQUIRE(function<cuda::result(device_pointer*, void*, const unsigned long long*)>(
            "cuExternalMemoryGetMappedBuffer")(&pointer, nullptr, described));
    } else if (how == "pool") {
        REQUIRE(function<cuda::result(device_pointer*, void*, void*)>("cuMemPoolImportPointer")(
            &pointer, nullptr, &handle));
    } else {
        using size = std::size_t;
        using id = unsigned long long;
        REQUIRE(function<cuda::result(id*, void*, int)>("cuMemImportFromShareableHandle")(
            &number, nullptr, 1));
        REQUIRE(function<cuda::result(device_pointer*, size, size, device_pointer, id)>(
            "cuMemAddressReserve")(&pointer, content.size(), 0, 0, 0));
        REQUIRE(function<cuda::result(device_pointer, size, size, id, id)>("cuMemMap")(
            pointer, content.size(), 0, number, 0));
    }
    REQUIRE(cuda::in(pointer, content.data(), content.size()));
    print(seen(reinterpret_cast<void*>(pointer), content.size()) == content);
    const auto close =
        function<cuda::result(device_pointer)>(how == "ipc" ? "cuIpcCloseMemHandle" : "cuMemFree");
    if (how == "handle")
        REQUIRE(function<cuda::result(device_pointer, std::size_t)>("cuMemUnmap")(pointer,
                                                                                  content.size()));
    REQUIRE(close(pointer));
    device_pointer again;  // often at the same address
    REQUIRE(cuda::allocate(&again, content.size()));
    REQUIRE(cuda::in(again, content.data(), content.size()));
    print(seen(reinterpret_cast<void*>(again), content.size()) == content);
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
        if (word == "registered") copy_registered(false);
        if (word == "reset") copy_registered(true);
        if (word == "imported") copy_imported(argv[++i]);
    }
    return 0;
}
