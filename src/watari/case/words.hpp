/// The words of axes that several cases have: processors, kinds of memory, pages.
#pragma once

#include "watari/core/members.hpp"
#include "watari/core/processor.hpp"
#include "watari/memory/kind.hpp"

#include <string_view>

namespace watari::cases {

/// Parses `cpu`, `gpu` or `gpu:1`. Throws usage_error.
processor processor_named(std::string_view word);

/// Returns the number after a colon: 1 for `gpu:1` and `device:1`, 0 for `gpu`. Throws usage_error.
int gpu_number_in(std::string_view word);

/// The kind of this name: device of `device:1`. Throws usage_error.
memory::kind kind_named(std::string_view word);

inline constexpr word<memory::huge_pages> huge_pages[] = {{"default", memory::huge_pages::as_set},
                                                          {"always", memory::huge_pages::always},
                                                          {"never", memory::huge_pages::never}};

}  // namespace watari::cases
