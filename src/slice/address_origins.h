// Which values of a function are addresses in variables of one state space.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "slice/call_graph.h"
#include "slice/variables.h"
#include "wattune/slice/ptx_tree.h"

namespace wattune::slice {

// All values are taken to be such addresses, until a definition is found that makes another of them. What memory holds
// and what an entry's parameters hold is none.
class AddressOrigins {
 public:
  // `space` is PtxSpace::shared or PtxSpace::local. All three others must outlive this.
  AddressOrigins(const PtxFunction& function, const Variables& variables, const CallGraph& calls, PtxSpace space);

  // Follows what has changed since the last time; returns whether anything had.
  bool follow();
  // Precondition: an operand of the function's instruction.
  bool is_address(const PtxOperand& operand, const PtxInstruction& instruction) const;

  // Notes that a call hands over something else.
  void set_other_parameter(std::size_t index) { other_parameters_.insert(function_.parameters[index].name); }
  bool is_other_parameter(std::size_t index) const {
    return other_parameters_.contains(function_.parameters[index].name);
  }
  const PtxFunction& function() const { return function_; }

 private:
  void look_at_names(const PtxOperand& operand, const PtxInstruction& instruction, const CallGraph& calls);
  bool names_space(const PtxInstruction& instruction) const;
  bool is_made_of_addresses(VariableNumber variable) const;
  bool makes_address(std::uint32_t index) const;
  bool is_written(VariableNumber variable) const;

  const PtxFunction& function_;
  const Variables& variables_;
  const PtxSpace space_;
  std::vector<bool> is_address_;  // by variable, as the vector below
  std::vector<bool> is_origin_;   // variables of the space
  std::map<VariableNumber, std::string_view> parameters_;
  std::set<std::string_view> other_parameters_;
};

}  // namespace wattune::slice
