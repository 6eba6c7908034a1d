// Which symbol of a program is the function that the user named.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wattune/core/result.h"

namespace wattune::backend::cuda {

// A symbol of C++ as it is declared, without anonymous namespaces: "void scale<32>(float*)".
std::optional<std::string> demangled(const std::string& symbol);

// The function of a symbol as C++ spells it, without its type and anonymous namespaces: "scale<32>" for
// _Z5scaleILi32EEvPf; the symbol itself when it is no C++ name.
std::string function_of_symbol(const std::string& symbol);

// The index of `wanted` in `symbols`: the symbol itself, else the one function of that name (of any template arguments,
// when the user gave none or no instance is spelt like that). not_found, naming the functions that exist; mismatch when
// several fit.
Result<std::size_t> find_function(const std::string& wanted, const std::vector<std::string>& symbols);

}  // namespace wattune::backend::cuda
