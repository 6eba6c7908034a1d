// Writes the initial values of module variables.
#pragma once

#include <span>

#include "simulate/ptx/names.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::simulate::ptx {

// Returns the size of a variable in bytes. If no number of elements is declared, the elements of the initial value are
// counted.
Result<std::uint64_t> variable_bytes(const slice::PtxTree& tree, const slice::PtxVariable& variable);
// Writes the initial value. Precondition: `bytes` has the variable's size and is zero.
Result<void> write_initial_value(const slice::PtxTree& tree, const slice::PtxVariable& variable,
                                 const ModuleNames& names, std::span<std::byte> bytes);

}  // namespace wattune::simulate::ptx
