// Finds the symbol of a program that belongs to a function named by the user.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::inline v0_1::backend::cuda {

// Returns the declaration of a C++ symbol, without anonymous namespaces: "void scale<32>(float*)".
std::optional<std::string> demangled(const std::string& symbol);

// Returns the name of a symbol's function as C++ spells it, without its return type and anonymous namespaces:
// "scale<32>" for _Z5scaleILi32EEvPf. Returns the symbol itself if it is no C++ name.
std::string function_of_symbol(const std::string& symbol);

// Returns the index of `wanted` in `symbols`: that of the symbol itself, or else that of the only function of that
// name. Arguments of templates may be spelt in any way ("4 * 8", "unsigned", "std::uint32_t"). If `wanted` has no
// template arguments, any instance matches. An argument that only a compiler understands matches any argument. Fails
// with not_found, naming functions that exist, or with mismatch if several match, naming their symbols. Both errors
// name at most five.
Result<std::size_t> find_function(const std::string& wanted, const std::vector<std::string>& symbols);

}  // namespace wattune::backend::cuda
