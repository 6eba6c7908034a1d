// Writes names and values in the form that a C header needs.
#pragma once

#include <string>
#include <string_view>

#include "wattune/core/value.h"

namespace wattune::inline v0_1::report {

// Returns the text as a C identifier, or as a part of one: other characters become underscores.
std::string identifier(std::string_view text);

std::string upper(std::string text);

// Returns the macro of a parameter. It keeps every underscore, unlike other names, because the kernel uses it as it is.
std::string parameter_macro(const std::string& name);

// Returns the text changed such that it cannot end the C comment in which it stands.
std::string in_comment(std::string_view text);

// Returns a literal of C, with its quotes.
std::string c_string(std::string_view text);

// Returns the replacement text of a macro for this value.
std::string replacement(const Value& value);

}  // namespace wattune::report
