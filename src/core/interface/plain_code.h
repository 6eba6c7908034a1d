// Removes comments and quoted text from a source, in languages whose comments and quotes are like C's.
#pragma once

#include <string>
#include <string_view>

namespace wattune::inline v0_1 {

// Tells whether the character can be part of an identifier.
bool is_word(char c);

// Returns the source with spaces in place of comments and of quoted text, so that all else keeps its position.
std::string without_comments(std::string_view source);

}  // namespace wattune
