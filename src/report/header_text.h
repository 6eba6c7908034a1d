// Writes names and values in the form that a C header needs.
#pragma once

#include <string>
#include <string_view>

#include "wattune/core/value.h"

namespace wattune::inline v0_1::report {

// Returns the text as a C identifier, or as a part of an identifier. Underscores take the place of all other
// characters.
std::string identifier(std::string_view text);

std::string upper(std::string text);

// Returns the macro of a parameter. It keeps every underscore, unlike other names, because the kernel's code contains
// this name.
std::string parameter_macro(const std::string& name);

// Returns the text, changed such that it cannot end the C comment in which it is written.
std::string in_comment(std::string_view text);

// Returns the text as a string literal of C, with its quotes.
std::string c_string(std::string_view text);

// Returns the replacement text of a macro for this value.
std::string replacement(const Value& value);

}  // namespace wattune::report
