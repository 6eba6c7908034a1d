#include "slice/interface/opencl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace wattune::inline v0_1::slice {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

// Returns the end of the comment, string or character literal that begins at `at`. Returns `at` if no such part begins
// there.
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

// Calls look(name) for each identifier of the code, until look() returns false.
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

constexpr auto kOfSlice = std::to_array<std::string_view>(
    {"get_group_id", "get_num_groups", "get_global_size", "get_global_offset", "get_global_linear_id"});
// Built-in functions with an axis as argument that give the same result in every slice. Some drivers return wrong
// values for axes that do not exist.
constexpr auto kOfAxis =
    std::to_array<std::string_view>({"get_global_id", "get_local_id", "get_local_size", "get_enqueued_local_size"});
constexpr auto kLaunches = std::to_array<std::string_view>({"enqueue_kernel", "pipe", "read_pipe", "write_pipe"});
constexpr auto kAssembly = std::to_array<std::string_view>({"asm", "__asm", "__asm__"});
constexpr auto kHarmlessDirectives = std::to_array<std::string_view>(
    {"define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "pragma", "line", "error", "warning"});

template <std::size_t N>
bool is_among(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Returns the name after leading blanks. Returns an empty name if something else follows the blanks.
std::string_view first_name(std::string_view text) {
  text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  std::size_t end = 0;
  while (end < text.size() && is_name_character(text[end])) ++end;
  return text.substr(0, end);
}

// True if a name continues on the next line, after a backslash.
bool joins_names(std::string_view source) {
  for (std::size_t at = source.find('\\'); at != std::string_view::npos; at = source.find('\\', at + 1))
    if (at > 0 && is_name_character(source[at - 1]) && at + 1 < source.size() && source[at + 1] <= ' ') return true;
  return false;
}

// True if the preprocessor may make a name that is not in the source: by an include, token pasting, joined lines, or a
// directive that begins with a trigraph or digraph.
bool hides_names(std::string_view source) {
  if (joins_names(source) || source.find("??") != std::string_view::npos) return true;
  if (source.find("%:") != std::string_view::npos) return true;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t behind = behind_aside(source, at);
    const bool sign = behind == at && source[at] == '#';
    if (sign && !is_among(first_name(source.substr(at + 1)), kHarmlessDirectives)) return true;
    at = std::max(behind, at + 1);
  }
  return false;
}

// True if the text, which follows a function's name, is an argument list with the constant 0, 1 or 2 as axis.
bool has_real_axis(std::string_view text) {
  for (const char* const expected : {"(", "012", ")"}) {
    const std::size_t at = text.find_first_not_of(" \t");
    if (at == std::string_view::npos || std::string_view(expected).find(text[at]) == std::string_view::npos)
      return false;
    text.remove_prefix(at + 1);
  }
  return true;
}

// Returns the reason why a source with this name in it cannot be cut into slices. `last` is the name before it in the
// source. Returns an empty text if this name does not prevent cutting.
std::string_view refusal_of(std::string_view name, std::string_view last) {
  if (is_among(name, kLaunches)) return "kernels that launch others or share pipes cannot be cut";
  if (is_among(name, kAssembly) || name.starts_with("__builtin_nvvm_read") || name.starts_with("__builtin_amdgcn_w") ||
      name.starts_with("__spirv_Built"))
    return "the group's index may be read here, which a slice cannot change";
  if (is_among(name, kOfSlice) && (last == "define" || last == "undef"))
    return "a slice gives this name a meaning of its own";
  return {};
}

SourcePosition position_in(std::string_view source, std::string_view name, const std::string& file) {
  const std::string_view before = source.substr(0, static_cast<std::size_t>(name.data() - source.data()));
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return {file, static_cast<int>(std::ranges::count(before, '\n')) + 1, static_cast<int>(before.size() - start) + 1};
}

// Returns the source of a function that returns constant values for the three axes, and `otherwise` for axes that do
// not exist.
std::string constant_function(std::string_view name, const std::array<std::uint64_t, 3>& values, int otherwise) {
  return fmt::format("size_t {}(uint d) {{ return d == 0 ? {}UL : d == 1 ? {}UL : d == 2 ? {}UL : {}UL; }}\n", name,
                     values[0], values[1], values[2], otherwise);
}

std::string own_name(std::string_view function) {
  return "wattune_" + std::string(function.substr(std::string_view("get_").size()));
}

constexpr std::string_view kGroup =
    "size_t wattune_group_id(uint d) { return d > 2 ? 0 : get_group_id(d) + "
    "(get_global_offset(d) - wattune_global_offset(d)) / get_local_size(d); }\n";
constexpr std::string_view kLinear =
    "size_t wattune_global_linear_id(void) { return ((get_global_id(2) - wattune_global_offset(2)) * "
    "wattune_global_size(1) + "
    "get_global_id(1) - wattune_global_offset(1)) * wattune_global_size(0) + get_global_id(0) - "
    "wattune_global_offset(0); }\n";

// Returns the source of a function that calls the built-in function of this name for the axes that exist. For other
// axes, the function returns a constant.
std::string guarded_function(std::string_view name) {
  const std::string_view called = name == "get_enqueued_local_size" ? "get_local_size" : name;
  const int otherwise = name.ends_with("_size") ? 1 : 0;
  return fmt::format("size_t {}(uint d) {{ return d > 2 ? {} : {}(d); }}\n", own_name(name), otherwise, called);
}

// Returns macros for the beginning of a source. They rename the functions that the preamble replaces. For other names
// with which a source cannot be cut, the macros give an error of compilation.
std::string macros_before() {
  std::string text;
  for (const std::string_view name : kOfSlice)
    text += fmt::format("#undef {0}\n#define {0} {1}\n", name, own_name(name));
  for (const std::string_view name : kOfAxis)
    text += fmt::format("#undef {0}\n#define {0} {1}\n", name, own_name(name));
  for (const std::string_view name : kLaunches) text += fmt::format("#define {} 0 cannot be cut\n", name);
  for (const std::string_view name : kAssembly) text += fmt::format("#define {} 0 cannot be cut\n", name);
  return text;
}

// Returns the source of a check that the included files have not redefined the macros.
std::string check_behind() {
  std::string text = "\n\n";
  for (const std::string_view name : kOfSlice)
    text += fmt::format("#define {1} 4711\n#if {0} != 4711\n#error {0} was defined anew\n#endif\n#undef {1}\n", name,
                        own_name(name));
  return text;
}

}  // namespace

Result<OpenclAnalysis> analyse_opencl(std::string_view source, const std::string& file) {
  OpenclAnalysis analysis{.needs_preamble = hides_names(source)};
  std::string_view refused;
  std::string_view last;
  std::string_view why;
  for_each_name(source, [&](std::string_view name) {
    analysis.needs_preamble |= is_among(name, kOfSlice);
    const std::string_view behind = source.substr(static_cast<std::size_t>(name.data() + name.size() - source.data()));
    analysis.needs_preamble |= is_among(name, kOfAxis) && !has_real_axis(behind);
    why = refusal_of(name, last);
    refused = last = name;
    return why.empty();
  });
  if (why.empty()) return analysis;
  return Error(ErrorCode::invalid_argument, std::string(why))
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
  std::string text = constant_function("wattune_global_offset", range.offset, 0);
  text += constant_function("wattune_global_size", range.global, 1);
  text += constant_function("wattune_num_groups", {groups.x, groups.y, groups.z}, 1);
  text += kGroup;
  text += kLinear;
  for (const std::string_view name : kOfAxis) text += guarded_function(name);
  return text + macros_before() + "#line 1\n" + std::string(source) + check_behind();
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
