// The condition behind an #if, as far as the definitions that are known decide it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace wattune::backend {

// What a name stands for; none: that is not clear, as of a function-like one.
using Definitions = std::map<std::string, std::optional<std::string>>;

// True for names that a compiler may define itself.
bool may_be_predefined(std::string_view name);

// True or false where it is certain. `complete`: what is not among the definitions is not defined, unless the compiler
// itself may define it.
std::optional<bool> decide(std::string_view condition, const Definitions& definitions, bool complete);
// Of #ifdef.
std::optional<bool> is_defined(const std::string& name, const Definitions& definitions, bool complete);

// The text with words that stand for others replaced; none where one is not clear.
std::optional<std::string> expanded(std::string_view text, const Definitions& definitions);

}  // namespace wattune::backend
