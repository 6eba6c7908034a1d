// Recognises loops that end or advance independently of other blocks' writes. Such loops read new addresses, retry an
// atomic exchange only if another thread interfered, halve a range that they search, or distribute the grid's work.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "slice/function_body.h"

namespace wattune::inline v0_1::slice {

class LoopProgress {
 public:
  // Analyses a loop of a function. Keeps references to both arguments, which must outlive this object.
  LoopProgress(const FunctionBody& body, const Loop& loop);

  // True if a read has another address in each iteration. Then it does not observe changes of one address.
  bool moves_on(std::uint32_t read) const;
  // True if a read may have the same address in each iteration. Calls count as such reads.
  bool reads_one_place(std::uint32_t read) const;
  // True if the loop ends as soon as its compare-and-swap finds the value that the swap itself, or a read, last
  // returned for that address.
  bool only_retries() const;
  // True if the loop halves the range between two bounds, and ends when they meet.
  bool closes_in() const;
  // True if the loop's counter grows by a multiple of the number of blocks in the grid, up to a bound. Such a loop
  // distributes work among the blocks.
  bool strides_over_grid() const;

 private:
  const PtxInstruction& instruction(std::uint32_t index) const { return body_.function.instructions[index]; }
  bool is_inside(std::uint32_t block) const { return inside_[block]; }
  bool on_every_way(std::uint32_t block) const;
  bool happens_every_time(std::uint32_t index) const;
  std::vector<std::uint32_t> definitions(VariableNumber variable) const;
  std::optional<std::uint32_t> only_definition(VariableNumber variable) const;
  VariableNumber variable(const PtxOperand& operand, std::uint32_t index) const;
  bool stays(const PtxOperand& address, std::uint32_t index) const;

  std::optional<std::int64_t> increment(VariableNumber variable) const;
  std::optional<std::int64_t> step(const PtxOperand& operand, std::uint32_t index, int depth) const;
  std::optional<std::int64_t> step_of_result(std::uint32_t index, int depth) const;
  bool is_swap(std::uint32_t index) const;
  bool is_found(const PtxOperand& operand, std::uint32_t index, std::uint32_t swap, int depth) const;
  std::optional<std::uint32_t> deciding_test(std::uint32_t block) const;
  bool ends_if(std::uint32_t block, bool test) const;
  bool ends_when_equal(std::uint32_t block, std::uint32_t swap) const;
  bool ends_when_bounds_meet(std::uint32_t block) const;
  bool halves(const PtxOperand& low, const PtxOperand& high, std::uint32_t test) const;
  bool is_middle(const PtxOperand& middle, std::uint32_t user, VariableNumber low, VariableNumber high) const;
  std::optional<std::uint32_t> halved(std::optional<std::uint32_t> index) const;
  bool is_shift_by(std::uint32_t index, std::initializer_list<std::uint64_t> numbers) const;
  bool is_plain(std::uint32_t index, std::string_view opcode, std::size_t operands) const;
  bool is_conversion(std::uint32_t index) const;
  bool comes_from(const PtxOperand& operand, std::uint32_t index, VariableNumber variable) const;
  std::optional<std::uint32_t> earlier_result(const PtxOperand& operand, std::uint32_t user) const;
  bool ends_behind_stride(std::uint32_t block) const;
  bool is_unchanged(const PtxOperand& operand, std::uint32_t index) const;
  bool is_grid_stride(const PtxOperand& operand, std::uint32_t index, int depth) const;
  std::optional<std::uint32_t> earlier_definition(const PtxOperand& operand, std::uint32_t user) const;
  bool is_variable(const PtxOperand& operand, std::uint32_t index, VariableNumber variable) const;

  const FunctionBody& body_;
  const Loop& loop_;
  std::vector<bool> inside_;  // by basic block: true if the block is in the loop
  mutable std::unordered_map<std::uint32_t, bool> on_every_way_;
};

}  // namespace wattune::slice
