#include "watari/case/directive.hpp"

#include "watari/core/error.hpp"
#include "watari/core/shared_object.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

namespace watari::cases {

void* load_directive(const std::string& application, const style_facts& row,
                     const std::string& folder) {
    const std::string style(row.name);
    const bool acc = row.language == directives::openacc;
    const std::string file = "libwatari_" + application + (acc ? "_acc.so" : "_omp.so");
    // never unloaded: libgomp keeps the code that it has loaded onto the GPU
    const shared_object library = load_part(file, folder);
    if (library.handle == nullptr)
        throw unsupported("style " + style + " needs " + (acc ? "OpenACC" : "OpenMP target") +
                          " for NVIDIA GPUs when Watari is built: GCC with the package "
                          "gcc-12-offload-nvptx (Debian) or gcc-13-offload-nvptx (Ubuntu) [" +
                          library.why_not + "]");
    std::string name = style;
    std::replace(name.begin(), name.end(), '-', '_');
    void* symbol = dlsym(library.handle, name.c_str());
    if (symbol == nullptr) throw unsupported("style " + style + " is not in " + file);
    return symbol;
}

void require_ran(const directive::answer& answer, const std::string& style, processor who) {
    if (answer.no_device)
        throw unsupported("style " + style + ": libgomp finds no GPU " +
                          std::to_string(who.number) +
                          "; its plugin is in the package libgomp-plugin-nvptx1");
    if (who.is_gpu() && !answer.ran_on_gpu)
        throw error("style " + style + " did not run on the GPU");
}

void record(measure::trial& into, const directive::answer& answer) {
    const std::pair<const char*, double> parts[] = {{"allocate", answer.allocate},
                                                    {"transfer_in", answer.transfer_in},
                                                    {"transfer_out", answer.transfer_out},
                                                    {"release_device", answer.release_device},
                                                    {"read", answer.read},
                                                    {"release", answer.release}};
    double sum = 0;
    for (const auto& [name, seconds] : parts) {
        if (seconds == 0) continue;
        into.quantities[name] = {seconds, "s"};
        sum += seconds;
    }
    into.quantities["outside_loop"] = {sum, "s"};
    into.quantities["ran_on_gpu"] = {static_cast<double>(answer.ran_on_gpu), "1"};
}

}  // namespace watari::cases
