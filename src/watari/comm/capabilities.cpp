#include "watari/comm/capabilities.hpp"

#include "watari/core/text_file.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

namespace watari::comm {
namespace {

using machine::capability;

std::optional<std::string> on_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    for (std::string_view folders = path != nullptr ? path : ""; !folders.empty();) {
        const std::string folder(take_until(folders, ':')), file = folder + "/" + program;
        if (!folder.empty() && access(file.c_str(), X_OK) == 0) return file;
    }
    return std::nullopt;
}

/// The MPI library; null if none can be loaded. It stays open: MPI libraries start helpers that
/// outlive dlclose badly.
void* mpi_library() {
    for (const char* name : {"libmpi.so.40", "libmpi.so.12", "libmpi.so"})
        if (void* found = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return found;
    return nullptr;
}

/// First line of a library's own description, e.g. "Open MPI v4.1.4, package: ...".
/// MPI_Get_library_version may be called before MPI_Init.
std::string version_of(void* library) {
    std::array<char, 8192> text{};  // the largest MPI_MAX_LIBRARY_VERSION_STRING in use
    int length = 0;
    using query = int (*)(char*, int*);
    const auto ask = reinterpret_cast<query>(dlsym(library, "MPI_Get_library_version"));
    const bool reported = ask != nullptr && ask(text.data(), &length) == 0;
    const std::string version = reported ? text.data() : "libmpi.so";
    return version.substr(0, version.find_first_of(",\n"));
}

std::string output_of(const std::string& command) {
    std::string output;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
    std::array<char, 4096> part{};
    while (pipe && std::fgets(part.data(), static_cast<int>(part.size()), pipe.get()) != nullptr)
        output += part.data();
    return output;
}

capability mpi(void* library) {
    std::optional<std::string> launcher;
    for (const char* program : {"mpirun", "mpiexec", "srun"}) {
        launcher = launcher ? launcher : on_path(program);
    }
    const std::string reason = !launcher  ? "no launcher (mpirun, mpiexec, srun) on PATH"
                               : !library ? "no MPI library (libmpi.so) can be loaded"
                                          : "";
    const std::string detail = launcher.value_or("") + (launcher && library ? ", " : "") +
                               (library ? version_of(library) : "");
    return {"mpi", reason.empty(), reason, detail};
}

capability cuda_aware_mpi(bool mpi_available, void* library) {
    const auto answer = [](bool yes, const char* reason, const char* detail) {
        return capability{"cuda-aware-mpi", yes, yes ? "" : reason, yes ? detail : ""};
    };
    if (!mpi_available) return answer(false, "no MPI", "");
    // Open MPI's library initialises it statically; ompi_info takes a quarter of a second to say it
    if (const void* built = library ? dlsym(library, "opal_built_with_cuda_support") : nullptr)
        return answer(*static_cast<const bool*>(built), "Open MPI was built without CUDA",
                      "Open MPI built with CUDA");
    if (on_path("ompi_info")) {
        const std::string text = output_of("ompi_info --parsable --all 2>/dev/null");
        if (text.find("mpi_built_with_cuda_support:value:true") != std::string::npos)
            return answer(true, "", "Open MPI built with CUDA");
        if (text.find("mpi_built_with_cuda_support:value:false") != std::string::npos)
            return answer(false, "Open MPI was built without CUDA", "");
    }
    if (on_path("mpichversion")) {
        const std::string text = output_of("mpichversion 2>/dev/null");
        return answer(text.find("--with-cuda") != std::string::npos,
                      "MPICH was configured without --with-cuda", "by mpichversion");
    }
    return answer(false, "unknown: neither ompi_info nor mpichversion reports it", "");
}

}  // namespace

std::vector<capability> capabilities() {
    void* const loaded = mpi_library();
    const capability found = mpi(loaded);
    return {found, cuda_aware_mpi(found.available, loaded)};
}

}  // namespace watari::comm
