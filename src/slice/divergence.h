// Finds the branches that the threads of a block may take differently, and the code that some threads then miss.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "slice/flow.h"

namespace wattune::inline v0_1::slice {

// The set of threads in which a value is the same.
enum class Spread : std::uint8_t {
  block,   // in all threads
  warp,    // in all threads of a warp
  index,   // %tid.x in a kernel with one axis of threads; comparing it with 32, 64... gives the same in a warp
  thread,  // not known to be the same in any two threads
};

// A conservative analysis of one function: values count as different unless they are known to be the same. The
// parameters of an entry are the same everywhere. Values loaded from memory that others write are not.
class Divergence {
 public:
  Divergence(const PtxFunction& function, const Flow& flow);

  // Returns the spread of the value that decides where the block goes; Spread::block if it has only one successor.
  Spread of_branch(std::uint32_t block) const { return branches_[block]; }
  // Returns the blocks between a branch and the point where its ways meet again.
  std::vector<std::uint32_t> between(std::uint32_t block) const;
  std::uint32_t meeting_point(std::uint32_t block) const { return post_dominators_[block]; }

 private:
  bool pass();
  bool raise(std::string_view name, Spread spread);
  Spread of(std::string_view name) const;
  Spread of(const PtxOperand& operand) const;
  Spread result_of(const PtxInstruction& instruction) const;
  Spread of_sources(const PtxInstruction& instruction) const;
  Spread of_load(const PtxInstruction& instruction) const;
  bool assign(const PtxOperand& destination, Spread spread);
  bool look_at_branch(std::uint32_t block);

  const PtxFunction& function_;
  const Flow& flow_;
  std::vector<std::uint32_t> post_dominators_;
  bool one_axis_ = true;
  std::unordered_map<std::string_view, Spread> values_;
  std::vector<Spread> branches_;
  std::vector<Spread> regions_;  // for each block, the spread of the branches that decide whether a thread runs it
};

}  // namespace wattune::slice
