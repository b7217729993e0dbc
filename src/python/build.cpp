// How this package was built.
#include "module.hpp"

#include "build_facts.hpp"

namespace {

using namespace watari;

nb::dict build() {
    nb::dict result;
    result["version"] = build_facts::version;
    result["revision"] = build_facts::revision;
    result["compiler"] = build_facts::compiler;
    result["flags"] = build_facts::flags;
    result["cuda"] = build_facts::cuda;
    return result;
}

}  // namespace

static const binding facts([](nb::module_& module) {
    module.def("build", build,
               "How this module was built: version, revision, compiler, flags, cuda.");
});
