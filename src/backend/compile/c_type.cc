#include "backend/interface/c_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

namespace wattune::inline v0_1::backend {

namespace {

using TypeName = std::pair<std::string_view, ElementType>;

// The element types that have vector types. The names of the vector types are made from the names here.
constexpr std::array kComponents{
    TypeName{"char", ElementType::int8},
    TypeName{"uchar", ElementType::uint8},
    TypeName{"short", ElementType::int16},
    TypeName{"ushort", ElementType::uint16},
    TypeName{"int", ElementType::int32},
    TypeName{"uint", ElementType::uint32},
    TypeName{"long", ElementType::int64},
    TypeName{"ulong", ElementType::uint64},
    TypeName{"longlong", ElementType::int64},
    TypeName{"ulonglong", ElementType::uint64},
    TypeName{"half", ElementType::float16},
    TypeName{"__half", ElementType::float16},
    TypeName{"float", ElementType::float32},
    TypeName{"double", ElementType::float64},
    TypeName{"__nv_bfloat16", ElementType::bfloat16},
};
constexpr std::array kOthers{
    TypeName{"bool", ElementType::uint8},      TypeName{"nv_bfloat16", ElementType::bfloat16},
    TypeName{"int8_t", ElementType::int8},     TypeName{"uint8_t", ElementType::uint8},
    TypeName{"int16_t", ElementType::int16},   TypeName{"uint16_t", ElementType::uint16},
    TypeName{"int32_t", ElementType::int32},   TypeName{"uint32_t", ElementType::uint32},
    TypeName{"int64_t", ElementType::int64},   TypeName{"uint64_t", ElementType::uint64},
    TypeName{"ptrdiff_t", ElementType::int64}, TypeName{"size_t", ElementType::uint64},
    TypeName{"intptr_t", ElementType::int64},  TypeName{"uintptr_t", ElementType::uint64},
};

struct Components {
  ElementType element = ElementType::int32;
  unsigned width = 1;
};

std::optional<ElementType> find(std::span<const TypeName> names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &TypeName::first);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

// Returns the element type of "unsigned long int" and the like, whose words may have any order.
std::optional<ElementType> integer_of(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 6> kWords{"char", "short", "int", "long", "signed", "unsigned"};
  const auto has = [&](std::string_view word) { return std::ranges::count(words, word) > 0; };
  const auto is_known = [](const std::string& word) { return std::ranges::count(kWords, word) > 0; };
  if (words.empty() || !std::ranges::all_of(words, is_known)) return std::nullopt;
  std::string name = has("char") ? "char" : has("short") ? "short" : has("long") ? "long" : "int";
  if (has("unsigned")) name.insert(0, "u");
  return find(kComponents, name);
}

std::optional<Components> vector_of(std::string_view word, Language language) {
  const std::array<unsigned, 5> widths{16, 8, 4, 3, 2};
  for (const unsigned width : widths) {
    const std::string suffix = std::to_string(width);
    if (!word.ends_with(suffix) || (language == Language::cuda && width > 4)) continue;
    if (const auto element = find(kComponents, word.substr(0, word.size() - suffix.size())))
      return Components{*element, width};
  }
  return std::nullopt;
}

std::optional<Components> components_of(const std::vector<std::string>& words, Language language) {
  if (const auto integer = integer_of(words)) return Components{*integer};
  if (words.size() != 1) return std::nullopt;
  if (const auto element = find(kComponents, words.front())) return Components{*element};
  if (const auto element = find(kOthers, words.front())) return Components{*element};
  return vector_of(words.front(), language);
}

std::size_t bytes_of(const Components& components, Language language) {
  const bool padded = language == Language::opencl && components.width == 3;
  return size_in_bytes(components.element) * (padded ? 4 : components.width);
}

bool is_integer(ElementType type) {
  return type != ElementType::float16 && type != ElementType::bfloat16 && type != ElementType::float32 &&
         type != ElementType::float64;
}

}  // namespace

KernelParameter parameter_of(std::string name, std::string type, Language language) {
  KernelParameter parameter{.name = std::move(name), .type = type};
  // Arrays, functions, references and templates are not parsed: element and size stay unknown.
  if (type.find_first_of("([&<:") != std::string::npos) return parameter;
  const auto pointers = std::ranges::count(type, '*');
  std::erase(type, '*');
  std::istringstream stream(type);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  const std::optional<Components> components = components_of(words, language);
  if (pointers > 0) parameter.space = AddressSpace::global;
  if (components && pointers < 2) parameter.element = components->element;
  if (pointers > 1) parameter.element = ElementType::uint64;  // the elements are addresses
  if (components && pointers == 0) {
    parameter.space = AddressSpace::by_value;
    parameter.bytes = bytes_of(*components, language);
  }
  return parameter;
}

std::string describe(const KernelParameter& parameter) {
  if (parameter.type.empty()) return fmt::format("{} bytes", parameter.bytes.value_or(0));
  std::string text = parameter.space == AddressSpace::local      ? "local "
                     : parameter.space == AddressSpace::constant ? "constant "
                                                                 : "";
  text += parameter.type;
  return parameter.name.empty() ? text : text + " " + parameter.name;
}

bool may_be_read_as(ElementType data, ElementType declared) {
  const std::size_t from = size_in_bytes(data);
  const std::size_t to = size_in_bytes(declared);
  if (data == declared || from == 1 || to == 1) return true;
  if (from == to && is_integer(data) && is_integer(declared)) return true;
  return from == 2 && (to == 2 ? is_integer(data) != is_integer(declared) : is_integer(declared));
}

}  // namespace wattune::backend
