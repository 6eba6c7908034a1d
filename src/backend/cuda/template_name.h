// Compares the names of template instances, which users, compilers and demanglers spell in different ways.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wattune::inline v0_1::backend::cuda {

// A function's name and the arguments of its template.
struct TemplateName {
  std::string function;                // "scale" of "scale<32, float>"
  std::vector<std::string> arguments;  // arguments in their normal form; empty if the name has none
};

// Parses a name. In the normal form a value is its number ("32" for 4 * 8, 32u, 0x20 or (int)32; "1" for true), and a
// type is spelt as demanglers do ("unsigned int" for unsigned, uint or std::uint32_t). Anything else stays as it is,
// but without spaces.
TemplateName template_name(std::string_view name);

// Tells whether `instance`, as a demangler spells it, is the wanted instance of a template. If not `exact`, an argument
// that only a compiler understands ("kBlock", "Mode::fast", "real") may match any argument. The last arguments may then
// also be missing, because templates have defaults.
bool fits(const TemplateName& wanted, const TemplateName& instance, bool exact);

}  // namespace wattune::backend::cuda
