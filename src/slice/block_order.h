// Finds the first instruction of a kernel that makes its results depend on the order in which its blocks run.
#pragma once

#include <optional>
#include <string_view>

#include "slice/function_body.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

struct OrderCause {
  const PtxInstruction* instruction = nullptr;
  std::string_view reason;
};

// Returns the first cause in the kernel and all that it calls. Causes are sums of floating-point numbers, exchanges,
// results of atomic operations, and reads that are meant to show other blocks' writes. In the kernel's own code, plain
// stores of several blocks to one place count too.
// nullopt is no proof: two blocks may store to one address that both computed.
std::optional<OrderCause> order_cause_of(const PtxFunction& entry, FunctionBodies& bodies);

}  // namespace wattune::slice
