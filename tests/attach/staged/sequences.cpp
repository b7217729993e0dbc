// Random sequences of copies: sequences FIRST COUNT UNIT [THREADS [rows]]
//
// Prints a line for each sequence: the results of its calls, and a hash of all memory at its end.
// The lines do not depend on how copies are made, so those with `staged` are those of the driver.
// Sizes are around 4 UNITs, from which on copies are staged. Each sequence has copies in both
// directions by every function, in several streams, with host memory of each kind; events and
// waits; writes of the host just after a call; captures; overlapping and refused copies. Calls that
// touch the same memory are ordered: by their stream, by an event or by a wait, which random
// numbers choose. With `rows`, half of the copies are of rows and volumes.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "driver.hpp"

namespace {

using cuda::device_pointer;

constexpr int device_areas = 3;
constexpr int streams = 4;  // legacy, blocking, non-blocking, the thread's own
enum kind { pageable, another, pinned, enrolled, managed, mapped_file, private_file, kinds };

struct area {
    unsigned char* host = nullptr;
    device_pointer device = 0;
    int last = 0;          // stream of the last call that used it
    bool is_quiet = true;  // no such call is under way
};

class player {
public:
    player(std::size_t unit_bytes, bool with_captures, bool with_rows)
        : unit(unit_bytes), size(14 * unit_bytes), captures(with_captures), rows(with_rows) {
        for (area& one : on_device) one.device = allocated(size);
        REQUIRE(cuda::create_event(&event, 2));
        make_host_areas();
    }

    std::string play(unsigned seed) {
        random.seed(seed);
        line.clear();
        stream_before = area_before = 0;
        const int calls = 3 + below(9);
        for (int i = 0; i < calls; ++i) act();
        end();
        return line;
    }

private:
    void make_host_areas() {
        for (int i : {pageable, another})
            on_host[i].host = static_cast<unsigned char*>(std::malloc(size));
        void* memory = nullptr;
        REQUIRE(cuda::allocate_pinned(&memory, size, 0));
        on_host[pinned].host = static_cast<unsigned char*>(memory);
        on_host[enrolled].host = map(-1, MAP_PRIVATE | MAP_ANONYMOUS);
        // without it, the memory is one more of pageable memory
        is_free_after_call[enrolled] = cuda::enroll(on_host[enrolled].host, size, 0) != 0;
        device_pointer both;
        REQUIRE(cuda::allocate_managed(&both, size, 1));
        on_host[managed].host = reinterpret_cast<unsigned char*>(both);
        const int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
        if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) std::exit(4);
        on_host[mapped_file].host = map(file, MAP_SHARED);
        on_host[private_file].host = map(file, MAP_PRIVATE);
        for (int i = 0; i < kinds; ++i) std::memset(on_host[i].host, i, size);
    }

