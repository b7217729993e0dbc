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

}  // namespace watari
