// Decides the condition of an #if, as far as the known definitions allow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace wattune::inline v0_1::backend {

// The text that each macro stands for; nullopt if that is unclear, as for a function-like macro.
using Definitions = std::map<std::string, std::optional<std::string>>;

// True if a compiler may define the name itself.
bool may_be_predefined(std::string_view name);

// Decides a condition; nullopt if the result is not certain. If the definitions are `complete`, a name without a
// definition counts as undefined, unless a compiler may define it itself.
std::optional<bool> decide(std::string_view condition, const Definitions& definitions, bool complete);
// Decides an #ifdef; nullopt if the result is not certain.
std::optional<bool> is_defined(const std::string& name, const Definitions& definitions, bool complete);

// Returns the value of a constant expression of integers; nullopt if the text is not such an expression, or a name in
// it has no definition.
std::optional<std::int64_t> value_of(std::string_view expression, const Definitions& definitions);

// Returns the text with all macros replaced; nullopt if one of them is unclear.
std::optional<std::string> expanded(std::string_view text, const Definitions& definitions);

}  // namespace wattune::backend
