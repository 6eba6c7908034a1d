#include "simulate/ptx/decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulate/ptx/families.h"
#include "simulate/ptx/specials.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// The largest number of modifiers, limited by the number of bits of `taken_`. PTX's longest instructions have a dozen
// modifiers.
constexpr std::size_t kMostModifiers = 63;

}  // namespace

void Decoder::decode() {
  const slice::PtxFunction& source = *function_.source;
  for (const slice::PtxInstruction& instruction : source.instructions) {
    decode(instruction);
    if (refused()) return;
    function_.code.push_back(operation_);
  }
  Operation end;
  end.handler = leave_handler();
  end.guard = constant(kAllLanes, 0);
  end.cost.unit = Unit::nothing;
  end.source = static_cast<std::uint32_t>(source.instructions.size());
  function_.code.push_back(end);
}

void Decoder::decode(const slice::PtxInstruction& instruction) {
  instruction_ = &instruction;
  operation_ = {};
  operation_.source = static_cast<std::uint32_t>(&instruction - function_.source->instructions.data());
  operands_ = next_operand_ = next_type_ = 0;
  taken_ = 0;
  decode_guard();
  if (instruction.modifiers.size() > kMostModifiers) return refuse_form();
  const Family family = family_of(instruction.opcode);
  if (family == nullptr) return refuse(fmt::format("the interpreter does not know `{}`", instruction.opcode));
  operation_.handler = family(*this);
  operation_.cost = cost_of(instruction);
  if (!refused()) check_all_taken();
}

void Decoder::decode_guard() {
  operation_.guard = constant(kAllLanes, 0);
  if (instruction_->guard.empty()) return;
  const std::optional<Named> guard = named(instruction_->guard);
  if (!guard || !guard->in_register || guard->bytes != 0)
    return refuse(fmt::format("`{}` is no predicate", instruction_->guard), ErrorCode::invalid_argument);
  operation_.guard = guard->column;
  operation_.guard_flip = instruction_->guard_negated ? kAllLanes : 0;
}

void Decoder::check_all_taken() {
  const std::uint64_t all = (std::uint64_t{1} << instruction_->modifiers.size()) - 1;
  if (operation_.handler == nullptr || taken_ != all) return refuse_form();
  if (operands_left() != 0)
    refuse(fmt::format("`{}` has too many operands", instruction_->opcode), ErrorCode::invalid_argument);
}

void Decoder::refuse_form() {
  std::string form(instruction_->opcode);
  for (const std::string_view modifier : instruction_->modifiers) form.append(".").append(modifier);
  refuse(fmt::format("the interpreter does not know `{}`", form));
}

bool Decoder::has(std::string_view modifier) {
  const auto& modifiers = instruction_->modifiers;
  const auto found = std::ranges::find(modifiers, modifier);
  if (found == modifiers.end()) return false;
  taken_ |= std::uint64_t{1} << (found - modifiers.begin());
  return true;
}

void Decoder::ignore(std::string_view modifier) { has(modifier); }

void Decoder::ignore_prefix(std::string_view prefix) {
  for (std::size_t i = 0; i < instruction_->modifiers.size(); ++i)
    if (instruction_->modifiers[i].starts_with(prefix)) taken_ |= std::uint64_t{1} << i;
}

Type Decoder::type() {
  const auto& modifiers = instruction_->modifiers;
  while (next_type_ < modifiers.size()) {
    const std::size_t at = next_type_++;
    if (const std::optional<Type> found = type_named(modifiers[at])) {
      taken_ |= std::uint64_t{1} << at;
      return *found;
    }
  }
  return Type::none;
}

Rounding Decoder::rounding(std::string_view suffix) {
  const auto is = [&](std::string_view letters) { return has(std::string(letters).append(suffix)); };
  if (is("rz")) return Rounding::zero;
  if (is("rm")) return Rounding::down;
  if (is("rp")) return Rounding::up;
  is("rn");
  return Rounding::nearest;
}

void Decoder::flush_and_saturate() {
  operation_.flush = has("ftz");
  operation_.saturate = has("sat");
}

const slice::PtxOperand& Decoder::peek() const {
  static const slice::PtxOperand none;
  return operands_left() == 0 ? none : instruction_->operands[next_operand_];
}

const slice::PtxOperand& Decoder::take() {
  const slice::PtxOperand& operand = peek();
  if (operands_left() == 0)
    refuse(fmt::format("`{}` has too few operands", instruction_->opcode), ErrorCode::invalid_argument);
  else
    ++next_operand_;
  return operand;
}

Operand Decoder::add(const Operand& operand) {
  if (operands_ < kMostOperands)
    operation_.operands[operands_++] = operand;
  else
    refuse(fmt::format("`{}` has too many operands", instruction_->opcode));
  return operand;
}

void Decoder::destination(Type type) { add(column_of(take(), type, true, false)); }
void Decoder::source(Type type) { add(column_of(take(), type, false, false)); }
void Decoder::wide_destination(Type type) { add(column_of(take(), type, true, true)); }
void Decoder::wide_source(Type type) { add(column_of(take(), type, false, true)); }

unsigned Decoder::vector_length() {
  if (has("v2")) return 2;
  if (has("v4")) return 4;
  return has("v8") ? 8 : 1;
}

void Decoder::destination_pair(Type first, Type second) {
  const slice::PtxOperand& operand = take();
  const bool both = operand.kind == slice::PtxOperandKind::pair;
  add(column_of(both ? operand.elements[0] : operand, first, true, false));
  add(both ? column_of(operand.elements[1], second, true, false) : sink(second));
}

void Decoder::refuse(std::string message, ErrorCode code) {
  if (refused()) return;
  function_.refusal = Error(code, std::move(message))
                          .at(code_.tree.position(instruction_->text))
                          .about(std::string(instruction_->text));
}

std::optional<Named> Decoder::named(std::string_view name) const { return names_.find(name, instruction_->scope); }

std::optional<std::uint32_t> Decoder::function_named(std::string_view name) const {
  const auto found = module_.functions.find(name);
  if (found == module_.functions.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> Decoder::label(std::string_view name) {
  const std::optional<std::uint32_t> found = names_.label(name, instruction_->scope);
  if (!found) refuse(fmt::format("no label is called `{}`", name), ErrorCode::invalid_argument);
  return found;
}

const slice::PtxTable* Decoder::table(std::string_view name) const { return names_.table(name, instruction_->scope); }

}  // namespace wattune::simulate::ptx
