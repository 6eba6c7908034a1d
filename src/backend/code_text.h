// The text of a source as far as it is code.
#pragma once

#include <string>
#include <string_view>

namespace wattune::backend {

// With spaces for comments and for what stands in quotes, so that all else stays where it is.
std::string without_comments(std::string_view source);

// Part of an identifier.
bool is_word(char c);

}  // namespace wattune::backend
