/// What an answer of a server means.
#pragma once

#include "watari/objects/service/curl.hpp"
#include "watari/objects/transfers.hpp"

#include <string>
#include <string_view>

namespace watari::objects {

/// The text between <name> and </name>, with &amp; and the like replaced; empty if there is none.
/// Removes it and all before it from `xml`.
std::string take_element(std::string_view& xml, std::string_view name);
std::string element(std::string_view xml, std::string_view name);

/// Why another attempt may succeed where this one did not; empty if it is no such answer.
std::string reason_to_repeat(const http_answer& answer);

/// Why an answer is not the range that was asked for; empty if it is.
std::string wrong_range(const http_answer& answer, const object_facts& of, std::uint64_t offset,
                        std::size_t bytes);

/// Throws changed_error unless the answer is of the same version of the object.
void require_same(const http_answer& answer, const object_facts& of);

/// Throws the error of an answer that is no success: file_error, changed_error, service_error.
[[noreturn]] void refused(const http_answer& answer, const question& asked, const service& server);

}  // namespace watari::objects
