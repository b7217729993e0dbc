#include "known.hpp"

#include <cstdint>

#include "../../driver/driver_call.hpp"
#include "../../log/lock.hpp"
#include "../../styles/settings.hpp"

namespace attach::staged {
namespace {

using driver::device_pointer;
using driver::result;

struct range {
    device_pointer begin;
    std::size_t bytes;

    bool meets(device_pointer other, std::size_t size) const {
        return begin < other + size && other < begin + bytes;
    }
};

// Ranges of one kind. Those that find no room are lost: then every copy may meet one.
class ranges {
public:
    void add(range one) {
        const guard hold;
        if (count == most)
            is_lost = true;
        else
            rows[count++] = one;
        __atomic_store_n(&is_used, true, __ATOMIC_RELEASE);
    }

    void remove(device_pointer begin) {
        if (is_empty()) return;
        const guard hold;
        for (unsigned i = 0; i < count; ++i)
            if (rows[i].begin == begin) rows[i--] = rows[--count];
    }

    // A range that meets this one. False: there is none. Without room for all: a range of nothing.
    bool find(device_pointer begin, std::size_t bytes, range& found) const {
        if (is_empty()) return false;
        const guard hold;
        for (unsigned i = 0; i < count; ++i)
            if (rows[i].meets(begin, bytes)) {
                found = rows[i];
                return true;
            }
        found = {};
        return is_lost;
    }

private:
    bool is_empty() const { return !__atomic_load_n(&is_used, __ATOMIC_ACQUIRE); }

    static constexpr unsigned most = 1024;
    range rows[most];
    unsigned count = 0;
    bool is_lost = false, is_used = false;
};

ranges registered, imported, imported_handles;

constinit driver_call<result(void*, int, device_pointer)> attribute{"cuPointerGetAttribute"};

device_pointer bits(const void* host) { return reinterpret_cast<device_pointer>(host); }

// Registrations end with their context, too.
bool is_still_registered(const range& one) {
    constexpr int memory_type = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    unsigned type = 0;
    return !one.bytes || attribute(&type, memory_type, one.begin) == driver::success;
}

}  // namespace

bool is_noting() { return settings().changes.staged || memory_log_folder(); }

void note_registered(const void* host, std::size_t bytes) { registered.add({bits(host), bytes}); }

void forget_registered(const void* host) { registered.remove(bits(host)); }

void note_imported(device_pointer pointer, std::size_t bytes) {
    imported.add({pointer, bytes ? bytes : 1});
}

void forget_imported(device_pointer pointer) { imported.remove(pointer); }

void note_imported_handle(unsigned long long handle) { imported_handles.add({handle, 1}); }

void forget_imported_handle(unsigned long long handle) { imported_handles.remove(handle); }

bool is_imported_handle(unsigned long long handle) {
    range found;
    return imported_handles.find(handle, 1, found);
}

bool is_any_registered(const void* host, std::size_t bytes) {
    range found;
    while (registered.find(bits(host), bytes, found)) {
        if (is_still_registered(found)) return true;
        registered.remove(found.begin);
    }
    return false;
}

bool is_imported(device_pointer start, std::size_t size) {
    range found;
    return imported.find(start, size, found);
}

}  // namespace attach::staged
