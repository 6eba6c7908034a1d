// What module variables hold at first.
#pragma once

#include <span>

#include "simulate/ptx/names.h"
#include "wattune/core/result.h"

namespace wattune::simulate::ptx {

// Bytes that the variable takes; where its first value decides how many elements it has, with those.
Result<std::uint64_t> variable_bytes(const slice::PtxTree& tree, const slice::PtxVariable& variable);
// Precondition: as many bytes, which are zeros.
Result<void> write_initial_value(const slice::PtxTree& tree, const slice::PtxVariable& variable,
                                 const ModuleNames& names, std::span<std::byte> bytes);

}  // namespace wattune::simulate::ptx
