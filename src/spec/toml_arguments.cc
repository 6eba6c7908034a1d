#include "spec/toml_arguments.h"

#include <fmt/format.h>

#include <array>

#include "spec/argument_type.h"
#include "spec/files.h"
#include "wattune/core/suggest.h"

namespace wattune::spec {

namespace {

// What `type` says: "float4*", "constant float*", "int", "struct", "local float".
struct DeclaredType {
  enum class Memory { vector, constant, scalar, structure, local };
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

Result<ArgumentAccess> read_access(const Table& table) {
  constexpr std::array<std::pair<std::string_view, ArgumentAccess>, 3> kAccesses{
      {{"read", ArgumentAccess::read_only},
       {"write", ArgumentAccess::write_only},
       {"readwrite", ArgumentAccess::read_write}}};
  WATTUNE_ASSIGN(const std::optional<std::string> text, table.string("access"));
  if (!text) return ArgumentAccess::read_only;
  for (const auto& [name, access] : kAccesses)
    if (*text == name) return access;
  return table.document()
      .error(*table.find("access"), "unknown access of " + table.name())
      .hint(suggest(*text, {"read", "write", "readwrite"}));
}

// --- fills: each reads the keys that go with it ---

Result<Fill> read_constant(const Table& table, bool) {
  WATTUNE_ASSIGN(const std::optional<double> value, table.number("value"));
  return Fill(FillConstant{value.value_or(0.0)});
}

Result<Fill> read_uniform(const Table& table, bool) {
  FillUniform fill;
  WATTUNE_ASSIGN(const std::optional<double> low, table.number("low"));
  WATTUNE_ASSIGN(const std::optional<double> high, table.number("high"));
  WATTUNE_ASSIGN(const std::optional<std::int64_t> seed, table.integer("seed"));
  fill.low = low.value_or(fill.low);
  fill.high = high.value_or(fill.high);
  if (seed && *seed < 0) return table.document().error(*table.find("seed"), table.describe("seed") + " is negative");
  fill.seed = static_cast<std::uint64_t>(seed.value_or(0));
  if (fill.low < fill.high) return Fill(fill);
  const Node* node = table.find("high") != nullptr ? table.find("high") : table.find("low");
  return table.document().error(*node, "`low` must be below `high` in " + table.name());
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

Result<VectorArgument> read_vector(const Table& table, const ComponentType& component, bool files_required) {
  VectorArgument vector;
  vector.type = component.type;
  vector.vector_width = component.width;
  WATTUNE_ASSIGN(vector.access, read_access(table));
  std::vector<std::string> keys{"name", "type", "length", "access"};
  if (vector.access != ArgumentAccess::write_only) {
    WATTUNE_ASSIGN(const FillKind* fill, find_fill(table));
    keys.emplace_back("fill");
    keys.insert(keys.end(), fill->keys.begin(), fill->keys.end());
    WATTUNE_TRY(table.allow_only(keys));
    WATTUNE_ASSIGN(vector.fill, fill->read(table, files_required));
  }
  WATTUNE_TRY(table.allow_only(keys));
  WATTUNE_ASSIGN(vector.length, required_expression(table, "length"));
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
  if (node->kind == Node::Kind::scalar && !node->is_string())
    return ScalarArgument{component.type, {node->scalar.to_string(), table.document().position(node->content)}};
  WATTUNE_ASSIGN(ExpressionText value, table.document().expression(*node, table.describe("value")));
  return ScalarArgument{component.type, std::move(value)};
}

Result<StructField> read_field(const Table& argument, const Node& node) {
  const Document& document = argument.document();
  WATTUNE_ASSIGN(const Table unnamed, Table::of(document, node, "each of the fields of " + argument.name()));
  StructField field;
  WATTUNE_ASSIGN(field.name, unnamed.required_string("name"));
  WATTUNE_ASSIGN(const Table table,
                 Table::of(document, node, fmt::format("field `{}` of {}", field.name, argument.name())));
  WATTUNE_ASSIGN(const DeclaredType type, read_type(table));
  if (type.memory != DeclaredType::Memory::scalar)
    return document.error(*table.find("type"), "no scalar type of " + table.name());
  WATTUNE_ASSIGN(field.scalar, read_scalar(table, type.component));
  return field;
}

Result<StructArgument> read_struct(const Table& table) {
  WATTUNE_TRY(table.allow_only({"name", "type", "fields"}));
  WATTUNE_ASSIGN(const Node* fields, table.required("fields"));
  if (fields->kind != Node::Kind::list || fields->elements.empty())
    return table.document().error(*fields, table.describe("fields") + " must be a list of tables");
  StructArgument structure;
  for (const Node& node : fields->elements) {
    WATTUNE_ASSIGN(StructField field, read_field(table, node));
    structure.fields.push_back(std::move(field));
  }
  return structure;
}

Result<LocalArgument> read_local(const Table& table, const ComponentType& component) {
  WATTUNE_TRY(table.allow_only({"name", "type", "length"}));
  WATTUNE_ASSIGN(ExpressionText length, required_expression(table, "length"));
  return LocalArgument{component.type, std::move(length)};
}

}  // namespace

Result<Argument> read_argument(const Document& document, const Node& node, bool files_required) {
  WATTUNE_ASSIGN(const Table unnamed, Table::of(document, node, "each of `arguments`"));
  Argument argument;
  WATTUNE_ASSIGN(argument.name, unnamed.required_string("name"));
  argument.position = document.position(unnamed.find("name")->content);
  WATTUNE_ASSIGN(const Table table, Table::of(document, node, fmt::format("argument `{}`", argument.name)));
  WATTUNE_ASSIGN(const DeclaredType type, read_type(table));
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
    case DeclaredType::Memory::local: {
      WATTUNE_ASSIGN(argument.kind, read_local(table, type.component));
      break;
    }
  }
  return argument;
}

}  // namespace wattune::spec
