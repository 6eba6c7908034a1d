// Finds instructions at which threads would wait for threads that have returned. In a persistent twin a thread that
// returned from one block stays alive for the next.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "slice/divergence.h"

namespace wattune::inline v0_1::slice {

// An instruction that a persistent twin must not contain.
struct Forbidden {
  const PtxInstruction* instruction = nullptr;
  std::string reason;
};

// The kinds of waits that the functions called by a kernel contain.
struct CalleeWaits {
  bool for_block = false;
  bool for_warp = false;
};

class EarlyReturns {
 public:
  struct Finding {
    std::vector<Forbidden> forbidden;
    bool votes = false;  // true if whole warps may return before a barrier and then have to take part in it by voting
  };

  // Prepares the analysis of an entry or of a function that it calls. Keeps a reference to the body, which must outlive
  // this object.
  EarlyReturns(const FunctionBody& body, const CalleeWaits& callees);

  // Adds to `finding` the problems that occur in thread blocks of this shape.
  void look(BlockShape shape, Finding& finding);

 private:
  bool holds_block(std::uint32_t index) const;
  bool holds_warp(std::uint32_t index) const;
  std::vector<bool> reach_end_without(bool (EarlyReturns::*holds)(std::uint32_t) const) const;
  void look_behind(std::uint32_t branch, Finding& finding);
  void miss_barrier(std::uint32_t index, Spread spread, Finding& finding);
  void forbid(std::uint32_t index, const char* reason, Finding& finding);
  bool finds_lanes_anew(std::uint32_t branch, std::uint32_t wait) const;

  const FunctionBody& body_;
  Divergence divergence_;
  std::vector<bool> for_block_;            // by instruction: true if it waits for all threads of the block
  std::vector<bool> for_warp_;             // by instruction: true if it waits for lanes of its warp
  std::vector<bool> has_wait_;             // by basic block: true if it has an instruction that waits
  std::vector<bool> ends_before_barrier_;  // by basic block: true if a path to the end has no barrier of the block
  std::vector<bool> ends_alone_;           // by basic block: true if a path to the end has no wait for all lanes
  std::set<std::pair<std::uint32_t, const char*>> known_;
};

// True if an instruction of the function waits for other threads. Only then do early returns matter.
bool has_waits(const PtxFunction& function, const CalleeWaits& callees);

}  // namespace wattune::slice
