// Functions on the host by one signature: behind the user's source stands a function for each call of the spec, which
// takes the addresses of the arguments, and whose body the compiler checks against the user's function.
//
// Each is on lines of its own, under a file name of its own, so that the compiler's log tells which call is wrong, and
// at which argument.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/kernel_spec.h"

namespace wattune::backend::host {

// Of the function that makes the call of this number: void(void** arguments), arguments[i] being the address of i.
std::string symbol_of_call(std::size_t number);
// Of its constant array of the sizes of the arguments, an unsigned long each.
std::string symbol_of_sizes(std::size_t number);

// The source with the calls at the numbers that `wanted` tells.
std::string with_calls(const KernelSource& source, const std::vector<bool>& wanted);

// What a log says against the call of this number, with the argument if it is one's fault; none when it says nothing.
std::optional<std::string> objection_to(const FunctionCall& call, std::size_t number, std::string_view log);

}  // namespace wattune::backend::host
