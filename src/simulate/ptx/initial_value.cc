#include "simulate/ptx/initial_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "simulate/ptx/small_float.h"
#include "simulate/ptx/type.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

class InitialValue {
 public:
  InitialValue(const slice::PtxTree& tree, const slice::PtxVariable& variable, const ModuleNames& names)
      : tree_(tree), variable_(variable), names_(names), type_(type_named(variable.type).value_or(Type::none)) {}

  // Writes a value. The elements of a list fill equal parts of the memory. Parts without an element stay zero.
  Result<void> write(const slice::PtxOperand& value, std::span<std::byte> to, std::size_t depth) {
    if (value.kind == slice::PtxOperandKind::vector) return write_all(value.elements, to, depth);
    WATTUNE_ASSIGN(const std::uint64_t bits, bits_of(value));
    const std::span<const std::byte> bytes = std::as_bytes(std::span(&bits, 1));
    std::ranges::copy(bytes.first(std::min<std::size_t>(to.size(), bytes_of(type_))), to.begin());
    return {};
  }

  Result<void> write_all(std::span<const slice::PtxOperand> values, std::span<std::byte> to, std::size_t depth) {
    const std::size_t stride = depth < variable_.dimensions.size() && variable_.dimensions[depth] > 0
                                   ? to.size() / variable_.dimensions[depth]
                                   : bytes_of(type_) * (depth < variable_.dimensions.size() ? variable_.vector : 1);
    if (stride == 0 || values.size() > to.size() / stride) return mistake("has more values than room");
    for (std::size_t i = 0; i < values.size(); ++i)
      WATTUNE_TRY(write(values[i], to.subspan(i * stride, stride), depth + 1));
    return {};
  }

 private:
  Error mistake(std::string_view what) const {
    return Error(ErrorCode::invalid_argument, fmt::format("the first value of `{}` {}", variable_.name, what))
        .at(tree_.position(variable_.text));
  }

  Result<std::uint64_t> bits_of(const slice::PtxOperand& value) const {
    switch (value.kind) {
      case slice::PtxOperandKind::integer: return value.bits;
      case slice::PtxOperandKind::float32:
        return float_bits(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits)));
      case slice::PtxOperandKind::float64: return float_bits(std::bit_cast<double>(value.bits));
      default: return address_of(value);
    }
  }

  std::uint64_t float_bits(double value) const {
    if (type_ == Type::f16) return Half::from(value).bits;
    if (bytes_of(type_) == 4) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return std::bit_cast<std::uint64_t>(value);
  }

  Result<std::uint64_t> address_of(const slice::PtxOperand& value) const {
    const auto offset = static_cast<std::uint64_t>(value.offset);
    if (const auto found = names_.variables.find(value.name); found != names_.variables.end()) {
      const bool in_window = found->second.space == Space::shared && value.generic;
      return found->second.address + offset + (in_window ? kSharedWindow : 0);
    }
    if (const auto found = names_.functions.find(value.name); found != names_.functions.end())
      return kFunctionWindow + found->second * kFunctionStride;
    return mistake(fmt::format("names `{}`, which is not here", value.name));
  }

  const slice::PtxTree& tree_;
  const slice::PtxVariable& variable_;
  const ModuleNames& names_;
  Type type_;
};

}  // namespace

Result<std::uint64_t> variable_bytes(const slice::PtxTree& tree, const slice::PtxVariable& variable) {
  const std::uint64_t bytes = extent_of(variable).bytes;
  if (bytes > 0 || variable.initializer.empty() || variable.dimensions.empty()) return bytes;
  WATTUNE_ASSIGN(const auto values, slice::initial_values(tree, variable));
  std::uint64_t element = bytes_of(type_named(variable.type).value_or(Type::none)) * variable.vector;
  for (std::size_t i = 1; i < variable.dimensions.size(); ++i) element *= variable.dimensions[i];
  const bool is_list = values.size() == 1 && values.front().kind == slice::PtxOperandKind::vector;
  return element * (is_list ? values.front().elements.size() : values.size());
}

Result<void> write_initial_value(const slice::PtxTree& tree, const slice::PtxVariable& variable,
                                 const ModuleNames& names, std::span<std::byte> bytes) {
  if (variable.initializer.empty()) return {};
  WATTUNE_ASSIGN(const auto values, slice::initial_values(tree, variable));
  InitialValue writer(tree, variable, names);
  if (values.size() != 1) return writer.write_all(values, bytes, 0);
  return writer.write(values.front(), bytes, 0);
}

}  // namespace wattune::simulate::ptx
