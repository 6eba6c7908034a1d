// Finds instructions at which threads would wait for others that have returned, because those still live in a
// persistent twin.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "slice/divergence.h"

namespace wattune::inline v0_1::slice {

// An instruction that a persistent twin cannot have.
struct Forbidden {
  const PtxInstruction* instruction = nullptr;
  std::string reason;
};

// The waits in functions that a kernel calls.
struct CalleeWaits {
  bool for_block = false;
  bool for_warp = false;
};

class EarlyReturns {
 public:
  struct Finding {
    std::vector<Forbidden> forbidden;
    bool votes = false;  // whole warps may return before a barrier, and would have to vote there
  };

  // Prepares the analysis of an entry or a function that it calls. Keeps the body, which must outlive this.
  EarlyReturns(const FunctionBody& body, const CalleeWaits& callees);

  // Adds what is found in blocks of this shape.
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
  std::vector<bool> for_block_;            // by instruction: it waits for the threads of the block
  std::vector<bool> for_warp_;             // by instruction: it waits for lanes
  std::vector<bool> has_wait_;             // by block of code
  std::vector<bool> ends_before_barrier_;  // by block of code: a way from it to the end has no wait for the block
  std::vector<bool> ends_alone_;           // by block of code: a way from it to the end has no wait for lanes
  std::set<std::pair<std::uint32_t, const char*>> known_;
};

// Tells whether an instruction of the function waits, so that its returns matter.
bool has_waits(const PtxFunction& function, const CalleeWaits& callees);

}  // namespace wattune::slice
