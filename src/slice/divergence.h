// Finds the branches at which the threads of a block may take different paths, and the code that some threads then
// skip.
#pragma once

#include <cstdint>
#include <vector>

#include "slice/function_body.h"
#include "slice/interface/analysis.h"
#include "slice/warp_values.h"

namespace wattune::inline v0_1::slice {

// A conservative analysis of one function: a value counts as different between threads unless it is known to be the
// same. Parameters of an entry are the same in all threads. Parameters of other functions, and values loaded from
// memory that other threads may write, count as different.
class Divergence {
 public:
  // Keeps a reference to the body, which must outlive this object.
  explicit Divergence(const FunctionBody& body);

  // Analyses all values for thread blocks of this shape. Must be called before the functions below.
  void assume(BlockShape shape);

  // Tells whether threads may take different successors of a basic block. The result is Spread::block if all threads of
  // the thread block take the same one, and Spread::warp if all threads of a warp do. Otherwise it is Spread::thread.
  // Returns Spread::block for a basic block with one successor.
  Spread of_branch(std::uint32_t block) const { return branches_[block]; }
  // Tells about the predicate that guards an instruction what of_branch() tells about a branch.
  Spread of_guard(std::uint32_t instruction) const;
  // Returns the basic blocks between a branch and the point where its paths join.
  std::vector<std::uint32_t> between(std::uint32_t block) const;

 private:
  // Tells whether an instruction gives equal results in different threads.
  enum class Making : std::uint8_t {
    plain,    // equal sources give equal results
    whole,    // like plain, and result_of() can compute more about the result
    same,     // gives equal results in all threads that run it
    differs,  // may give different results in threads with equal sources
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
  std::vector<Making> makings_;    // kind of each instruction
  std::vector<bool> decides_;      // by instruction: true if its result may reach a branch or a predicate
  std::vector<WarpValue> values_;  // by variable: all its definitions combined
  // By variable: its last value in the basic block that is being analysed, and the number of the analysis in which it
  // got this value. After a definition in the same block, other definitions of the variable do not matter.
  std::vector<WarpValue> latest_;
  std::vector<std::uint32_t> latest_look_;
  std::uint32_t look_ = 0;
  std::vector<Spread> branches_;
  std::vector<Spread> regions_;  // by basic block: the spread of the branches that decide whether a thread runs it
};

}  // namespace wattune::slice
