// Functions on the host behind one signature. Behind the user's source stands a function for each call of the spec,
// which takes the addresses of the arguments. The compiler checks its body against the user's function.
//
// Each such function is on lines of its own, under a file name of its own, so that the compiler's log tells which call
// is wrong, and at which argument.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::backend::host {

// Returns the name of the function that makes this call: void(void** arguments), where arguments[i] is the address of
// i.
std::string symbol_of_call(std::size_t number);
// Returns the name of its constant array with the sizes of the arguments, an unsigned long each.
std::string symbol_of_sizes(std::size_t number);

// Returns the source with the calls whose numbers are marked in `wanted`.
std::string with_calls(const KernelSource& source, const std::vector<bool>& wanted);

// Returns the log's objection to the call of this number, with the argument if one is at fault; nullopt if there is
// none.
std::optional<std::string> objection_to(const FunctionCall& call, std::size_t number, std::string_view log);

}  // namespace wattune::backend::host
