#include "wattune/core/argument.h"

#include <algorithm>

namespace wattune::inline v0_1 {

namespace {

std::size_t round_up(std::size_t size, std::size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

StructLayout layout_of_types(const std::vector<ElementType>& types) {
  StructLayout layout;
  std::size_t largest = 1;
  for (const ElementType type : types) {
    const std::size_t size = size_in_bytes(type);
    layout.offsets.push_back(round_up(layout.bytes, size));
    layout.bytes = layout.offsets.back() + size;
    largest = std::max(largest, size);
  }
  layout.bytes = round_up(layout.bytes, largest);
  return layout;
}

}  // namespace

std::size_t element_bytes(const VectorArgument& argument) {
  if (!argument.fields.empty()) return layout_of(argument.fields).bytes;
  return size_in_bytes(argument.type) * (argument.vector_width + argument.padding);
}

StructLayout layout_of(const StructArgument& argument) {
  std::vector<ElementType> types;
  for (const StructField& field : argument.fields) types.push_back(field.scalar.type);
  StructLayout layout = layout_of_types(types);
  if (argument.padding > 0) layout.bytes += argument.padding * size_in_bytes(types.back());
  return layout;
}

StructLayout layout_of(const std::vector<BufferField>& fields) {
  std::vector<ElementType> types;
  for (const BufferField& field : fields) types.push_back(field.type);
  return layout_of_types(types);
}

}  // namespace wattune
