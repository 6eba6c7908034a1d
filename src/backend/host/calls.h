// Makes functions on the host callable through one signature. For each call of the spec, a function is appended to the
// user's source. It takes the addresses of the arguments and calls the user's function, so that the compiler checks the
// types.
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

// Returns the name of the function that makes this call: double(void** arguments), where arguments[i] is the address of
// argument i. It returns what the call returns if the source has a returned_unit, and 0 otherwise.
std::string symbol_of_call(std::size_t number);
// Returns the name of the constant array that holds the sizes of this call's arguments, as unsigned longs.
std::string symbol_of_sizes(std::size_t number);

// True if the call's text does not know what the function returns, because it is cast to take the spec's struct.
bool hides_result(Language language, const FunctionCall& call);

// Returns the source followed by those calls that are marked in `wanted`.
std::string with_calls(const KernelSource& source, const std::vector<bool>& wanted);

// Returns the compiler's error about the call of this number, with the argument that is at fault, if any. Returns
// nullopt if the log has no such error.
std::optional<std::string> objection_to(const FunctionCall& call, std::size_t number, std::string_view log);

}  // namespace wattune::backend::host
