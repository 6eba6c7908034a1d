// The text of a source as far as it is code.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/condition.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_source.h"

namespace wattune::backend {

// With spaces for comments and for what stands in quotes, so that all else stays where it is.
std::string without_comments(std::string_view source);

// Part of an identifier.
bool is_word(char c);

std::vector<std::string> words_of(std::string_view text);

// The code that a compiler comes to, with the user's headers in their places. '#' stands for a directive, and for a
// line of which it is not clear whether a condition leaves it out.
struct PlainCode {
  std::string text;
  Definitions macros;  // at its end: of the source, its options, and its parameters
};
PlainCode read_code(const KernelSource& source, std::span<const Macro> macros);
PlainCode read_code(std::string_view text);

// What a type such as "real*" is called without the code's macros and typedefs of values; itself where they are not
// clear.
std::string without_typedefs(const PlainCode& code, const std::string& type);

}  // namespace wattune::backend
