// Finds the code in a source's text, and resolves its macros and typedefs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/compile/condition.h"
#include "core/interface/plain_code.h"
#include "wattune/backend/device.h"
#include "wattune/core/kernel_source.h"

namespace wattune::inline v0_1::backend {

std::vector<std::string> words_of(std::string_view text);

// The code that a compiler sees, with the user's headers inserted. A '#' takes the place of a conditional directive
// that cannot be decided, and of each line that such a condition may leave out.
struct PlainCode {
  std::string text;
  Definitions macros;  // macros at the end of the code: those of the source, its options and its parameters
};
PlainCode read_code(const KernelSource& source, std::span<const Macro> macros);
PlainCode read_code(std::string_view text);

// Returns a type such as "real*" with the code's macros and typedefs resolved; the type itself if the definitions are
// not clear.
std::string without_typedefs(const PlainCode& code, const std::string& type);

}  // namespace wattune::backend
