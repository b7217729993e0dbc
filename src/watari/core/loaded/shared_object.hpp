/// Parts of this library that are separate shared objects, loaded on demand. They lie beside this
/// library, or on the loader's search path.
#pragma once

#include <string>

namespace watari {

struct shared_object {
    void* handle;  ///< of dlopen; null: not loaded. Never closed: threads of it may still run.
    std::string why_not;  ///< the loader's message
};

/// Whether shared objects that are loaded later can use the symbols of this one.
enum class symbols { its_own, everybodys };

/// The folder, with a slash, of the program or shared object that contains an address; empty if no
/// one has it.
std::string folder_of(const void* address);

/// Loads `file` from `folder`; by default from beside this library, or from the loader's search
/// path.
shared_object load_part(const std::string& file, const std::string& folder = "",
                        symbols whose = symbols::its_own);

/// The address of a symbol. If the library `file` has none: null, and the reason in `why_not`.
void* address_of(const shared_object& object, const std::string& file, const std::string& name,
                 std::string& why_not);

/// The same as a pointer to a function.
template <class Function>
void find_function(const shared_object& object, const std::string& file, const std::string& name,
                   Function*& function, std::string& why_not) {
    function = reinterpret_cast<Function*>(address_of(object, file, name, why_not));
}

}  // namespace watari
