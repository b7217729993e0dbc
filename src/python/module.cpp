// The start of a Python module: of libwatari's, and of the one of each case. It binds what its
// files have registered. Arguments are the plain parameters of a case (python/watari/cases); a
// trial is returned as the dict that a result file keeps.
#include "module.hpp"

#include "watari/core/error.hpp"

#include <exception>
#include <vector>

namespace {

using namespace watari;

/// C++ errors become the Python class of the same name in watari.common.errors.TABLE.
void raise_as_python(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const error& e) {
        const nb::object table = nb::module_::import_("watari.common.errors").attr("TABLE");
        // names of files need not be UTF-8
        const nb::object text = nb::steal(PyUnicode_DecodeFSDefault(e.what()));
        PyErr_SetObject(nb::object(table[e.name()]).ptr(), text.ptr());
    }
}

}  // namespace

/// Returns the functions that bind the contents of each file.
std::vector<void (*)(nb::module_&)>& bindings() {
    static std::vector<void (*)(nb::module_&)> all;
    return all;
}

binding::binding(void (*bind)(nb::module_&)) { bindings().push_back(bind); }

NB_MODULE(_native, module) {
    module.doc() = "A part of libwatari";
    nb::register_exception_translator(raise_as_python);
    for (const auto bind : bindings()) bind(module);
}
