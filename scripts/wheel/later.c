// Functions of later C libraries than 2.28 that parts of the compiler's libstdc++.a and libgcc_eh.a call. They are
// linked into a library of the wheel that needs them, and are hidden there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN char __libc_single_threaded = 0; // a process counts as one with threads

HIDDEN uint32_t arc4random(void) {
    uint32_t value = 0;
    while (getrandom(&value, sizeof value, 0) != sizeof value) {
    }
    return value;
}

// What the unwinder asks: where is the table of the object that has this address?
struct request {
    uintptr_t address;
    struct dl_find_object *result;
};

static int object_of(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size;
    struct request *request = data;
    struct dl_find_object *result = request->result;
    uintptr_t table = 0;
    int here = 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_EH_FRAME) {
            table = start;
        } else if (part->p_type == PT_LOAD && request->address - start < part->p_memsz) {
            here = 1;
            result->dlfo_map_start = (void *)start;
            result->dlfo_map_end = (void *)(start + part->p_memsz);
        }
    }
    if (!here || table == 0) {
        return 0;
    }
    result->dlfo_flags = 0;
    result->dlfo_link_map = 0;
    result->dlfo_eh_frame = (void *)table;
    return 1;
}

HIDDEN int _dl_find_object(void *address, struct dl_find_object *result) {
    struct request request = {(uintptr_t)address, result};
    return dl_iterate_phdr(object_of, &request) == 1 ? 0 : -1;
}
