// Numbers the registers and parameters of a function, and lists the instructions that read and write each of them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "slice/interface/ptx_tree.h"

namespace wattune::inline v0_1::slice {

using VariableNumber = std::uint32_t;

// Numbers the variables of a function. Every name in an operand except `_` counts as a variable, even special registers
// and functions. Equal names in different scopes are different variables.
class Variables {
 public:
  explicit Variables(const PtxFunction& function);

  struct Access {
    std::span<const VariableNumber> reads;  // variables that it reads, also in the guard and in addresses
    std::span<const VariableNumber> writes;
  };

  std::size_t count() const { return names_.size(); }
  Access of(std::uint32_t instruction) const;
  // Returns the instructions that write a variable.
  const std::vector<std::uint32_t>& definitions(VariableNumber variable) const { return definitions_[variable]; }
  // Returns a variable's name, without a component such as ".x" unless it is a special register.
  std::string_view name(VariableNumber variable) const { return names_[variable]; }
  // Returns the number of a name. Precondition: an operand of this instruction of the function contains the name.
  VariableNumber number(std::string_view name, const PtxInstruction& instruction) const;

 private:
  void look_at(const PtxInstruction& instruction);
  VariableNumber add(std::string_view name, const PtxInstruction& instruction);
  void add(const PtxOperand& operand, const PtxInstruction& instruction, std::vector<VariableNumber>& list);
  std::uint32_t scope_of(std::string_view name, std::uint32_t scope) const;

  const PtxFunction& function_;
  std::set<std::pair<std::uint32_t, std::string_view>> inner_names_;
  // The numbers of the names of scope 0.
  std::unordered_map<std::string_view, VariableNumber> outer_numbers_;
  std::map<std::pair<std::uint32_t, std::string_view>, VariableNumber> inner_numbers_;  // numbers by scope and name
  std::vector<std::string_view> names_;
  std::vector<VariableNumber> accessed_;  // for each instruction the variables that it reads, then those written
  std::vector<std::uint32_t> begins_;     // for each instruction where its reads and its writes begin above
  std::vector<VariableNumber> writes_;    // variables that are written by the instruction that is being numbered
  std::vector<std::vector<std::uint32_t>> definitions_;
};

}  // namespace wattune::slice
