#include "watari/storage/capabilities.hpp"

#include "watari/core/text_file.hpp"
#include "watari/files/uring.hpp"
#include "watari/objects/curl.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>

namespace watari::storage {
namespace {

using machine::capability;
namespace fs = std::filesystem;

bool exists(const char* path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

capability cufile() {
    for (const char* name : {"libcufile.so.0", "libcufile.so"}) {
        if (void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
            dlclose(library);
            return {"cufile", true, "", cufile_detail()};
        }
    }
    return {"cufile", false, "libcufile.so.0 cannot be loaded (GPUDirect Storage is not installed)",
            ""};
}

capability io_uring() {
    const std::string reason = files::uring_absent_reason();
    return {"io_uring", reason.empty(), reason, ""};
}

capability s3() {
    const std::string reason = objects::curl_absent_reason();
    return {"s3", reason.empty(), reason.empty() ? "" : "libcurl: " + reason,
            objects::curl_version()};
}

}  // namespace

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

std::vector<capability> capabilities() { return {cufile(), io_uring(), s3()}; }

}  // namespace watari::storage
