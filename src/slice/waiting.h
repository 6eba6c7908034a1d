// Loops in which a thread may wait for what another block does.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "slice/call_graph.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

// Looks at each function of a module once, whatever number of kernels reach it. A loop may wait where it goes on or
// ends by what it read of device memory, directly, through a call, or through shared memory. It does not where each
// time round reads another address, where it only tries an exchange again after somebody came between, where it
// halves what it searches, nor where it shares out work over the grid and a read only ends it early.
class WaitFinder {
 public:
  // The graph must outlive this.
  explicit WaitFinder(const CallGraph& calls) : calls_(calls) {}

  // The reads by which loops of these functions, all that a kernel reaches, may wait; one of each function that has
  // any.
  std::vector<const PtxInstruction*> find(const std::set<std::string_view>& reached);

 private:
  // Facts of one function.
  struct Waits {
    const PtxInstruction* read = nullptr;
    bool fills_shared = false;  // a loop puts into shared memory what it reads again and again
  };
  const Waits& waits_of(std::string_view name, bool shared_changes);

  const CallGraph& calls_;
  std::map<std::string_view, Waits> alone_;   // where shared memory holds nothing of that kind
  std::map<std::string_view, Waits> beside_;  // where it does
};

}  // namespace wattune::slice
