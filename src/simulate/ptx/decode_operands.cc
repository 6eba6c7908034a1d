// The part of the Decoder that finds the places of operands.
#include <fmt/format.h>

#include <bit>

#include "simulate/ptx/decoder.h"
#include "simulate/ptx/small_float.h"
#include "simulate/ptx/specials.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

Operand bank_column(Bank bank, std::size_t offset, unsigned bytes) {
  return {.offset = static_cast<std::uint32_t>(offset), .bank = bank, .bytes = static_cast<std::uint8_t>(bytes)};
}

// Returns the bits that represent a number in a floating-point type.
std::uint64_t float_bits(double value, Type type) {
  switch (type) {
    case Type::f64: return std::bit_cast<std::uint64_t>(value);
    case Type::f16: return Half::from(value).bits;
    case Type::bf16: return Bfloat::from(value).bits;
    default: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
}

}  // namespace

// Returns the column of a constant. The column holds the value 32 times, or a mask if the constant is a predicate.
Operand Decoder::constant(std::uint64_t bits, unsigned bytes) {
  const auto [known, is_new] = constants_.try_emplace({bits, bytes});
  if (!is_new) return known->second;
  std::vector<std::uint64_t>& pool = function_.constants;
  known->second = bank_column(Bank::constants, pool.size() * 8, bytes);
  const std::size_t words = bytes == 0 ? 1 : std::size_t{bytes} * kLanes / 8;
  const std::uint64_t repeated = bytes == 1   ? (bits & 0xff) * 0x0101'0101'0101'0101
                                 : bytes == 2 ? (bits & 0xffff) * 0x0001'0001'0001'0001
                                 : bytes == 4 ? (bits & 0xffff'ffff) * 0x0000'0001'0000'0001
                                              : bits;
  pool.insert(pool.end(), words, repeated);
  return known->second;
}

Operand Decoder::sink(Type type) {
  const auto [known, is_new] = sinks_.try_emplace(bytes_of(type));
  if (is_new) known->second = names_.new_column(bytes_of(type));
  return known->second;
}

Operand Decoder::carry() {
  if (!carry_) carry_ = names_.new_column(0);
  return *carry_;
}

std::uint64_t Decoder::number(const slice::PtxOperand& operand, Type type) {
  if (type == Type::pred) return operand.bits == 0 ? 0 : kAllLanes;
  const bool narrow = operand.kind == slice::PtxOperandKind::float32;
  if (operand.kind == slice::PtxOperandKind::integer || (narrow && bytes_of(type) == 4)) return operand.bits;
  const double value =
      narrow ? std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits)) : std::bit_cast<double>(operand.bits);
  return type == Type::b64 ? operand.bits : float_bits(value, type);
}

Operand Decoder::column_of(const slice::PtxOperand& operand, Type type, bool is_destination, bool may_be_wider) {
  if (type == Type::none) {
    refuse_form();
    return {};
  }
  if (operand.kind == slice::PtxOperandKind::name) {
    if (operand.name == "_" && is_destination) return sink(type);
    const std::optional<Named> found = named(operand.name);
    if (found && found->in_register && found->vector == 1) {
      check_register(operand, found->column, type, may_be_wider);
      if (operand.logical_not) operation_.flip = kAllLanes;
      return found->column;
    }
    if (!is_destination) return source_name(operand, type, may_be_wider);
  } else if (!is_destination &&
             (operand.kind == slice::PtxOperandKind::integer || operand.kind == slice::PtxOperandKind::float32 ||
              operand.kind == slice::PtxOperandKind::float64)) {
    return constant(number(operand, type), bytes_of(type));
  }
  refuse(fmt::format("`{}` cannot be an operand here", operand.text), ErrorCode::invalid_argument);
  return {};
}

void Decoder::vector(unsigned length, Type type, bool are_destinations, bool may_be_wider) {
  const slice::PtxOperand& operand = take();
  if (operand.kind == slice::PtxOperandKind::vector && operand.elements.size() == length) {
    for (const slice::PtxOperand& element : operand.elements)
      add(column_of(element, type, are_destinations, may_be_wider));
    return;
  }
  if (const std::optional<Named> found = named(operand.name); found && found->in_register && found->vector == length) {
    check_register(operand, found->column, type, may_be_wider);
    for (Operand column = found->column; length > 0; --length, column.offset += found->stride) add(column);
    return;
  }
  const std::string name(operand.name);
  if (are_destinations || length != 4 || !special_named(name + ".x"))
    return refuse("the vector has another length than the instruction", ErrorCode::invalid_argument);
  for (const char* const component : {".x", ".y", ".z"}) add(special(special_named(name + component).value()));
  add(constant(0, sizeof(std::uint32_t)));
}

