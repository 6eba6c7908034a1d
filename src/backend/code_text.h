// The text of a source as far as it is code.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace wattune::backend {

// With spaces for comments and for what stands in quotes, so that all else stays where it is.
std::string without_comments(std::string_view source);

// Part of an identifier.
bool is_word(char c);

std::vector<std::string> words_of(std::string_view text);

// Code in which '#' stands for a directive, and for a line that a condition may leave out.
struct PlainCode {
  std::string text;
  std::set<std::string> macros;  // that the source defines
};
PlainCode read_code(std::string_view source);

// What a type such as "real*" is called without the code's typedefs of values; itself where they are not clear.
std::string without_typedefs(const PlainCode& code, const std::string& type);

}  // namespace wattune::backend
