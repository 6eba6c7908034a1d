#include "spec/argument_type.h"

#include <algorithm>
#include <array>

namespace wattune::inline v0_1::spec {

namespace {

constexpr std::array<std::string_view, 19> kCTypes{"float",  "double", "half",   "bfloat16", "int",    "uint", "char",
                                                   "uchar",  "short",  "ushort", "long",     "ulong",  "bool", "int32",
                                                   "uint32", "int64",  "uint64", "float32",  "float64"};
constexpr std::array<std::string_view, 16> kT1Types{"bfloat16", "float", "double", "half",   "bool",   "int8",
                                                    "uint8",    "int16", "uint16", "int32",  "uint32", "int64",
                                                    "uint64",   "int",   "uint",   "float32"};
constexpr std::array<unsigned, 5> kWidths{16, 8, 4, 3, 2};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <std::size_t N>
std::optional<ComponentType> parse(const std::array<std::string_view, N>& names, std::string_view name) {
  if (is_one_of(names, name)) return ComponentType{*parse_element_type(name), 1};
  for (const unsigned width : kWidths) {
    const std::string suffix = std::to_string(width);
    if (!name.ends_with(suffix)) continue;
    const std::string_view base = name.substr(0, name.size() - suffix.size());
    const bool has_vectors = !base.empty() && base.back() > '9' && base != "bool";
    if (has_vectors && is_one_of(names, base)) return ComponentType{*parse_element_type(base), width};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ComponentType> parse_c_type(std::string_view name) { return parse(kCTypes, name); }

std::optional<ComponentType> parse_t1_type(std::string_view name) { return parse(kT1Types, name); }

std::vector<std::string> c_type_names() { return {kCTypes.begin(), kCTypes.end()}; }

std::vector<std::string> t1_type_names() { return {kT1Types.begin(), kT1Types.end()}; }

}  // namespace wattune::spec
