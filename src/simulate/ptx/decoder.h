// Decoder: makes the operations of a function out of its instructions.
//
// It reads one instruction after the other. What an opcode makes of its modifiers and operands is its family's matter
// (families.h): a function that takes them one by one and returns the handler. What nobody took, the decoder refuses,
// so that no modifier is passed over by mistake.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "simulate/ptx/code.h"
#include "simulate/ptx/names.h"
#include "simulate/ptx/type.h"

namespace wattune::simulate::ptx {

class Decoder {
 public:
  Decoder(Code& code, const ModuleNames& module, Names& names, Function& function)
      : code_(code), module_(module), names_(names), function_(function) {}

  // Fills function.code, or function.refusal.
  void decode();

  // For families, of the instruction at hand:
  const slice::PtxInstruction& instruction() const { return *instruction_; }
  Operation& operation() { return operation_; }
  Function& function() { return function_; }
  // Whether it has the modifier, which is taken then.
  bool has(std::string_view modifier);
  // Takes the modifiers that change nothing here.
  void ignore(std::string_view modifier);
  void ignore_prefix(std::string_view prefix);
  // The next modifier that names a type; Type::none after the last.
  Type type();
  // .rn, .rz, .rm, .rp; of other letters behind the r with `suffix` "i".
  Rounding rounding(std::string_view suffix = {});
  void flush_and_saturate();

  // Operands, in the order of the text; each becomes the next one of the operation.
  std::size_t operands_left() const { return instruction_->operands.size() - next_operand_; }
  const slice::PtxOperand& peek() const;
  const slice::PtxOperand& take();
  void destination(Type type);
  void source(Type type);
  // The same of registers that may be wider than the type.
  void wide_destination(Type type);
  void wide_source(Type type);
  // Of `a|b` or of `a` alone, where the second becomes one that nobody reads.
  void destination_pair(Type first, Type second);
  void source_or(Type type, std::uint64_t otherwise);  // where no operand is left, this constant
  // The address comes behind the elements of what is loaded or stored.
  void address(const slice::PtxOperand& operand);
  // Reads .global, .shared and the like into operation().space; `implied` where there is none.
  void space(Space implied);

  Operand add(const Operand& operand);
  Operand constant(std::uint64_t bits, unsigned bytes);
  Operand sink(Type type);
  Operand carry();  // CC.CF
  Operand column_of(const slice::PtxOperand& operand, Type type, bool is_destination, bool may_be_wider);
  Formal formal_of(const slice::PtxOperand& operand);
  std::optional<Named> named(std::string_view name) const;
  std::optional<std::uint64_t> variable_address(const slice::PtxOperand& operand, const Named& variable);
  std::optional<std::uint32_t> function_named(std::string_view name) const;
  std::optional<std::uint32_t> label(std::string_view name);
  const slice::PtxTable* table(std::string_view name) const;
  const Function& function_at(std::uint32_t index) const { return code_.functions[index]; }

  // The instruction cannot be run, and why.
  void refuse(std::string message, ErrorCode code = ErrorCode::unavailable);
  // The same of its modifiers, taken together.
  void refuse_form();
  bool refused() const { return function_.refusal.has_value(); }

 private:
  void decode(const slice::PtxInstruction& instruction);
  void decode_guard();
  void check_all_taken();
  void check_register(const slice::PtxOperand& operand, const Operand& column, Type type, bool may_be_wider);
  Operand source_name(const slice::PtxOperand& operand, Type type, bool may_be_wider);
  Operand special(std::uint32_t index);
  std::uint64_t number(const slice::PtxOperand& operand, Type type);

  Code& code_;
  const ModuleNames& module_;
  Names& names_;
  Function& function_;
  const slice::PtxInstruction* instruction_ = nullptr;
  Operation operation_;
  std::size_t operands_ = 0;      // of the operation
  std::size_t next_operand_ = 0;  // of the text
  std::size_t next_type_ = 0;
  std::uint64_t taken_ = 0;                                          // modifiers, by bit
  std::map<std::pair<std::uint64_t, unsigned>, Operand> constants_;  // by bits and bytes
  std::map<unsigned, Operand> sinks_;                                // by bytes
  std::optional<Operand> carry_;
};

}  // namespace wattune::simulate::ptx
