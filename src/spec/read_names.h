// Collects the texts of a spec and its sources in which parameters may be named.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::spec {

// True if the text contains the word, and not only as a part of a longer word.
bool has_word(std::string_view text, std::string_view word);

// Returns all texts in which a parameter may be used as a macro: the kernel's sources without comments, the files that
// they include, and compile options. Returns nullopt if a source or an included file cannot be read.
std::optional<std::string> code_of(const KernelSpec& spec);

// Returns all expressions of the spec: arguments, launches, constraints, metrics and objectives.
std::string expressions_of(const KernelSpec& spec);

}  // namespace wattune::inline v0_1::spec
