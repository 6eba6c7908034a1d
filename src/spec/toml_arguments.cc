#include "spec/toml_arguments.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/interface/suggest.h"
#include "spec/argument_type.h"
#include "spec/choice.h"
#include "spec/toml_fills.h"
#include "spec/toml_images.h"

namespace wattune::inline v0_1::spec {

namespace {

// A parsed text of the key `type`, such as "float4*", "constant float*", "int", "struct", "struct*", "local float",
// "image2d float4" or "sampler".
struct DeclaredType {
  enum class Memory { vector, constant, scalar, structure, structures, local, image, sampler };
  Memory memory = Memory::scalar;
  ComponentType component;
  ImageType image = ImageType::image2d;
};

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Suggests a type for a text that is not a type. It is the spelling of the type in specs, such as `uint*` for `const
// unsigned int*`, or the nearest name.
std::string type_hint(std::string text, bool is_buffer) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"__global", ""},
                                                                      {"global", ""},
                                                                      {"const", ""},
                                                                      {"volatile", ""},
                                                                      {"__restrict__", ""},
                                                                      {"__restrict", ""},
                                                                      {"restrict", ""},
                                                                      {"std::", ""},
                                                                      {"cl_", ""},
                                                                      {"[]", "*"},
                                                                      {"unsigned int", "uint"},
                                                                      {"unsigned char", "uchar"},
                                                                      {"unsigned short", "ushort"},
                                                                      {"unsigned long long", "ulong"},
                                                                      {"unsigned long", "ulong"},
                                                                      {"unsigned", "uint"},
                                                                      {"long long", "long"},
                                                                      {"size_t", "ulong"},
                                                                      {"uint8_t", "uchar"},
                                                                      {"int8_t", "char"},
                                                                      {"uint16_t", "ushort"},
                                                                      {"int16_t", "short"},
                                                                      {"32_t", "32"},
                                                                      {"64_t", "64"}};
  is_buffer |= text.find('*') != std::string::npos || text.find("[]") != std::string::npos;
  for (const auto& [word, meant] : kWords)
    for (std::size_t at = 0; (at = text.find(word)) != std::string::npos;) text.replace(at, word.size(), meant);
  std::erase(text, ' ');
  std::erase(text, '*');
  if (parse_c_type(text)) return fmt::format("did you mean `{}{}`?", text, is_buffer ? "*" : "");
  const std::string nearest = suggest(text, c_type_names());
  return nearest.empty() ? "such as float, uint, double4 or float*" : nearest;
}

Result<DeclaredType> read_type(const Table& table) {
  WATTUNE_ASSIGN(const Node* node, table.required("type"));
  WATTUNE_ASSIGN(const std::string text, table.document().string(*node, table.describe("type")));
  DeclaredType type;
  std::string_view name = trim(text);
  if (name == "struct" || name == "sampler") {
    type.memory = name == "struct" ? DeclaredType::Memory::structure : DeclaredType::Memory::sampler;
    return type;
  }
  if (const std::optional<ImageType> image = parse_image_type(name)) {
    type.memory = DeclaredType::Memory::image;
    type.image = *image;
    name = trim(name.substr(name.find(' ')));
  }
  if (name.ends_with('*')) {
    type.memory = DeclaredType::Memory::vector;
    name = trim(name.substr(0, name.size() - 1));
    if (name == "struct") {
      type.memory = DeclaredType::Memory::structures;
      return type;
    }
  }
  if (type.memory == DeclaredType::Memory::vector && name.starts_with("constant ")) {
    type.memory = DeclaredType::Memory::constant;
    name = trim(name.substr(9));
  }
  if (name.starts_with("local ")) {
    type.memory = DeclaredType::Memory::local;
    name = trim(name.substr(6));
  }
  const std::optional<ComponentType> component = parse_c_type(name);
  if (!component)
    return table.document()
        .error(*node, "unknown type of " + table.name())
        .hint(type_hint(std::string(name), type.memory == DeclaredType::Memory::vector));
  type.component = *component;
  return type;
}

// Checks that the type is a scalar type. Fails if it is a vector.
Result<void> check_narrow(const Table& table, const DeclaredType& type) {
  if (type.component.width == 1) return {};
  return table.document()
      .error(*table.find("type"), table.name() + " may not be a vector type")
      .hint("give local memory the length of its components, and a struct a field for each");
}

