#include "wattune/slice/opencl.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace wattune::slice {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

// Where a comment, string or character that begins at `at` ends; `at` where none begins.
std::size_t behind_aside(std::string_view source, std::size_t at) {
  const std::string_view two = source.substr(at, 2);
  if (two == "//") return std::min(source.find('\n', at), source.size());
  if (two == "/*") return std::min(source.find("*/", at + 2), source.size() - 2) + 2;
  const char quote = source[at];
  if (quote != '"' && quote != '\'') return at;
  std::size_t end = at + 1;
  while (end < source.size() && source[end] != quote && source[end] != '\n') end += source[end] == '\\' ? 2 : 1;
  return std::min(end + 1, source.size());
}

// Calls look(name) for each identifier of the code, until it returns false.
template <typename Look>
void for_each_name(std::string_view source, const Look& look) {
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t behind = behind_aside(source, at);
    std::size_t end = std::max(behind, at + 1);
    if (behind == at && is_name_character(source[at]))
      while (end < source.size() && is_name_character(source[end])) ++end;
    if (behind == at && is_letter(source[at]) && !look(source.substr(at, end - at))) return;
    at = end;
  }
}

bool describes_the_slice(std::string_view name) {
  return name == "get_group_id" || name == "get_num_groups" || name == "get_global_size" ||
         name == "get_global_offset" || name == "get_global_linear_id";
}

bool parts_with_slices(std::string_view name) {
  return name == "enqueue_kernel" || name == "pipe" || name == "read_pipe" || name == "write_pipe";
}

SourcePosition position_in(std::string_view source, std::string_view name, const std::string& file) {
  const std::string_view before = source.substr(0, static_cast<std::size_t>(name.data() - source.data()));
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return {file, static_cast<int>(std::ranges::count(before, '\n')) + 1, static_cast<int>(before.size() - start) + 1};
}

// A function of the axis whose values are constants; along axes that do not exist it is `otherwise`.
std::string constant_function(std::string_view name, const std::array<std::uint64_t, 3>& values, int otherwise) {
  return fmt::format("size_t {}(uint d) {{ return d == 0 ? {}UL : d == 1 ? {}UL : d == 2 ? {}UL : {}UL; }}\n", name,
                     values[0], values[1], values[2], otherwise);
}

constexpr std::string_view kGroup =
    "size_t wattune_group_id(uint d) { return d > 2 ? 0 : get_group_id(d) + "
    "(get_global_offset(d) - wattune_offset(d)) / get_local_size(d); }\n";
constexpr std::string_view kLinear =
    "size_t wattune_linear_id(void) { return ((get_global_id(2) - wattune_offset(2)) * wattune_global_size(1) + "
    "get_global_id(1) - wattune_offset(1)) * wattune_global_size(0) + get_global_id(0) - wattune_offset(0); }\n";
// Macros with arguments do not expand inside themselves, and the functions before them are not changed.
constexpr std::string_view kMacros =
    "#define get_group_id(d) wattune_group_id(d)\n"
    "#define get_num_groups(d) wattune_num_groups(d)\n"
    "#define get_global_size(d) wattune_global_size(d)\n"
    "#define get_global_offset(d) wattune_offset(d)\n"
    "#define get_global_linear_id() wattune_linear_id()\n";

}  // namespace

Result<OpenclAnalysis> analyse_opencl(std::string_view source, const std::string& file) {
  OpenclAnalysis analysis;
  std::string_view refused;
  for_each_name(source, [&](std::string_view name) {
    analysis.needs_preamble |= describes_the_slice(name);
    if (parts_with_slices(name)) refused = name;
    return refused.empty();
  });
  if (refused.empty()) return analysis;
  return Error(ErrorCode::invalid_argument, "kernels that launch others or share pipes cannot be cut")
      .at(position_in(source, refused, file))
      .about(std::string(refused));
}

Result<Grid> groups_of(const NdRange& range) {
  std::array<std::uint32_t, 3> groups{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint64_t local = range.local[axis];
    if (local == 0 || range.global[axis] % local != 0)
      return Error(ErrorCode::invalid_argument, "the local size must divide the global one")
          .about(fmt::format("{} / {}", range.global[axis], local));
    if (range.global[axis] / local > std::numeric_limits<std::uint32_t>::max())
      return Error(ErrorCode::invalid_argument, "2^32 work-groups or more along an axis");
    groups[axis] = static_cast<std::uint32_t>(range.global[axis] / local);
  }
  return Grid{groups[0], groups[1], groups[2]};
}

Result<std::string> with_preamble(std::string_view source, const NdRange& range) {
  WATTUNE_ASSIGN(const Grid groups, groups_of(range));
  std::string text = constant_function("wattune_offset", range.offset, 0);
  text += constant_function("wattune_global_size", range.global, 1);
  text += constant_function("wattune_num_groups", {groups.x, groups.y, groups.z}, 1);
  text += kGroup;
  text += kLinear;
  text += kMacros;
  return text + "#line 1\n" + std::string(source);
}

NdRange part(const NdRange& range, const Box& box) {
  NdRange result = range;
  const std::array<std::uint64_t, 3> origin = {box.origin.x, box.origin.y, box.origin.z};
  const std::array<std::uint64_t, 3> size = {box.size.x, box.size.y, box.size.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.offset[axis] += origin[axis] * range.local[axis];
    result.global[axis] = size[axis] * range.local[axis];
  }
  return result;
}

}  // namespace wattune::slice
