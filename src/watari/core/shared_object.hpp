/// Parts of this library that are shared objects of their own, loaded when asked for. They lie
/// beside the program or Python module that the library was linked into, or where the loader looks.
#pragma once

#include <string>

namespace watari {

struct shared_object {
    void* handle;         ///< of dlopen; null: not loaded. Never closed: what it started lives on.
    std::string why_not;  ///< the loader's words
};

/// Whether the symbols of a shared object serve those that it loads itself.
enum class symbols { its_own, everybodys };

/// Loads `file` from `folder`; by default from beside this library, or from where the loader looks.
shared_object load_part(const std::string& file, const std::string& folder = "",
                        symbols whose = symbols::its_own);

/// The address of a symbol; null, and why in `why_not`, where the library `file` has none.
void* address_of(const shared_object& object, const std::string& file, const std::string& name,
                 std::string& why_not);

/// The same as the function that it is.
template <class Function>
void find_function(const shared_object& object, const std::string& file, const std::string& name,
                   Function*& function, std::string& why_not) {
    function = reinterpret_cast<Function*>(address_of(object, file, name, why_not));
}

}  // namespace watari
