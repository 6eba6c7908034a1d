// Which branches the threads of a block may take differently, and what they may then miss.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "slice/flow.h"

namespace wattune::slice {

// How far a value is the same.
enum class Spread : std::uint8_t {
  block,   // in all threads
  warp,    // in all threads of a warp
  index,   // it is %tid.x in a kernel that knows one axis of threads: comparing it with 32, 64... is alike in a warp
  thread,  // nowhere that is known
};

// Conservative: what is not known to be the same is not. Of one function whose parameters, if it is an entry, are the
// same everywhere; values loaded from memory that others write are not.
class Divergence {
 public:
  Divergence(const PtxFunction& function, const Flow& flow);

  // Of what decides where the block goes; Spread::block where it has one way only.
  Spread of_branch(std::uint32_t block) const { return branches_[block]; }
  // The blocks between a branch and where its ways meet again.
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
  std::vector<Spread> regions_;  // of each block: what decided that threads are there
};

}  // namespace wattune::slice