Result<ArgumentAccess> read_access(const Table& table) {
  return read_choice<ArgumentAccess>(table, "access", "access",
                                     {{"read", ArgumentAccess::read_only},
                                      {"write", ArgumentAccess::write_only},
                                      {"readwrite", ArgumentAccess::read_write}});
}

Result<OutputComparison> read_comparison(const Table& table) {
  return read_choice<OutputComparison>(
      table, "compare", "comparison",
      {{"elements", OutputComparison::elements}, {"sum", OutputComparison::sum}, {"none", OutputComparison::none}});
}

// Reads the parts that buffers and images of all types have in common, except their size. Accepts the keys of these
// parts and the keys in `more`.
Result<VectorArgument> read_memory(const Table& table, const char* size_key, std::vector<std::string> more) {
  VectorArgument vector;
  WATTUNE_ASSIGN(vector.access, read_access(table));
  const bool is_output = vector.access != ArgumentAccess::read_only;
  for (const char* key : {"compare", "compare_length"}) {
    if (is_output) more.insert(more.begin(), key);
    if (const Node* node = table.find(key); node != nullptr && !is_output)
      return table.document().error(*node, table.name() + " is only read, so that nothing is compared");
  }
  for (const char* key : {"access", size_key, "type", "name"}) more.insert(more.begin(), key);
  WATTUNE_TRY(table.allow_only(more));
  WATTUNE_ASSIGN(vector.comparison, read_comparison(table));
  if (const Node* length = table.find("compare_length")) {
    WATTUNE_ASSIGN(vector.compared_length, table.document().expression(*length, table.describe("compare_length")));
  }
  return vector;
}

Result<VectorArgument> read_buffer(const Table& table, std::vector<std::string> more) {
  WATTUNE_ASSIGN(VectorArgument vector, read_memory(table, "length", std::move(more)));
  WATTUNE_ASSIGN(vector.length, table.required_expression("length"));
  return vector;
}

// True if the buffer has initial contents. Buffers that are only written have no initial contents.
Result<bool> has_contents(const Table& table) {
  WATTUNE_ASSIGN(const ArgumentAccess access, read_access(table));
  return access != ArgumentAccess::write_only;
}

Result<VectorArgument> read_vector(const Table& table, const ComponentType& component, bool files_required) {
  WATTUNE_ASSIGN(const bool filled, has_contents(table));
  const FillKind* fill = nullptr;
  if (filled) {
    WATTUNE_ASSIGN(fill, find_fill(table));
  }
  WATTUNE_ASSIGN(VectorArgument vector, read_buffer(table, filled ? keys_of(*fill) : std::vector<std::string>()));
  vector.type = component.type;
  vector.vector_width = component.width;
  if (filled) {
    WATTUNE_ASSIGN(vector.fill, fill->read(table, files_required));
  }
  return vector;
}

Result<VectorArgument> read_image(const Table& table, const DeclaredType& type, bool files_required) {
  WATTUNE_ASSIGN(const bool filled, has_contents(table));
  std::vector<std::string> keys = image_keys();
  const FillKind* fill = nullptr;
  if (filled) {
    WATTUNE_ASSIGN(fill, find_fill(table));
    for (std::string& key : keys_of(*fill)) keys.push_back(std::move(key));
  }
  WATTUNE_ASSIGN(VectorArgument vector, read_memory(table, "size", std::move(keys)));
  vector.type = type.component.type;
  vector.vector_width = type.component.width;
  WATTUNE_ASSIGN(vector.image, read_pixel_image(table, type.image, vector));
  if (filled) {
    WATTUNE_ASSIGN(vector.fill, fill->read(table, files_required));
  }
  return vector;
}

Result<SamplerArgument> read_sampler(const Table& table) {
  std::vector<std::string> keys = sampling_keys();
  keys.insert(keys.begin(), {"name", "type"});
  WATTUNE_TRY(table.allow_only(keys));
  WATTUNE_ASSIGN(const Sampling sampling, read_sampling(table));
  return SamplerArgument{sampling};
}

// Reads a constant symbol, which the kernel cannot write.
Result<VectorArgument> read_constant_symbol(const Table& table, const ComponentType& component, bool files_required) {
  WATTUNE_ASSIGN(VectorArgument vector, read_vector(table, component, files_required));
  if (vector.access != ArgumentAccess::read_only)
    return table.document().error(*table.find("access"), table.name() + " is constant and can only be read");
  vector.place = BufferPlace::constant;
  return vector;
}

