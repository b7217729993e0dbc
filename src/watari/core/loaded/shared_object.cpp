#include "watari/core/loaded/shared_object.hpp"

#include <dlfcn.h>

namespace watari {

std::string folder_of(const void* address) {
    Dl_info found{};
    if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return "";
    const std::string file = found.dli_fname;
    return file.substr(0, file.find_last_of('/') + 1);
}

shared_object load_part(const std::string& file, const std::string& folder, symbols whose) {
    const int mode = RTLD_NOW | (whose == symbols::its_own ? RTLD_LOCAL : RTLD_GLOBAL);
    static const char here = 0;
    const std::string first = (folder.empty() ? folder_of(&here) : folder + "/") + file;
    void* library = dlopen(first.c_str(), mode);
    const std::string why_not = library == nullptr ? dlerror() : "";
    if (library == nullptr && folder.empty()) library = dlopen(file.c_str(), mode);
    return {library, library == nullptr ? why_not : ""};
}

void* address_of(const shared_object& object, const std::string& file, const std::string& name,
                 std::string& why_not) {
    void* found = dlsym(object.handle, name.c_str());
    if (!found) why_not = file + " has no " + name;
    return found;
}

}  // namespace watari
