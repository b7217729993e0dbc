/// View factors kept in a file, by the hash of the city and of all else that they follow from.
///
/// The file: a header (what it is, the hash, the number of facets and of non-zeros, checksums of
/// pieces of 16 MiB and one of the header), then the length of each row, columns and values. It is
/// written beside its place and renamed when it is complete, and read only if every checksum
/// agrees.
#pragma once

#include "views.hpp"

#include <optional>
#include <string>

namespace watari::les {

/// The name of the file: the hash in 32 digits, and `.views`.
std::string view_file_name(const parameters& p, std::size_t rays = usual_rays);

/// The view factors of a file; none if it is absent, damaged or of another city.
std::optional<view_factors> read_views(const std::string& path, const parameters& p,
                                       const facet_list& facets, std::size_t rays = usual_rays);

/// Throws file_error.
void write_views(const std::string& path, const view_factors& views, const parameters& p,
                 std::size_t rays = usual_rays);

}  // namespace watari::les
