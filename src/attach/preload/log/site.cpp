#include "site.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "../driver/real.hpp"
#include "event_log.hpp"
#include "lock.hpp"
#include "runtime.hpp"

namespace attach {
namespace {

constexpr int depth = 10;      // frames that are hashed and recorded
constexpr int own_frames = 6;  // frames of this library, at most

// A return address, resolved once: dladdr takes a microsecond.
struct frame {
    const void* address = nullptr;
    const char* symbol = nullptr;  // of the dynamic table, or null
    long long offset = 0;
    std::uint32_t hash = 0;         // hash of module name and offset
    std::uint32_t of_function = 0;  // the same of the function that contains it
    int module = -1;
    bool is_runtime = false;  // of the CUDA runtime
};

// What the loader knows of an address.
struct loaded {
    Dl_info info;
    const void* function;
};

struct module {
    const void* base;
    std::uint32_t hash;
    runtime_code runtime;
};

struct site {
    std::uint32_t hash;
    std::uint32_t count;
    bool used;
};

// Open addressing; the size is a power of two that doubles when half of it is used.
template <class Row>
struct table {
    Row* rows = nullptr;
    std::size_t size = 0, used = 0;
};

table<frame> frames;
table<site> sites;
module* modules = nullptr;
int module_count = 0;

std::uint32_t mix(std::uint32_t hash, const void* data, std::size_t bytes) {  // FNV-1a
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ at[i]) * 16777619u;
    return hash;
}
constexpr std::uint32_t start_of_hash = 2166136261u;

std::uint32_t place_of(const frame& row) {
    return mix(start_of_hash, &row.address, sizeof row.address);
}
std::uint32_t place_of(const site& row) { return row.hash; }
bool is_used(const frame& row) { return row.address; }
bool is_used(const site& row) { return row.used; }
bool is_same(const frame& a, const frame& b) { return a.address == b.address; }
bool is_same(const site& a, const site& b) { return a.hash == b.hash; }

// The row that equals `wanted`, or the free row for it; null if memory is exhausted.
template <class Row>
Row* find(table<Row>& in, const Row& wanted) {
    if (in.used * 2 >= in.size) {
        const std::size_t size = in.size ? in.size * 2 : 256;
        auto* rows = static_cast<Row*>(std::calloc(size, sizeof(Row)));
        if (!rows) return nullptr;
        table<Row> larger{rows, size, 0};
        for (std::size_t i = 0; i < in.size; ++i)
            if (is_used(in.rows[i])) *find(larger, in.rows[i]) = in.rows[i], ++larger.used;
        std::free(in.rows);
        in = larger;
    }
    std::size_t at = place_of(wanted) & (in.size - 1);
    while (is_used(in.rows[at]) && !is_same(in.rows[at], wanted)) at = (at + 1) & (in.size - 1);
    return &in.rows[at];
}

// The path of a module. A library's name may be relative; the main program's is as it was called.
const char* full_path(const char* name, char (&buffer)[PATH_MAX]) {
    if (name && name[0] == '/') return name;
    if (name && std::strcmp(name, program_invocation_name) != 0 && realpath(name, buffer))
        return buffer;
    const ssize_t length = readlink("/proc/self/exe", buffer, sizeof buffer - 1);
    buffer[length > 0 ? length : 0] = 0;
    return buffer;
}

int module_of(const Dl_info& found) {
    for (int i = 0; i < module_count; ++i)
        if (modules[i].base == found.dli_fbase) return i;
    auto* more = static_cast<module*>(std::realloc(modules, sizeof(module) * (module_count + 1)));
    if (!more) return -1;
    modules = more;
    char buffer[PATH_MAX];
    const char* path = full_path(found.dli_fname, buffer);
    const char* slash = std::strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    modules[module_count] = {found.dli_fbase, mix(start_of_hash, name, std::strlen(name)),
                             runtime_in(path)};
    event("module").number("id", module_count).text("path", path).write();
    return module_count++;
}

// Finds the callers outside this library, innermost first; returns their number.
int callers(const void** found) {
    void* addresses[depth + own_frames];
    const int count = backtrace(addresses, depth + own_frames);
    int kept = 0;
    for (int i = 0; i < count && kept < depth; ++i)
        if (!is_own(addresses[i])) found[kept++] = addresses[i];
    return kept;
}

// Looks up the frames of these addresses. Returns false if one was not resolved before: the address
// of its frame is then null.
bool known_frames(const void* const* addresses, int count, frame* found) {
    bool complete = true;
    for (int i = 0; i < count; ++i) {
        const frame* known = find(frames, frame{.address = addresses[i]});
        found[i] = known && known->address ? *known : frame{};
        complete = complete && found[i].address;
    }
    return complete;
}

long long distance(const void* base, const void* address) {
    return static_cast<const char*>(address) - static_cast<const char*>(base);
}

void add_frame(frame& row, const void* address, const loaded& known) {
    const Dl_info& info = known.info;
    row = {.address = address, .symbol = info.dli_sname};
    if (info.dli_fbase) {
        row.module = module_of(info);
        row.offset = distance(info.dli_fbase, address);
        const long long function = distance(info.dli_fbase, known.function);
        const std::uint32_t hash = row.module < 0 ? start_of_hash : modules[row.module].hash;
        row.hash = mix(hash, &row.offset, sizeof row.offset);
        row.of_function = mix(hash, &function, sizeof function);
        row.is_runtime = row.module >= 0 && modules[row.module].runtime.contains(
                                                static_cast<unsigned long>(row.offset - 1));
    }
    if (frame* free = find(frames, row); free && !free->address) {
        *free = row;
        ++frames.used;
    }
}

// Leaves out frames of the CUDA runtime. Of a module that calls the driver and has no symbols, any
// frame may be one: only its functions count. Returns the number of frames.
int keep_steady(frame* found, int count) {
    const int caller = count > 0 ? found[0].module : -1;
    const bool is_unknown = caller >= 0 && !modules[caller].runtime.has_symbols;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (found[i].is_runtime) continue;
        found[kept] = found[i];
        if (is_unknown && found[i].module == caller) found[kept].hash = found[i].of_function;
        ++kept;
    }
    return kept;
}

