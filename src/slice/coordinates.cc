#include "slice/coordinates.h"

#include <fmt/format.h>

namespace wattune::inline v0_1::slice {

namespace {

constexpr std::array<std::string_view, kCoordinates.size()> kCoordinateNames = {"block_x", "block_y", "block_z",
                                                                                "grid_x",  "grid_y",  "grid_z"};

CoordinateSet coordinates_of_operand(const PtxOperand& operand) {
  CoordinateSet set = operand.kind == PtxOperandKind::name ? coordinates_in(operand.name) : CoordinateSet();
  for (const PtxOperand& element : operand.elements) set |= coordinates_of_operand(element);
  return set;
}

}  // namespace

CoordinateSet coordinates_in(std::string_view name) {
  const std::size_t first = name.starts_with("%ctaid") ? 0 : name.starts_with("%nctaid") ? 3 : kCoordinates.size();
  if (first == kCoordinates.size()) return {};
  const std::string_view component = name.substr(first == 0 ? 6 : 7);
  if (component.empty()) return CoordinateSet(7u << first);
  const std::size_t axis = std::string_view(".x.y.z").find(component);
  return component.size() == 2 && axis % 2 == 0 ? CoordinateSet(1u << (first + axis / 2)) : CoordinateSet();
}

CoordinateSet coordinates_read(const PtxInstruction& instruction) {
  CoordinateSet set;
  for (const PtxOperand& operand : instruction.operands) set |= coordinates_of_operand(operand);
  return set;
}

bool contains(const CoordinateSet& set, Coordinate coordinate) { return set[static_cast<std::size_t>(coordinate)]; }

std::string name_of(Coordinate coordinate) {
  return fmt::format("{}{}", kPrefix, kCoordinateNames[static_cast<std::size_t>(coordinate)]);
}

std::string register_of(Coordinate coordinate) { return "%" + name_of(coordinate); }

}  // namespace wattune::slice
