#include "spec/toml_arguments.h"

#include <fmt/format.h>

#include "spec/argument_type.h"
#include "spec/files.h"
#include "wattune/core/suggest.h"

namespace wattune::spec {

namespace {

// What `type` says: "float4*", "constant float*", "int", "struct", "struct*", "local float".
struct DeclaredType {
  enum class Memory { vector, constant, scalar, structure, structures, local };
  Memory memory = Memory::scalar;
  ComponentType component;
};

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Result<DeclaredType> read_type(const Table& table) {
  WATTUNE_ASSIGN(const Node* node, table.required("type"));
  WATTUNE_ASSIGN(const std::string text, table.document().string(*node, table.describe("type")));
  DeclaredType type;
  std::string_view name = trim(text);
  if (name == "struct") {
    type.memory = DeclaredType::Memory::structure;
    return type;
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
    return table.document().error(*node, "unknown type of " + table.name()).hint(suggest(name, c_type_names()));
  type.component = *component;
  if (type.memory != DeclaredType::Memory::vector && type.memory != DeclaredType::Memory::constant &&
      component->width > 1)
    return table.document()
        .error(*node, table.name() + " may not be a vector type unless it is a buffer")
        .hint("write `float4*` for a buffer; give local memory the length of its components");
  return type;
}

Result<ExpressionText> required_expression(const Table& table, std::string_view key) {
  WATTUNE_ASSIGN(const Node* node, table.required(key));
  return table.document().expression(*node, table.describe(key));
}

// What the word of `key` stands for, or the first of the choices where there is none; messages call it `noun`.
template <typename T>
Result<T> read_choice(const Table& table, std::string_view key, std::string_view noun,
                      const std::vector<std::pair<std::string, T>>& choices) {
  WATTUNE_ASSIGN(const std::optional<std::string> text, table.string(key));
  if (!text) return choices.front().second;
  std::vector<std::string> words;
  for (const auto& [word, choice] : choices) {
    if (*text == word) return choice;
    words.push_back(word);
  }
  return table.document()
      .error(*table.find(key), fmt::format("unknown {} of {}", noun, table.name()))
      .hint(suggest(*text, words));
}

Result<ArgumentAccess> read_access(const Table& table) {
  return read_choice<ArgumentAccess>(table, "access", "access",
                                     {{"read", ArgumentAccess::read_only},
                                      {"write", ArgumentAccess::write_only},
                                      {"readwrite", ArgumentAccess::read_write}});
}

// --- fills: each reads the keys that go with it ---

Result<Fill> read_constant(const Table& table, bool) {
  WATTUNE_ASSIGN(const std::optional<double> value, table.number("value"));
  return Fill(FillConstant{value.value_or(0.0)});
}

Result<std::uint64_t> read_seed(const Table& table) {
  WATTUNE_ASSIGN(const std::optional<std::int64_t> seed, table.integer("seed"));
  if (seed && *seed < 0) return table.document().error(*table.find("seed"), table.describe("seed") + " is negative");
  return static_cast<std::uint64_t>(seed.value_or(0));
}

Result<Fill> read_uniform(const Table& table, bool) {
  FillUniform fill;
  WATTUNE_ASSIGN(const std::optional<double> low, table.number("low"));
  WATTUNE_ASSIGN(const std::optional<double> high, table.number("high"));
  WATTUNE_ASSIGN(fill.seed, read_seed(table));
  fill.low = low.value_or(fill.low);
  fill.high = high.value_or(fill.high);
  if (fill.low < fill.high) return Fill(fill);
  const Node* node = table.find("high") != nullptr ? table.find("high") : table.find("low");
  return table.document().error(*node, "`low` must be below `high` in " + table.name());
}

Result<Fill> read_normal(const Table& table, bool) {
  FillNormal fill;
  WATTUNE_ASSIGN(const std::optional<double> mean, table.number("mean"));
  WATTUNE_ASSIGN(const std::optional<double> deviation, table.number("deviation"));
  WATTUNE_ASSIGN(fill.seed, read_seed(table));
  fill.mean = mean.value_or(fill.mean);
  fill.deviation = deviation.value_or(fill.deviation);
  if (fill.deviation > 0) return Fill(fill);
  return table.document().error(*table.find("deviation"), table.describe("deviation") + " must be positive");
}

Result<Fill> read_iota(const Table& table, bool) {
  FillIota fill;
  WATTUNE_ASSIGN(const std::optional<double> start, table.number("start"));
  WATTUNE_ASSIGN(const std::optional<double> step, table.number("step"));
  fill.start = start.value_or(fill.start);
  fill.step = step.value_or(fill.step);
  return Fill(fill);
}

Result<Fill> read_expression(const Table& table, bool) {
  WATTUNE_ASSIGN(ExpressionText expression, required_expression(table, "expression"));
  return Fill(FillExpression{std::move(expression)});
}

Result<Fill> read_file(const Table& table, bool files_required) {
  WATTUNE_ASSIGN(const Node* node, table.required("file"));
  WATTUNE_ASSIGN(std::filesystem::path path,
                 named_file(table.document(), *node, table.describe("file"), files_required));
  return Fill(FillFile{std::move(path)});
}

struct FillKind {
  std::string name;
  std::vector<std::string> keys;
  Result<Fill> (*read)(const Table& table, bool files_required);
};

const std::vector<FillKind>& fill_kinds() {
  static const std::vector<FillKind> kinds{{"uniform", {"low", "high", "seed"}, read_uniform},
                                           {"normal", {"mean", "deviation", "seed"}, read_normal},
                                           {"constant", {"value"}, read_constant},
                                           {"iota", {"start", "step"}, read_iota},
                                           {"expression", {"expression"}, read_expression},
                                           {"file", {"file"}, read_file}};
  return kinds;
}

Result<const FillKind*> find_fill(const Table& table) {
  WATTUNE_ASSIGN(const std::optional<std::string> name, table.string("fill"));
  if (!name) return &fill_kinds().front();
  std::vector<std::string> names;
  for (const FillKind& kind : fill_kinds()) {
    if (kind.name == *name) return &kind;
    names.push_back(kind.name);
  }
  return table.document().error(*table.find("fill"), "unknown fill of " + table.name()).hint(suggest(*name, names));
}

// --- the kinds of argument ---

Result<OutputComparison> read_comparison(const Table& table) {
  return read_choice<OutputComparison>(
      table, "compare", "comparison",
      {{"elements", OutputComparison::elements}, {"sum", OutputComparison::sum}, {"none", OutputComparison::none}});
}

// What buffers of all types have, after a look at the keys, which are these and `more`.
Result<VectorArgument> read_buffer(const Table& table, std::vector<std::string> more) {
  VectorArgument vector;
  WATTUNE_ASSIGN(vector.access, read_access(table));
  const bool is_output = vector.access != ArgumentAccess::read_only;
  for (const char* key : {"compare", "compare_length"}) {
    if (is_output) more.insert(more.begin(), key);
    if (const Node* node = table.find(key); node != nullptr && !is_output)
      return table.document().error(*node, table.name() + " is only read, so that nothing is compared");
  }
  for (const char* key : {"access", "length", "type", "name"}) more.insert(more.begin(), key);
  WATTUNE_TRY(table.allow_only(more));
  WATTUNE_ASSIGN(vector.length, required_expression(table, "length"));
  WATTUNE_ASSIGN(vector.comparison, read_comparison(table));
  if (const Node* length = table.find("compare_length")) {
    WATTUNE_ASSIGN(vector.compared_length, table.document().expression(*length, table.describe("compare_length")));
  }
  return vector;
}

// `fill` and the keys that go with it.
std::vector<std::string> keys_of(const FillKind& fill) {
  std::vector<std::string> keys{"fill"};
  keys.insert(keys.end(), fill.keys.begin(), fill.keys.end());
  return keys;
}

// Written only, a buffer has no contents to begin with.
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

// The kernel cannot write it.
Result<VectorArgument> read_constant_symbol(const Table& table, const ComponentType& component, bool files_required) {
  WATTUNE_ASSIGN(VectorArgument vector, read_vector(table, component, files_required));
  if (vector.access != ArgumentAccess::read_only)
    return table.document().error(*table.find("access"), table.name() + " is constant and can only be read");
  vector.place = BufferPlace::constant;
  return vector;
}

Result<ScalarArgument> read_scalar(const Table& table, const ComponentType& component) {
  WATTUNE_TRY(table.allow_only({"name", "type", "value"}));
  WATTUNE_ASSIGN(const Node* node, table.required("value"));
  WATTUNE_ASSIGN(ExpressionText value, table.document().value_expression(*node, table.describe("value")));
  return ScalarArgument{component.type, std::move(value)};
}

// A field of a struct or of the structs in a buffer: its table, under its name, and its type.
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
    return document.error(*table.find("type"), "no scalar type of " + table.name());
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

// Filled field by field, or as a whole from a file.
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
  WATTUNE_ASSIGN(ExpressionText length, required_expression(table, "length"));
  return LocalArgument{component.type, std::move(length)};
}

// A pointer without a buffer.
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
      WATTUNE_ASSIGN(argument.kind, read_local(table, type.component));
      break;
    }
  }
  return argument;
}

}  // namespace wattune::spec
