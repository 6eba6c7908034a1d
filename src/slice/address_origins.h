// Finds the values of a function that are addresses of variables in one state space, shared or local.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "slice/call_graph.h"
#include "slice/interface/ptx_tree.h"
#include "slice/variables.h"

namespace wattune::inline v0_1::slice {

// Finds addresses by elimination: every value counts as an address until a definition shows that the value may be
// something else. Values loaded from memory and parameters of an entry never count as addresses of the space.
class AddressOrigins {
 public:
  // Analyses a function for addresses of `space`, which is PtxSpace::shared or PtxSpace::local. The other three
  // arguments must outlive this object.
  AddressOrigins(const PtxFunction& function, const Variables& variables, const CallGraph& calls, PtxSpace space);

  // Repeats the analysis with the parameters that set_other_parameter() has named since the last call. Returns whether
  // any result changed.
  bool follow();
  // True if the operand is an address of the space. Precondition: it is an operand of this instruction of the function.
  bool is_address(const PtxOperand& operand, const PtxInstruction& instruction) const;

  // Records that some call passes a value for this parameter that is not an address of the space.
  void set_other_parameter(std::size_t index) { other_parameters_.insert(function_.parameters[index].name); }
  bool is_other_parameter(std::size_t index) const {
    return other_parameters_.contains(function_.parameters[index].name);
  }
  const PtxFunction& function() const { return function_; }

 private:
  void look_at(VariableNumber variable, const CallGraph& calls);
  bool names_space(const PtxInstruction& instruction) const;
  bool is_made_of_addresses(VariableNumber variable) const;
  bool makes_address(std::uint32_t index) const;
  bool is_written(VariableNumber variable) const;

  const PtxFunction& function_;
  const Variables& variables_;
  const PtxSpace space_;
  std::vector<bool> is_address_;  // by variable: whether it holds an address; numbered like is_origin_ below
  std::vector<bool> is_origin_;   // by variable: true if it is declared in the space
  std::map<VariableNumber, std::string_view> parameters_;
  std::set<std::string_view> other_parameters_;
};

}  // namespace wattune::slice
