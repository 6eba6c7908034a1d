// Finds loops in which a thread may wait for another thread block.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "slice/function_body.h"
#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

// Finds loops that may wait for other thread blocks. Analyses each function of a module once, even if several kernels
// reach it. A loop may wait if data from device memory decide whether it continues, either directly, through a call, or
// through shared memory. Loops of four kinds do not wait: they read another address in each iteration, retry an
// exchange only if another thread interfered, halve a range that they search, or distribute work over the grid. In
// loops of the last kind, a read can only end the loop early.
class WaitFinder {
 public:
  // Keeps a reference to the bodies, which must outlive this object.
  explicit WaitFinder(FunctionBodies& bodies) : bodies_(bodies) {}

  // Returns the reads on which loops of these functions may wait, one read for each function that has such a loop.
  // `reached` must hold all functions that a kernel reaches.
  std::vector<const PtxInstruction*> find(const std::set<std::string_view>& reached);

 private:
  // The results of the analysis of one function.
  struct Waits {
    const PtxInstruction* read = nullptr;
    bool fills_shared = false;  // true if a loop writes values to shared memory that it reads repeatedly
  };
  const Waits& waits_of(std::string_view name, bool shared_changes);

  FunctionBodies& bodies_;
  std::map<std::string_view, Waits> alone_;   // results by function, if no value in shared memory is read in a loop
  std::map<std::string_view, Waits> beside_;  // results, by function, if shared memory may hold such values
};

}  // namespace wattune::slice