Result<ScalarArgument> read_scalar(const Table& table, const ComponentType& component) {
  if (const Node* const length = table.find("length"))
    return table.document()
        .error(*length, table.name() + " has a length, but the type of a single value")
        .hint("the type of a buffer ends in *");
  WATTUNE_TRY(table.allow_only({"name", "type", "value"}));
  WATTUNE_ASSIGN(const Node* node, table.required("value"));
  WATTUNE_ASSIGN(ExpressionText value, table.document().value_expression(*node, table.describe("value")));
  return ScalarArgument{component.type, std::move(value)};
}

// Reads a vector that is passed by value. It is given by a list with a value for each component, or by one value for
// all components.
Result<StructArgument> read_vector_value(const Table& table, const ComponentType& component) {
  constexpr std::string_view kNames = "xyzw";
  WATTUNE_TRY(table.allow_only({"name", "type", "value"}));
  WATTUNE_ASSIGN(const Node* node, table.required("value"));
  const bool is_list = node->kind == Node::Kind::list;
  if (is_list && node->elements.size() != component.width)
    return table.document().error(
        *node, fmt::format("{} has {} values, and its type {}", table.name(), node->elements.size(), component.width));
  StructArgument vector{.is_vector = true};
  for (unsigned i = 0; i < component.width; ++i) {
    WATTUNE_ASSIGN(ExpressionText value,
                   table.document().value_expression(is_list ? node->elements[i] : *node, table.describe("value")));
    std::string name = component.width <= kNames.size() ? std::string(1, kNames[i]) : fmt::format("s{:x}", i);
    vector.fields.push_back({std::move(name), {component.type, std::move(value)}});
  }
  return vector;
}

// A field of a struct, or of the structs in a buffer: its name, table and type.
struct FieldTable {
  std::string name;
  Table table;
  ElementType type = ElementType::float32;
};

Result<FieldTable> read_field_table(const Table& argument, const Node& node) {
  const Document& document = argument.document();
  WATTUNE_ASSIGN(const Table unnamed, Table::of(document, node, "each of the fields of " + argument.name()));
  WATTUNE_ASSIGN(std::string name, unnamed.required_string("name"));
  WATTUNE_ASSIGN(const Table table, Table::of(document, node, fmt::format("field `{}` of {}", name, argument.name())));
  WATTUNE_ASSIGN(const DeclaredType type, read_type(table));
  if (type.memory != DeclaredType::Memory::scalar)
    return document.error(*table.find("type"), table.name() + " must have the type of a scalar");
  WATTUNE_TRY(check_narrow(table, type));
  return FieldTable{std::move(name), table, type.component.type};
}

Result<std::vector<FieldTable>> read_field_tables(const Table& argument) {
  WATTUNE_ASSIGN(const Node* fields, argument.required("fields"));
  if (fields->kind != Node::Kind::list || fields->elements.empty())
    return argument.document().error(*fields, argument.describe("fields") + " must be a list of tables");
  std::vector<FieldTable> tables;
  for (const Node& node : fields->elements) {
    WATTUNE_ASSIGN(FieldTable field, read_field_table(argument, node));
    tables.push_back(std::move(field));
  }
  return tables;
}

Result<StructArgument> read_struct(const Table& table) {
  WATTUNE_TRY(table.allow_only({"name", "type", "fields"}));
  WATTUNE_ASSIGN(const std::vector<FieldTable> fields, read_field_tables(table));
  StructArgument structure;
  for (const FieldTable& field : fields) {
    WATTUNE_ASSIGN(ScalarArgument scalar, read_scalar(field.table, {field.type, 1}));
    structure.fields.push_back({field.name, std::move(scalar)});
  }
  return structure;
}

Result<BufferField> read_buffer_field(const FieldTable& field, bool filled, bool files_required) {
  BufferField result{field.name, field.type, {}};
  std::vector<std::string> keys{"name", "type"};
  if (!filled) {
    WATTUNE_TRY(field.table.allow_only(keys));
    return result;
  }
  WATTUNE_ASSIGN(const FillKind* fill, find_fill(field.table));
  for (std::string& key : keys_of(*fill)) keys.push_back(std::move(key));
  WATTUNE_TRY(field.table.allow_only(keys));
  WATTUNE_ASSIGN(result.fill, fill->read(field.table, files_required));
  return result;
}

