// Finds the branches that the threads of a block may take differently, and the code that some threads then miss.
#pragma once

#include <cstdint>
#include <vector>

#include "slice/function_body.h"
#include "slice/interface/analysis.h"
#include "slice/warp_values.h"

namespace wattune::inline v0_1::slice {

// A conservative analysis of one function: values count as different unless they are known to be the same. The
// parameters of an entry are the same everywhere. Parameters of other functions and values loaded from memory that
// others write are not known to be.
class Divergence {
 public:
  // Keeps the body, which must outlive this.
  explicit Divergence(const FunctionBody& body);

  // Follows all values in blocks of this shape. It comes before all questions.
  void assume(BlockShape shape);

  // Returns block, warp or thread: the spread of the value that decides where the block goes. It is Spread::block if
  // the block has only one successor.
  Spread of_branch(std::uint32_t block) const { return branches_[block]; }
  // Returns the same for the predicate in front of an instruction.
  Spread of_guard(std::uint32_t instruction) const;
  // Returns the blocks between a branch and the point where its ways meet again.
  std::vector<std::uint32_t> between(std::uint32_t block) const;

 private:
  // The way in which an instruction makes its results.
  enum class Making : std::uint8_t {
    plain,    // from its sources alone; equal sources give equal results
    whole,    // so, and result_of() knows it
    same,     // the same in all threads that run it
    differs,  // perhaps different in threads with equal sources
  };

  void mark_what_decides();
  Making making_of(const PtxInstruction& instruction) const;
  Making making_of_load(const PtxInstruction& load) const;
  WarpValue initial_value(VariableNumber variable, BlockShape shape) const;
  bool pass();
  bool note_results(std::uint32_t instruction, std::uint32_t block);
  WarpValue result_of(std::uint32_t instruction, std::uint32_t block) const;
  WarpValue value(VariableNumber variable) const;
  WarpValue value_of(const PtxOperand& operand, const PtxInstruction& instruction) const;
  Spread of_reads(std::uint32_t instruction) const;
  bool look_at_branch(std::uint32_t block);

  const FunctionBody& body_;
  std::vector<Making> makings_;    // by instruction
  std::vector<bool> decides_;      // by instruction: its result may reach a branch or a predicate
  std::vector<WarpValue> values_;  // by variable, of all its definitions together
  // By variable: the value that it got last in the block of code that is looked at, and the number of that look. Other
  // definitions of the variable do not matter behind it.
  std::vector<WarpValue> latest_;
  std::vector<std::uint32_t> latest_look_;
  std::uint32_t look_ = 0;
  std::vector<Spread> branches_;
  std::vector<Spread> regions_;  // for each block, the spread of the branches that decide whether a thread runs it
};

}  // namespace wattune::slice
