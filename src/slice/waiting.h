// Finds loops in which a thread may wait for another block.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "slice/function_body.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// Finds such loops in each function of a module once, however many kernels reach it. A loop may wait if data read from
// device memory decide whether it goes on, directly, through a call, or through shared memory.
// Loops of four kinds do not wait. They read another address in each iteration, only retry an exchange after an
// interference, halve a range that they search, or share out work over the grid. In the last kind, a read may only end
// the loop early.
class WaitFinder {
 public:
  // Keeps the bodies, which must outlive this.
  explicit WaitFinder(FunctionBodies& bodies) : bodies_(bodies) {}

  // Returns the reads by which loops of these functions may wait; one for each function that has any. The functions are
  // all that a kernel reaches.
  std::vector<const PtxInstruction*> find(const std::set<std::string_view>& reached);

 private:
  // The facts about one function.
  struct Waits {
    const PtxInstruction* read = nullptr;
    bool fills_shared = false;  // a loop puts values that it reads repeatedly into shared memory
  };
  const Waits& waits_of(std::string_view name, bool shared_changes);

  FunctionBodies& bodies_;
  std::map<std::string_view, Waits> alone_;   // if shared memory holds no such values
  std::map<std::string_view, Waits> beside_;  // if it does
};

}  // namespace wattune::slice
