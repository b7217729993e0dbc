/// A module that links libwatari, as that of a case does, in a form that tests can call.
#pragma once

#include <string>

namespace watari {

struct part {
    void (*fail)();                            ///< throws beyond_memory of 3 and 2 bytes
    std::string (*caught)(void (*thrower)());  ///< name and numbers of the error that it throws
    void (*set_threads)(int threads);
    int (*threads)();       ///< of the next loop
    void (*loop)();         ///< on all threads
    std::string (*text)();  ///< numbers as a stream writes and reads them: uses facets of a locale
    const void* fork_hook;
    const void* runtime;       ///< a function of the C++ runtime
    const void* device_state;  ///< the function that reads it
};

}  // namespace watari

extern "C" [[gnu::visibility("default")]] const watari::part* watari_part();
