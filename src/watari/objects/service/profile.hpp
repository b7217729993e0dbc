/// The files of the AWS tools: ~/.aws/credentials and ~/.aws/config.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace watari::objects {

using profile = std::map<std::string, std::string>;

/// The values of one section of a file; nullopt if the file or the section is not there. Of `s3 =`
/// with indented lines only the name is kept.
std::optional<profile> section_of(const std::string& path, std::string_view section);

/// A value of a profile; empty if it has no such name.
std::string value_of(const profile& values, const char* name);

/// An environment variable; empty if it is not set.
std::string variable(const char* name);

/// Name of the profile: AWS_PROFILE, or `default`.
std::string profile_name();

/// The values of that profile in both files, those of the file of credentials first. Throws
/// usage_error if AWS_PROFILE names one that neither has.
profile chosen_profile();

}  // namespace watari::objects
