// The CUDA runtime in a module. It calls the driver from two places in each of its functions: with
// callbacks for a tool such as CUPTI, and without. So its return addresses differ between a run
// that is traced and one that is not, and a call site cannot contain them.
#pragma once

namespace attach {

// Functions of the runtime, as offsets from the base of their module. In order, apart.
struct runtime_code {
    struct range {
        unsigned long begin, end;
    };
    range* ranges = nullptr;
    int count = 0;
    bool has_symbols = false;  // without a symbol table nothing is known

    bool contains(unsigned long offset) const;
};

// Reads the symbol table of a module's file.
runtime_code runtime_in(const char* path);

// Where the function of a return address begins, by its module's table for exceptions; the address
// itself if there is none. Takes the loader's lock.
const void* function_of(const void* address);

}  // namespace attach