    unsigned char* map(int file, int flags) const {
        void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, file, 0);
        if (memory == MAP_FAILED) std::exit(4);
        return static_cast<unsigned char*>(memory);
    }

    int below(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

    std::size_t bytes_of_copy() {
        switch (below(6)) {
            case 0:
                return 1 + random() % unit;  // small
            case 1:
                return 4 * unit - 1 + random() % 3;  // around the least staged one
            default:
                return 4 * unit + random() % (9 * unit);
        }
    }

    void act() {
        const int choice = below(14);
        if (choice < 4 && rows)
            copy_rows();
        else if (choice < 8)
            copy();
        else if (choice < 10)
            set();
        else if (choice == 10)
            note(cuda::call_host(stream[any_stream()], rest, nullptr));
        else if (choice == 11)
            refuse();
        else if (choice == 12 && captures)
            capture();
        else
            wait_for(any_device_area());
    }

    static void rest(void*) { usleep(300); }

    // Mostly the same ones as before, so that much depends on the order of a stream.
    int any_stream() { return below(3) ? stream_before : (stream_before = below(streams)); }
    area& any_device_area() {
        return on_device[below(2) ? area_before : (area_before = below(device_areas))];
    }

    // Orders the next call in a stream after the last one that used an area.
    void order(area& used, int by) {
        if (!used.is_quiet && used.last != by) {
            if (below(3) == 0) {
                wait_for(used);
            } else {
                note(cuda::record(event, stream[used.last]));
                note(cuda::follow(stream[by], event, 0));
            }
        }
        used.last = by;
        used.is_quiet = false;
    }

    void wait_for(area& used) {
        note(below(4) ? cuda::await(stream[used.last]) : cuda::await_all());
        used.is_quiet = true;
    }

    void copy() {
        area& device = any_device_area();
        const int kind = below(3) ? below(2) : below(kinds);
        area& host = on_host[kind];
        const std::size_t bytes = bytes_of_copy();
        const std::size_t from_host = random() % (size - bytes), at = random() % (size - bytes);
        const bool is_out = below(2) == 0;
        if (!host.is_quiet) wait_for(host);
        if (!is_out) scribble(host.host + from_host, bytes);
        const int function = below(10);
        const int by = function < 4 ? function % 2 * 3 : any_stream();
        order(device, by);
        order(host, by);
        note(call(function, is_out, host.host + from_host, device.device + at, bytes, by));
        // the driver has read pageable memory then, and has written it
        if (is_free_after_call[kind]) {
            host.is_quiet = true;
            if (is_out) mix(host.host + from_host, bytes);
            scribble(host.host + from_host, bytes);
        }
    }

    // Some rows are wider than staged ones may be.
    void copy_rows() {
        area& device = any_device_area();
        const int kind = below(3) ? below(2) : below(kinds);
        area& host = on_host[kind];
        const std::size_t width = below(8) ? 1 + random() % (unit / 4) : unit / 4 + 1;
        const std::size_t gap = below(3) ? random() % (width / 8 + 1) : 0;
        const std::size_t device_gap = below(3) ? random() % (width / 8 + 1) : 0;
        const std::size_t most = size / (width + std::max(gap, device_gap));
        const std::size_t height = std::max<std::size_t>(1, most - random() % (most / 2 + 1));
        const bool is_out = below(2) == 0;
        if (!host.is_quiet) wait_for(host);
        if (!is_out) scribble(host.host, size);
        const int function = below(6);
        const int by = function == 0 || function == 1 ? 0 : function == 2 ? 3 : any_stream();
        order(device, by);
        order(host, by);
        const bool names_sides = below(2) == 0;
        const auto address = reinterpret_cast<device_pointer>(host.host);
        const cuda::end at_host{names_sides ? 1u : 4u, host.host, address, nullptr};
        const cuda::end at_device{names_sides ? 2u : 4u, nullptr, device.device, nullptr};
        cuda::rectangle flat{};
        flat.from = is_out ? at_device : at_host;
        flat.to = is_out ? at_host : at_device;
        flat.from_pitch = width + (is_out ? device_gap : gap);
        flat.to_pitch = width + (is_out ? gap : device_gap);
        flat.width = width;
        flat.height = height;
        if (height > 1 && below(2)) {
            flat.from_y = flat.to_y = 1;
            flat.height = height - 1;
        }
        note(call_rows(function, flat, by));
        if (is_free_after_call[kind]) {
            host.is_quiet = true;
            if (is_out) mix(host.host, size);
            scribble(host.host, size);
        }
    }

    cuda::result call_rows(int function, const cuda::rectangle& flat, int by) {
        void* own = by == 3 ? nullptr : by == 0 ? reinterpret_cast<void*>(1) : stream[by];
        cuda::cuboid deep{};
        deep.from_y = flat.from_y;
        deep.to_y = flat.to_y;
        deep.from = flat.from;
        deep.to = flat.to;
        deep.from_pitch = flat.from_pitch;
        deep.to_pitch = flat.to_pitch;
        deep.width = flat.width;
        deep.depth = flat.height > 3 ? 2 : 1;
        deep.height = deep.from_height = deep.to_height = flat.height / deep.depth;
        if (deep.depth == 2 && deep.height > 2 && below(3) == 0) --deep.height;
        if (function == 0) return cuda::rows(&flat);
        if (function == 1) return cuda::slices(&deep);
        if (function == 2) return cuda::own_rows(&flat);
        if (function == 3) return cuda::rows_async(&flat, stream[by]);
        if (function == 4) return cuda::own_rows_async(&flat, own);
        return cuda::slices_async(&deep, stream[by]);
    }

    // Functions 0 to 3 wait; even ones of them use the legacy stream, odd ones the thread's own.
    cuda::result call(int function, bool is_out, unsigned char* host, device_pointer device,
                      std::size_t bytes, int by) {
        const auto other = reinterpret_cast<device_pointer>(host);
        const device_pointer to = is_out ? other : device, from = is_out ? device : other;
        void* on = stream[by];
        void* own = by == 3 ? nullptr : by == 0 ? reinterpret_cast<void*>(1) : on;
        const bool is_own = below(2) == 0;
        switch (function) {
            case 0:
                return is_out ? cuda::out(host, device, bytes) : cuda::in(device, host, bytes);
            case 1:
                return is_out ? cuda::own_out(host, device, bytes)
                              : cuda::own_in(device, host, bytes);
            case 2:
                return cuda::any(to, from, bytes);
            case 3:
                return cuda::own_any(to, from, bytes);
            case 4:
            case 5:
                return is_own ? cuda::own_any_async(to, from, bytes, own)
                              : cuda::any_async(to, from, bytes, on);
            default:
                if (is_out)
                    return is_own ? cuda::own_out_async(host, device, bytes, own)
                                  : cuda::out_async(host, device, bytes, on);
                return is_own ? cuda::own_in_async(device, host, bytes, own)
                              : cuda::in_async(device, host, bytes, on);
        }
    }

    void set() {
        area& device = any_device_area();
        const int by = any_stream();
        const std::size_t bytes = bytes_of_copy();
        order(device, by);
        note(cuda::set(device.device + random() % (size - bytes),
                       static_cast<unsigned char>(random()), bytes, stream[by]));
    }

    // Copies that the driver refuses, of which no byte is copied.
    void refuse() {
        area& device = any_device_area();
        if (!device.is_quiet) wait_for(device);
        unsigned char* host = on_host[pageable].host;
        if (below(2))
            note(cuda::in(device.device + 8 * unit, host, 7 * unit));  // beyond its end
        else
            note(cuda::out_async(host, device_pointer{64}, 5 * unit, stream[1]));
    }

    void capture() {
        for (area& one : on_device) wait_for(one);
        void* graph = nullptr;
        note(cuda::begin_capture(stream[2], below(3)));
        note(cuda::in_async(on_device[0].device, on_host[pageable].host, 5 * unit, stream[1]));
        note(cuda::await(stream[1]));
        note(cuda::end_capture(stream[2], &graph));
        note(cuda::await(stream[1]));  // the first wait fails if the capture forbids it
    }

    void note(cuda::result outcome) {
        line += std::to_string(outcome);
        line += ' ';
    }

    void scribble(unsigned char* memory, std::size_t bytes) {
        const unsigned value = random();
        for (std::size_t i = 0; i < bytes; i += 251)
            memory[i] = static_cast<unsigned char>(value + i);
    }

    void mix(const unsigned char* memory, std::size_t bytes) {
        for (std::size_t i = 0; i + 8 <= bytes; i += 8) {
            std::uint64_t word;
            std::memcpy(&word, memory + i, 8);
            hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
    }

    void end() {
        note(cuda::await_all());
        std::vector<unsigned char> seen(unit);
        for (area& one : on_device) {
            for (std::size_t at = 0; at < size; at += unit) {
                note_failure(cuda::out(seen.data(), one.device + at, unit));
                mix(seen.data(), unit);
            }
            one.is_quiet = true;
        }
        for (area& one : on_host) {
            mix(one.host, size);
            one.is_quiet = true;
        }
        char text[32];
        std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
        line += text;
        hash = 0;
    }

    void note_failure(cuda::result outcome) {
        if (outcome) note(outcome);
    }

    std::size_t unit, size;
    bool captures, rows;
    area on_device[device_areas], on_host[kinds];
    bool is_free_after_call[kinds] = {true, true, false, false, false, true, true};
    void* stream[streams] = {nullptr, ::stream(0), ::stream(1),
                             reinterpret_cast<void*>(std::uintptr_t{2})};
    void* event = nullptr;
    int stream_before = 0, area_before = 0;
    std::mt19937 random;
    std::string line;
    std::uint64_t hash = 0;
};

void play(unsigned first, unsigned count, std::size_t unit, bool with_captures, bool with_rows,
          std::string& lines) {
    begin();
    player one(unit, with_captures, with_rows);
    for (unsigned seed = first; seed < first + count; ++seed)
        lines += std::to_string(seed) + ": " + one.play(seed) + '\n';
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const auto first = static_cast<unsigned>(std::atol(argv[1]));
    const auto count = static_cast<unsigned>(std::atol(argv[2]));
    const auto unit = static_cast<std::size_t>(std::atol(argv[3]));
    const auto threads = static_cast<unsigned>(argc > 4 ? std::atol(argv[4]) : 1);
    const bool with_rows = argc > 5;
    std::vector<std::string> lines(threads);
    std::vector<std::thread> players;
    for (unsigned i = 1; i < threads; ++i)
        players.emplace_back(play, first + i * count, count, unit, false, with_rows,
                             std::ref(lines[i]));
    play(first, count, unit, threads == 1, with_rows, lines[0]);
    for (std::thread& one : players) one.join();
    for (const std::string& one : lines) std::fputs(one.c_str(), stdout);
    return 0;
}
