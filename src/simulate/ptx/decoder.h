// Decoder translates the instructions of a function to operations.
//
// It reads one instruction after the other. The family of an opcode (families.h) interprets its modifiers and operands:
// it is a function that takes them one by one and returns the handler. The decoder refuses an instruction if some
// modifier or operand was not taken, so none is ignored by mistake.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "simulate/ptx/code.h"
#include "simulate/ptx/names.h"
#include "simulate/ptx/type.h"

namespace wattune::inline v0_1::simulate::ptx {

class Decoder {
 public:
  Decoder(Code& code, const ModuleNames& module, Names& names, Function& function)
      : code_(code), module_(module), names_(names), function_(function) {}

  // Decodes the function into function.code, or sets function.refusal.
  void decode();

  // The functions below are for families of opcodes; they refer to the current instruction.

  const slice::PtxInstruction& instruction() const { return *instruction_; }
  Operation& operation() { return operation_; }
  Function& function() { return function_; }
  // Takes a modifier if the instruction has it, and returns whether it does.
  bool has(std::string_view modifier);
  // Takes a modifier that has no effect here.
  void ignore(std::string_view modifier);
  void ignore_prefix(std::string_view prefix);
  // Takes the next modifier that names a type; returns Type::none if there is none left.
  Type type();
  // Takes .rn, .rz, .rm or .rp; with the suffix "i" it takes .rni and so on.
  Rounding rounding(std::string_view suffix = {});
  void flush_and_saturate();

  // Returns the number of operands that are left. They are taken in the order of the text, and become the operands of
  // the operation in the order in which they are taken.

  std::size_t operands_left() const { return instruction_->operands.size() - next_operand_; }
  const slice::PtxOperand& peek() const;
  const slice::PtxOperand& take();
  void destination(Type type);
  void source(Type type);
  // Takes a destination register that may be wider than the type.
  void wide_destination(Type type);
  // Takes a source register that may be wider than the type.
  void wide_source(Type type);
  // Takes .v2, .v4 or .v8 and returns that length; 1 if there is none.
  unsigned vector_length();
  // Takes a vector of this length: `{a, b}`, or a register of that many components. A source may also be a special
  // register such as %tid, whose fourth component is zero.
  void vector(unsigned length, Type type, bool are_destinations, bool may_be_wider);
  // Takes `a|b`, or `a` alone, which leaves an unused register as the second destination.
  void destination_pair(Type first, Type second);
  // Adds the address, which comes after the elements that are loaded or stored.
  void address(const slice::PtxOperand& operand);
  // Takes .global, .shared and the like into operation().space; without such a modifier the space is `implied`.
  void space(Space implied);

  Operand add(const Operand& operand);
  Operand constant(std::uint64_t bits, unsigned bytes);
  Operand sink(Type type);
  Operand carry();  // Returns the operand for the carry flag CC.CF.
  Operand column_of(const slice::PtxOperand& operand, Type type, bool is_destination, bool may_be_wider);
  Formal formal_of(const slice::PtxOperand& operand);
  std::optional<Named> named(std::string_view name) const;
  std::optional<std::uint64_t> variable_address(const slice::PtxOperand& operand, const Named& variable);
  std::optional<std::uint32_t> function_named(std::string_view name) const;
  std::optional<std::uint32_t> label(std::string_view name);
  const slice::PtxTable* table(std::string_view name) const;
  const Function& function_at(std::uint32_t index) const { return code_.functions[index]; }

  // Refuses the instruction with this reason.
  void refuse(std::string message, ErrorCode code = ErrorCode::unavailable);
  // Refuses the instruction because its combination of modifiers is not supported.
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
  std::size_t operands_ = 0;      // number of operands that the operation has so far
  std::size_t next_operand_ = 0;  // index of the next operand in the text
  std::size_t next_type_ = 0;
  std::uint64_t taken_ = 0;                                          // a bit for each modifier that was taken
  std::map<std::pair<std::uint64_t, unsigned>, Operand> constants_;  // constants by bits of the value and size in bytes
  std::map<unsigned, Operand> sinks_;                                // registers that are never read, by size in bytes
  std::optional<Operand> carry_;
};

}  // namespace wattune::simulate::ptx
