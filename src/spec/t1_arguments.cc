#include "spec/t1_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/interface/suggest.h"
#include "spec/argument_type.h"
#include "spec/files.h"
#include "spec/names.h"

namespace wattune::inline v0_1::spec {

namespace {

Error unknown_word(const Table& table, std::string_view key, const std::vector<std::string>& known) {
  const Node& node = *table.find(key);
  return table.document()
      .error(node, fmt::format("unknown {}", table.describe(key)))
      .hint(suggest(node.to_string(), known));
}

// Returns an expression for a number. An integer is written without a decimal point, because T1 writes 4096.0 for an
// integer.
ExpressionText number_text(double value, SourcePosition position) {
  const bool is_integer = std::floor(value) == value && std::abs(value) < 0x1p53;
  std::string text = is_integer ? fmt::format("{}", static_cast<std::int64_t>(value)) : format_real(value);
  return {std::move(text), std::move(position)};
}

// Returns the largest or the smallest value of a parameter. Returns nullopt if a value is not a number. A buffer of
// size "max(p)" must suffice for any configuration.
std::optional<std::string> extreme_of(const Parameter& parameter, bool largest) {
  const bool is_number = std::all_of(parameter.values.begin(), parameter.values.end(),
                                     [](const Value& value) { return value.is_number(); });
  if (!is_number) return std::nullopt;
  const auto less = [](const Value& a, const Value& b) { return a.as_real() < b.as_real(); };
  const auto [low, high] = std::minmax_element(parameter.values.begin(), parameter.values.end(), less);
  return (largest ? high : low)->to_string();
}

// Replaces max(p) and min(p) of a single parameter p by the largest and the smallest value of p. Kernel Tuner's files
// contain such calls.
std::string fold_extremes(std::string text, const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    for (const bool largest : {true, false}) {
      const std::string call = fmt::format("{}({})", largest ? "max" : "min", parameter.name);
      const std::optional<std::string> value = extreme_of(parameter, largest);
      for (std::size_t at = text.find(call); value && at != std::string::npos; at = text.find(call, at + value->size()))
        text.replace(at, call.size(), *value);
    }
  }
  return text;
}

Result<ExpressionText> read_size(const Table& table, const KernelSpec& spec) {
  WATTUNE_ASSIGN(const Node* node, table.required("Size"));
  WATTUNE_ASSIGN(ExpressionText size, table.document().expression(*node, table.describe("Size")));
  size.text = fold_extremes(std::move(size.text), spec.parameters);
  return size;
}

Result<ComponentType> read_t1_type(const Table& table) {
  WATTUNE_ASSIGN(const std::string name, table.required_string("Type"));
  if (const std::optional<ComponentType> type = parse_t1_type(name)) return *type;
  return unknown_word(table, "Type", t1_type_names());
}

Result<ArgumentAccess> read_t1_access(const Table& table) {
  WATTUNE_ASSIGN(const std::optional<std::string> access, table.string("AccessType"));
  if (!access || *access == "ReadOnly") return ArgumentAccess::read_only;
  if (*access == "WriteOnly") return ArgumentAccess::write_only;
  if (*access == "ReadWrite") return ArgumentAccess::read_write;
  return unknown_word(table, "AccessType", {"ReadOnly", "WriteOnly", "ReadWrite"});
}

Result<Fill> read_fill(const Table& table, bool files_required) {
  WATTUNE_ASSIGN(const std::string type, table.required_string("FillType"));
  if (type == "Constant") {
    const Node* const node = table.find("FillValue");
    if (node == nullptr) return Fill(FillConstant());
    WATTUNE_ASSIGN(Value constant, table.document().any_number(*node, table.describe("FillValue")));
    return Fill(FillConstant{std::move(constant)});
  }
  if (type == "Random") {
    WATTUNE_ASSIGN(const std::optional<double> value, table.number("FillValue"));
    WATTUNE_ASSIGN(const std::optional<std::int64_t> seed, table.integer("RandomSeed"));
    const double bound = value.value_or(1.0);
    if (bound == 0.0) return Fill(FillConstant{});
    FillUniform fill{std::min(0.0, bound), std::max(0.0, bound)};
    if (seed.value_or(0) != 0) fill.seed = static_cast<std::uint64_t>(*seed);
    return Fill(fill);
  }
  if (type != "Generator" && type != "BinaryRaw")
    return unknown_word(table, "FillType", {"Constant", "Random", "Generator", "BinaryRaw"});
  WATTUNE_ASSIGN(const Node* source, table.required("DataSource"));
  if (type == "BinaryRaw") {
    WATTUNE_ASSIGN(auto path, named_file(table.document(), *source, table.describe("DataSource"), files_required));
    return Fill(FillFile{std::move(path)});
  }
  WATTUNE_ASSIGN(ExpressionText expression, table.document().expression(*source, table.describe("DataSource")));
  return Fill(FillExpression{std::move(expression)});
}

Result<VectorArgument> read_t1_vector(const Table& table, const ComponentType& type, bool files_required,
                                      const KernelSpec& spec) {
  VectorArgument vector;
  vector.type = type.type;
  vector.vector_width = type.width;
  WATTUNE_ASSIGN(vector.length, read_size(table, spec));
  WATTUNE_ASSIGN(vector.access, read_t1_access(table));
  if (vector.access != ArgumentAccess::write_only) {
    WATTUNE_ASSIGN(vector.fill, read_fill(table, files_required));
  }
  return vector;
}

Result<ScalarArgument> read_t1_scalar(const Table& table, const ComponentType& type) {
  WATTUNE_ASSIGN(const std::optional<std::string> fill, table.string("FillType"));
  if (fill == "Generator") {
    WATTUNE_ASSIGN(const Node* source, table.required("DataSource"));
    WATTUNE_ASSIGN(ExpressionText value, table.document().expression(*source, table.describe("DataSource")));
    return ScalarArgument{type.type, std::move(value)};
  }
  WATTUNE_ASSIGN(const Node* node, table.required("FillValue"));
  WATTUNE_ASSIGN(const Value value, table.document().any_number(*node, table.describe("FillValue")));
  const SourcePosition position = table.document().position(node->content);
  if (!value.is_number()) return ScalarArgument{type.type, {"'" + value.as_string() + "'", position}};
  if (value.is_integral()) return ScalarArgument{type.type, {value.to_string(), position}};
  return ScalarArgument{type.type, number_text(value.as_real(), position)};
}

Result<Argument> read_argument(const Document& document, const Node& node, bool files_required,
                               const KernelSpec& spec) {
  const std::size_t index = spec.arguments.size();
  Argument argument;
  WATTUNE_ASSIGN(const Table unnamed, Table::of(document, node, fmt::format("argument {}", index)));
  WATTUNE_ASSIGN(const std::optional<std::string> name, unnamed.string("Name"));
  argument.name = name.value_or(fmt::format("argument_{}", index));
  const Node* name_node = unnamed.find("Name");
  argument.position = document.position(name_node != nullptr ? name_node->content : node.place);
  WATTUNE_ASSIGN(const Table table, Table::of(document, node, fmt::format("argument `{}`", argument.name)));
  WATTUNE_TRY(table.refuse_misspelt({"Name", "Type", "Size", "TypeSize", "FillType", "FillValue", "DataSource",
                                     "RandomSeed", "AccessType", "MemoryType", "MemType", "Output"}));
  WATTUNE_ASSIGN(const std::string memory, table.required_string("MemoryType"));
  WATTUNE_ASSIGN(const ComponentType type, read_t1_type(table));
  if (memory != "Vector" && type.width > 1)
    return document.error(*table.find("Type"), table.name() + " may not be a vector type unless it is a buffer");
  if (memory == "Vector") {
    WATTUNE_ASSIGN(argument.kind, read_t1_vector(table, type, files_required, spec));
  } else if (memory == "Scalar") {
    WATTUNE_ASSIGN(argument.kind, read_t1_scalar(table, type));
  } else if (memory == "Local") {
    WATTUNE_ASSIGN(ExpressionText length, read_size(table, spec));
    argument.kind = LocalArgument{type.type, std::move(length)};
  } else {
    return unknown_word(table, "MemoryType", {"Vector", "Scalar", "Local"});
  }
  return argument;
}

// --- ReferenceArguments ---

Result<void> read_validation(const Table& table, Tolerance& tolerance) {
  WATTUNE_ASSIGN(const std::optional<std::string> method, table.string("ValidationMethod"));
  WATTUNE_ASSIGN(const std::optional<double> threshold, table.number("ValidationThreshold"));
  if (!method || !threshold) return {};
  if (*method == "SideBySideComparison" || *method == "AbsoluteDifference") {
    tolerance = {*threshold, 0.0};
  } else if (*method == "SideBySideRelativeComparison") {
    tolerance = {0.0, *threshold};
  } else {
    return unknown_word(table, "ValidationMethod",
                        {"AbsoluteDifference", "SideBySideComparison", "SideBySideRelativeComparison"});
  }
  return {};
}

Result<void> read_t1_reference(const Table& table, bool files_required, KernelSpec& spec, ReferenceData& data) {
  WATTUNE_TRY(table.refuse_misspelt({"Name", "TargetName", "FillType", "FillValue", "DataSource", "RandomSeed",
                                     "ValidationMethod", "ValidationThreshold"}));
  WATTUNE_ASSIGN(const std::string target, table.required_string("TargetName"));
  std::vector<std::string> arguments;
  arguments.reserve(spec.arguments.size());
  for (const Argument& argument : spec.arguments) arguments.push_back(argument.name);
  if (std::find(arguments.begin(), arguments.end(), target) == arguments.end())
    return unknown_word(table, "TargetName", arguments);
  WATTUNE_ASSIGN(const std::string fill, table.required_string("FillType"));
  if (fill != "BinaryRaw") return unknown_word(table, "FillType", {"BinaryRaw"});
  WATTUNE_ASSIGN(const Node* source, table.required("DataSource"));
  WATTUNE_ASSIGN(auto path, named_file(table.document(), *source, table.describe("DataSource"), files_required));
  data.outputs.emplace_back(target, std::move(path));
  return read_validation(table, spec.tolerance);
}

Result<const std::vector<Node>*> list_of(const Table& table, std::string_view key) {
  static const std::vector<Node> kEmpty;
  const Node* node = table.find(key);
  if (node == nullptr) return &kEmpty;
  if (node->kind == Node::Kind::list) return &node->elements;
  return table.document().error(*node, table.describe(key) + " must be a list");
}

}  // namespace

Result<void> read_t1_arguments(const Table& kernel, bool files_required, KernelSpec& spec) {
  WATTUNE_ASSIGN(const std::vector<Node>* arguments, list_of(kernel, "Arguments"));
  for (const Node& node : *arguments) {
    WATTUNE_ASSIGN(Argument argument, read_argument(kernel.document(), node, files_required, spec));
    spec.arguments.push_back(std::move(argument));
  }
  WATTUNE_ASSIGN(const std::vector<Node>* references, list_of(kernel, "ReferenceArguments"));
  if (references->empty()) return {};
  ReferenceData data;
  for (const Node& node : *references) {
    WATTUNE_ASSIGN(const Table table, Table::of(kernel.document(), node, "each of `ReferenceArguments`"));
    WATTUNE_TRY(read_t1_reference(table, files_required, spec, data));
  }
  spec.reference = std::move(data);
  return {};
}

}  // namespace wattune::spec