// Reads a buffer of structs, which is filled field by field, or as a whole from a file.
Result<VectorArgument> read_structs(const Table& table, bool files_required) {
  WATTUNE_ASSIGN(const bool filled, has_contents(table));
  const bool from_file = filled && table.find("fill") != nullptr;
  WATTUNE_ASSIGN(VectorArgument vector,
                 read_buffer(table, from_file ? std::vector<std::string>{"fields", "fill", "file"}
                                              : std::vector<std::string>{"fields"}));
  if (from_file) {
    WATTUNE_ASSIGN(const FillKind* fill, find_fill(table));
    if (fill->name != "file")
      return table.document()
          .error(*table.find("fill"), table.name() + " is only filled as a whole from a file")
          .hint("give each of its fields a fill");
    WATTUNE_ASSIGN(vector.fill, fill->read(table, files_required));
  }
  WATTUNE_ASSIGN(const std::vector<FieldTable> fields, read_field_tables(table));
  for (const FieldTable& field : fields) {
    WATTUNE_ASSIGN(BufferField read, read_buffer_field(field, filled && !from_file, files_required));
    vector.fields.push_back(std::move(read));
  }
  return vector;
}

Result<LocalArgument> read_local(const Table& table, const ComponentType& component) {
  WATTUNE_TRY(table.allow_only({"name", "type", "length"}));
  WATTUNE_ASSIGN(ExpressionText length, table.required_expression("length"));
  return LocalArgument{component.type, std::move(length)};
}

// Reads an argument that is a null pointer.
Result<NullArgument> read_null(const Table& table, const DeclaredType& type) {
  WATTUNE_ASSIGN(const std::optional<bool> null, table.boolean("null"));
  const bool is_pointer =
      type.memory == DeclaredType::Memory::vector || type.memory == DeclaredType::Memory::structures;
  if (!is_pointer || !null.value_or(false))
    return table.document()
        .error(*table.find("null"), table.describe("null") + " makes a pointer null and nothing else")
        .hint("write null = true, with a type such as `float*`");
  WATTUNE_TRY(table.allow_only({"name", "type", "null"}));
  return NullArgument{};
}

}  // namespace

Result<Argument> read_argument(const Document& document, const Node& node, bool files_required) {
  WATTUNE_ASSIGN(const Table unnamed, Table::of(document, node, "each of `arguments`"));
  Argument argument;
  WATTUNE_ASSIGN(argument.name, unnamed.required_string("name"));
  argument.position = document.position(unnamed.find("name")->content);
  WATTUNE_ASSIGN(const Table table, Table::of(document, node, fmt::format("argument `{}`", argument.name)));
  WATTUNE_ASSIGN(const DeclaredType type, read_type(table));
  if (table.find("null") != nullptr) {
    WATTUNE_ASSIGN(argument.kind, read_null(table, type));
    return argument;
  }
  switch (type.memory) {
    case DeclaredType::Memory::vector: {
      WATTUNE_ASSIGN(argument.kind, read_vector(table, type.component, files_required));
      break;
    }
    case DeclaredType::Memory::constant: {
      WATTUNE_ASSIGN(argument.kind, read_constant_symbol(table, type.component, files_required));
      break;
    }
    case DeclaredType::Memory::scalar: {
      if (type.component.width > 1) {
        WATTUNE_ASSIGN(argument.kind, read_vector_value(table, type.component));
        break;
      }
      WATTUNE_ASSIGN(argument.kind, read_scalar(table, type.component));
      break;
    }
    case DeclaredType::Memory::structure: {
      WATTUNE_ASSIGN(argument.kind, read_struct(table));
      break;
    }
    case DeclaredType::Memory::structures: {
      WATTUNE_ASSIGN(argument.kind, read_structs(table, files_required));
      break;
    }
    case DeclaredType::Memory::local: {
      WATTUNE_TRY(check_narrow(table, type));
      WATTUNE_ASSIGN(argument.kind, read_local(table, type.component));
      break;
    }
    case DeclaredType::Memory::image: {
      WATTUNE_ASSIGN(argument.kind, read_image(table, type, files_required));
      break;
    }
    case DeclaredType::Memory::sampler: {
      WATTUNE_ASSIGN(argument.kind, read_sampler(table));
      break;
    }
  }
  return argument;
}

}  // namespace wattune::spec
