#include "watari/storage/cufile_gpu.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <system_error>

namespace watari::storage {
namespace {

namespace fs = std::filesystem;

bool exists(const char* path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

}  // namespace

machine::capability cufile_capability() {
    for (const char* name : {"libcufile.so.0", "libcufile.so"}) {
        if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
            dlclose(library);
            return {"cufile", true, "", cufile_detail()};
        }
    }
    return {"cufile", false, "libcufile.so.0 cannot be loaded (GPUDirect Storage is not installed)",
            ""};
}

std::string cufile_detail() {
    std::string detail = exists("/sys/module/nvidia_fs") || exists("/proc/driver/nvidia-fs")
                             ? "direct (nvidia-fs module is loaded)"
                             : "compatibility mode, through CPU memory (no nvidia-fs module)";
    if (!exists("/run/udev/data")) {
        detail +=
            "; no udev database (/run/udev/data): cuFileHandleRegister will fail with 5027 "
            "unless an administrator adds a record b<major>:<minor> of the disk there, with "
            "E:ID_FS_USAGE=filesystem and E:ID_FS_TYPE=<type>";
    }
    return detail;
}

}  // namespace watari::storage
