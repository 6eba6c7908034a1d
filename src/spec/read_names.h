// The words of a spec and its sources, among which parameters are looked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::spec {

// True if the text has the word as a word of its own.
bool has_word(std::string_view text, std::string_view word);

// Returns all that may read a parameter which is a macro: the kernel's sources without comments, the files that they
// include, and compile options. Returns nullopt if a source or an included file cannot be read.
std::optional<std::string> code_of(const KernelSpec& spec);

// Returns all expressions of the spec: arguments, launches, constraints, metrics and objectives.
std::string expressions_of(const KernelSpec& spec);

}  // namespace wattune::inline v0_1::spec
