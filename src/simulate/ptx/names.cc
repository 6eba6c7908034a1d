#include "simulate/ptx/names.h"

#include <algorithm>
#include <charconv>

#include "simulate/ptx/type.h"

namespace wattune::inline v0_1::simulate::ptx {

namespace {

// Alignment of columns, in bytes, which suits every type.
constexpr std::uint32_t kColumnAlignment = 8;
// Alignment of a call's frame. No type needs more than 16 bytes, but a variable may require more.
constexpr std::uint32_t kFrameAlignment = 256;

// Makes the operand of a column. If its offset does not fit, the function is refused (module.cc).
Operand column_at(std::uint64_t offset, unsigned bytes) {
  return {.offset = static_cast<std::uint32_t>(offset), .bytes = static_cast<std::uint8_t>(bytes)};
}

// Returns the index of a vector's component. Components are named x, y, z, w, or r, g, b, a as those of a color.
std::size_t component_number(std::string_view name) {
  if (name.size() != 1) return std::string_view::npos;
  const std::size_t number = std::string_view("xyzw").find(name);
  return number != std::string_view::npos ? number : std::string_view("rgba").find(name);
}

std::uint32_t column_bytes(unsigned bytes) {
  const unsigned all = bytes == 0 ? sizeof(LaneMask) : bytes * kLanes;
  return static_cast<std::uint32_t>(align(all, kColumnAlignment));
}

}  // namespace

bool is_dynamic_shared(const slice::PtxVariable& variable) {
  return variable.linkage == "extern" || std::ranges::find(variable.dimensions, 0u) != variable.dimensions.end();
}

std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

Extent extent_of(const slice::PtxVariable& variable) {
  const unsigned element = bytes_of(type_named(variable.type).value_or(Type::none)) * variable.vector;
  Extent extent{.bytes = element, .alignment = std::max({variable.alignment, element, 1u})};
  for (const std::uint64_t dimension : variable.dimensions) extent.bytes *= dimension;
  return extent;
}

Names::Names(const slice::PtxFunction& function, const ModuleNames& module, std::uint64_t shared_begin)
    : function_(function),
      module_(module),
      scopes_(std::max<std::size_t>(1, function.scopes.size())),
      shared_end_(shared_begin) {
  for (const slice::PtxVariable& result : function.results) declare_parameter(result, false);
  for (const slice::PtxVariable& parameter : function.parameters) declare_parameter(parameter, function.entry);
  for (const slice::PtxVariable& variable : function.variables) declare(variable);
  for (const slice::PtxLabel& label : function.labels) labels_.emplace(label.name, &label);
  local_bytes_ = align(local_bytes_, kFrameAlignment);
}

Operand Names::new_column(unsigned bytes) {
  const std::uint64_t offset = register_bytes_;
  register_bytes_ += column_bytes(bytes);
  return column_at(offset, bytes);
}

// Declares a variable. A function cannot declare variables in the module's memory. An instruction that uses such a
// variable is refused.
void Names::declare(const slice::PtxVariable& variable) {
  using slice::PtxSpace;
  if (variable.space == PtxSpace::reg) return declare_registers(variable);
  if (variable.space == PtxSpace::local || variable.space == PtxSpace::param || variable.space == PtxSpace::shared)
    scopes_[variable.scope].names[variable.name] = place(variable);
}

void Names::declare_registers(const slice::PtxVariable& variable) {
  const std::optional<Type> type = type_named(variable.type);
  if (!type) return;  // an instruction that uses a variable of this unknown type is refused
  const unsigned bytes = bytes_of(*type);
  const Named first{.in_register = true,
                    .column = column_at(register_bytes_, bytes),
                    .vector = variable.vector,
                    .stride = column_bytes(bytes),
                    .bytes = bytes};
  const std::uint32_t stride = first.stride * variable.vector;
  register_bytes_ += std::uint64_t{stride} * std::max(variable.count, 1u);
  if (variable.count == 0)
    scopes_[variable.scope].names[variable.name] = first;
  else
    scopes_[variable.scope].families[variable.name] = {variable.count, first, stride};
}

void Names::declare_parameter(const slice::PtxVariable& variable, bool of_entry) {
  if (!of_entry) return declare(variable);
  const Extent extent = extent_of(variable);
  const std::uint64_t offset = align(parameter_bytes_, extent.alignment);
  scopes_.front().names[variable.name] = {.space = Space::parameter, .address = offset, .bytes = extent.bytes};
  parameter_bytes_ = offset + extent.bytes;
}

Named Names::place(const slice::PtxVariable& variable) {
  const Extent extent = extent_of(variable);
  const std::uint64_t bytes = extent.bytes;
  if (variable.space == slice::PtxSpace::shared) {
    if (is_dynamic_shared(variable)) return {.space = Space::shared, .dynamic = true};
    const std::uint64_t offset = align(shared_end_, extent.alignment);
    shared_end_ = offset + bytes;
    return {.space = Space::shared, .address = offset, .bytes = bytes};
  }
  const std::uint64_t offset = align(local_bytes_, extent.alignment);
  local_bytes_ = offset + bytes;
  return {.space = Space::local, .in_frame = true, .address = offset, .bytes = bytes};
}

const Named* Names::find_whole(std::string_view name, std::uint32_t scope, Named& member) const {
  const Scope& here = scopes_[scope];
  if (const auto found = here.names.find(name); found != here.names.end()) return &found->second;
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const auto family = here.families.find(name.substr(0, digits));
  if (family == here.families.end() || digits == name.size()) return nullptr;
  std::uint32_t number = 0;
  std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (number >= family->second.count) return nullptr;
  member = family->second.first;
  member.column.offset += number * family->second.stride;
  return &member;
}

// Finds a name that is declared in this scope, or the component of a vector, such as `%v.x`. A component is written to
// `member`.
const Named* Names::find_here(std::string_view name, std::uint32_t scope, Named& member) const {
  const std::size_t point = std::min(name.find('.'), name.size());
  const Named* const whole = find_whole(name.substr(0, point), scope, member);
  if (whole == nullptr || point == name.size()) return whole;
  const std::size_t component = component_number(name.substr(point + 1));
  if (!whole->in_register || component >= whole->vector) return nullptr;
  member = *whole;
  member.vector = 1;
  member.column.offset += static_cast<std::uint32_t>(component) * whole->stride;
  return &member;
}

std::optional<Named> Names::find_in_function(std::string_view name, std::uint32_t scope) const {
  Named member;
  for (;; scope = function_.scopes[scope].parent) {
    if (const Named* found = find_here(name, scope, member)) return *found;
    if (scope == 0) return std::nullopt;
  }
}

std::optional<Named> Names::find(std::string_view name, std::uint32_t scope) const {
  std::optional<Named> found = find_in_function(name, scope);
  if (!found) {
    const auto global = module_.variables.find(name);
    if (global == module_.variables.end()) return std::nullopt;
    found = global->second;
  }
  if (found->dynamic) found->address = module_.dynamic_shared_offset;
  return found;
}

std::vector<Formal> Names::formals(const std::vector<slice::PtxVariable>& variables) const {
  std::vector<Formal> result;
  for (const slice::PtxVariable& variable : variables) {
    const Named named = find_in_function(variable.name, 0).value_or(Named());
    result.push_back({.in_register = named.in_register,
                      .column = named.column,
                      .offset = static_cast<std::uint32_t>(named.address),
                      .bytes = static_cast<std::uint32_t>(named.bytes)});
  }
  return result;
}

std::optional<std::uint32_t> Names::label(std::string_view name, std::uint32_t scope) const {
  const auto [first, last] = labels_.equal_range(name);
  for (;; scope = function_.scopes[scope].parent) {
    for (auto label = first; label != last; ++label)
      if (label->second->scope == scope) return label->second->instruction;
    if (scope == 0) return std::nullopt;
  }
}

const slice::PtxTable* Names::table(std::string_view name, std::uint32_t scope) const {
  for (;; scope = function_.scopes[scope].parent) {
    for (const slice::PtxTable& table : function_.tables)
      if (table.name == name && table.scope == scope) return &table;
    if (scope == 0) return nullptr;
  }
}

}  // namespace wattune::simulate::ptx
