// Finds in a kernel the first thing that makes its results depend on the order in which its blocks run.
#pragma once

#include <optional>
#include <string_view>

#include "slice/call_graph.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

struct OrderCause {
  const PtxInstruction* instruction = nullptr;
  std::string_view reason;
};

// The first, of the kernel and all that it calls: sums of floating-point numbers, exchanges, results of atomic
// operations, reads that other blocks' writes are to show in, and plain stores of several blocks to one place, of those
// that the kernel's own code shows. nullopt is no proof: two blocks may store to one address that both computed.
std::optional<OrderCause> order_cause_of(const PtxFunction& entry, const CallGraph& calls);

}  // namespace wattune::slice
