// Names and values as they stand in a C header.
#pragma once

#include <string>
#include <string_view>

#include "wattune/core/value.h"

namespace wattune::report {

// A C identifier, or the rest of one: other characters become underscores.
std::string identifier(std::string_view text);

std::string upper(std::string text);

// Unlike other names, a parameter's keeps every underscore: the kernel uses it as it is.
std::string parameter_macro(const std::string& name);

// Text that does not end the comment in which it stands.
std::string in_comment(std::string_view text);

// A literal of C, with its quotes.
std::string c_string(std::string_view text);

// What a macro of this value is replaced by.
std::string replacement(const Value& value);

}  // namespace wattune::report