void Decoder::check_register(const slice::PtxOperand& operand, const Operand& column, Type type, bool may_be_wider) {
  const unsigned bytes = bytes_of(type);
  if (operand.minus || (operand.logical_not && type != Type::pred))
    return refuse(fmt::format("the interpreter does not know `{}` as an operand", operand.text));
  const bool fits = may_be_wider && bytes > 0 ? column.bytes >= bytes : column.bytes == bytes;
  if (!fits)
    refuse(fmt::format("`{}` has {} bits, but the instruction's type {}", operand.text, column.bytes * 8, bytes * 8),
           ErrorCode::invalid_argument);
}

// Resolves a name that is not a register: a special register, or the address of a variable or function.
Operand Decoder::source_name(const slice::PtxOperand& operand, Type type, bool may_be_wider) {
  if (operand.name == "WARP_SZ") return constant(kLanes, bytes_of(type));
  if (const std::optional<std::uint32_t> found = special_named(operand.name)) {
    const Operand column = special(*found);
    check_register(operand, column, type, may_be_wider);
    return column;
  }
  if (const std::optional<Named> found = named(operand.name); found && !found->in_frame)
    if (const std::optional<std::uint64_t> at = variable_address(operand, *found)) return constant(*at, bytes_of(type));
  if (const std::optional<std::uint32_t> found = function_named(operand.name))
    return constant(kFunctionWindow + *found * kFunctionStride, bytes_of(type));
  refuse(fmt::format("the interpreter does not know `{}`", operand.name));
  return {};
}

std::optional<std::uint64_t> Decoder::variable_address(const slice::PtxOperand& operand, const Named& variable) {
  if (!operand.elements.empty()) {
    refuse(fmt::format("the interpreter does not know `{}` as an address", operand.text));
    return std::nullopt;
  }
  return variable.address + static_cast<std::uint64_t>(operand.offset);
}

Operand Decoder::special(std::uint32_t index) {
  const auto found = std::ranges::find(code_.specials, index);
  const auto place = static_cast<std::size_t>(found - code_.specials.begin());
  if (found == code_.specials.end()) code_.specials.push_back(index);
  return bank_column(Bank::specials, place * kLanes * sizeof(std::uint32_t), sizeof(std::uint32_t));
}

// Adds the address operand, which follows the elements that are loaded or stored. If the address names a variable, the
// variable determines the space. A function's parameters are in local memory.
void Decoder::address(const slice::PtxOperand& operand) {
  operation_.immediate = operand.offset;
  if (operand.kind != slice::PtxOperandKind::address || !operand.elements.empty())
    return refuse(fmt::format("the interpreter does not know `{}` as an address", operand.text));
  if (operand.name.empty()) {
    add(constant(0, 8));
    return;
  }
  const std::optional<Named> found = named(operand.name);
  if (!found) return refuse(fmt::format("nothing is called `{}`", operand.name), ErrorCode::invalid_argument);
  if (found->in_register) {
    if (found->bytes != 4 && found->bytes != 8)
      return refuse(fmt::format("`{}` cannot hold an address", operand.name), ErrorCode::invalid_argument);
    add(found->column);
    return;
  }
  operation_.space = found->space;
  operation_.in_frame = found->in_frame;
  add(constant(found->address, 8));
}

void Decoder::space(Space implied) {
  operation_.space = implied;
  if (has("global") || has("const")) operation_.space = Space::global;
  if (has("shared") || has("shared::cta")) operation_.space = Space::shared;
  if (has("local")) operation_.space = Space::local;
  const bool entry = has("param::entry");
  const bool function = has("param::func");
  if (has("param")) operation_.space = function_.source->entry ? Space::parameter : Space::local;
  if (entry) operation_.space = Space::parameter;
  if (function) operation_.space = Space::local;
}

// Returns the place of a value that a call passes or receives: in local memory, in a register, or a constant.
Formal Decoder::formal_of(const slice::PtxOperand& operand) {
  if (operand.kind == slice::PtxOperandKind::name) {
    const std::optional<Named> found = named(operand.name);
    const auto bytes = static_cast<std::uint32_t>(found ? found->bytes : 0);
    if (found && found->in_register && found->vector == 1 && bytes > 0)
      return {.in_register = true, .column = found->column, .bytes = bytes};
    if (found && found->in_frame) return {.offset = static_cast<std::uint32_t>(found->address), .bytes = bytes};
  } else if (operand.kind == slice::PtxOperandKind::integer) {
    return {.in_register = true, .column = constant(operand.bits, 8), .bytes = 8};
  }
  refuse(fmt::format("the interpreter does not know `{}` as what a call passes", operand.text));
  return {};
}

}  // namespace wattune::simulate::ptx
