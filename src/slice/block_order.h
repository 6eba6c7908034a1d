// Finds the first instruction by which a kernel's results depend on the order in which its blocks run.
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

// Returns the first cause in the kernel and the functions it calls. Causes are atomic sums of floating-point numbers,
// atomic exchanges, atomic operations whose result is used, and volatile or similar reads that show other blocks'
// writes. In the kernel's own code, plain stores of several blocks to one address count too. If it returns nullopt, the
// order may still have an effect: two blocks may compute the same address and store to it.
std::optional<OrderCause> order_cause_of(const PtxFunction& entry, FunctionBodies& bodies);

}  // namespace wattune::slice