void record(std::uint32_t hash, const frame* found, int count) {
    event line("site");
    line.hash("site", hash).raw(",\"frames\":[");
    for (int i = 0; i < count; ++i) {
        line.raw(i ? ",[" : "[").raw(found[i].module).raw(",").raw(found[i].offset);
        if (found[i].symbol && std::strlen(found[i].symbol) < 128)
            line.raw(",").escaped(found[i].symbol);
        line.raw("]");
    }
    line.raw("]").write();
}

}  // namespace

allocation_name name_allocation() {
    const void* addresses[depth];
    frame found[depth];
    loaded known[depth] = {};
    int count = callers(addresses);
    bool complete;
    {
        const guard hold;
        complete = known_frames(addresses, count, found);
    }
    // without the lock: dladdr takes the loader's lock, which a constructor that allocates may hold
    for (int i = 0; i < count && !complete; ++i)
        if (!found[i].address) {
            dladdr(addresses[i], &known[i].info);
            known[i].function = function_of(addresses[i]);
        }
    const guard hold;
    for (int i = 0; i < count; ++i)
        if (!found[i].address) add_frame(found[i], addresses[i], known[i]);
    count = keep_steady(found, count);
    std::uint32_t hash = start_of_hash;
    for (int i = 0; i < count; ++i) hash = mix(hash, &found[i].hash, sizeof found[i].hash);
    site* row = find(sites, site{hash, 0, false});
    if (!row) return {hash, 0};
    if (!row->used) {
        *row = {hash, 0, true};
        ++sites.used;
        record(hash, found, count);
    }
    return {hash, row->count++};
}

void forget_modules() {
    const guard hold;
    std::free(frames.rows);
    frames = {};
    for (int i = 0; i < module_count; ++i) modules[i].base = nullptr;
}

void forget_sites() {
    frames = {};
    sites = {};
    modules = nullptr;
    module_count = 0;
}

}  // namespace attach
