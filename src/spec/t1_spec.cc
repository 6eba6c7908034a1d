// Reads a KernelSpec from T1 JSON, in Kernel Tuner's and in KTT's dialect (docs/formats/t1.md).
//
// The space (parameters and conditions) is always needed. Errors in the parts that only a run needs (launch, arguments,
// reference) are ignored in one case: the kernel file is missing and the caller allows that. Such files are used only
// for their spaces, and many existing ones have errors in their other parts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/interface/strategy_names.h"
#include "core/interface/suggest.h"
#include "space/interface/expression.h"
#include "spec/document.h"
#include "spec/files.h"
#include "spec/large_number.h"
#include "spec/launch.h"
#include "spec/names.h"
#include "spec/parameters.h"
#include "spec/t1_arguments.h"
#include "spec/validate.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {

namespace {

constexpr std::array<std::string_view, 3> kAxes{"X", "Y", "Z"};

Result<Table> required_table(const Table& parent, const std::string& key) {
  WATTUNE_ASSIGN(const Node* node, parent.required(key));
  return Table::of(parent.document(), *node, key);
}

Result<const std::vector<Node>*> required_list(const Table& table, std::string_view key) {
  WATTUNE_ASSIGN(const Node* node, table.required(key));
  if (node->kind == Node::Kind::list) return &node->elements;
  return table.document().error(*node, table.describe(key) + " must be a list");
}

// --- the space ---

// Returns the value, converted to the declared type. Returns nullopt if the value cannot be converted.
std::optional<Value> convert(const Value& value, std::string_view type) {
  if (type == "string") return value.is_number() ? std::nullopt : std::optional(value);
  if (!value.is_number()) return std::nullopt;
  if (type == "float") return Value(value.as_real());
  const double real = value.as_real();
  if (std::floor(real) != real || std::abs(real) > 0x1p62) return std::nullopt;
  const std::int64_t integer = value.is_integral() ? value.as_integer() : static_cast<std::int64_t>(real);
  if (type == "bool") return integer == 0 || integer == 1 ? std::optional(Value(integer == 1)) : std::nullopt;
  if (type == "uint" && integer < 0) return std::nullopt;
  return Value(integer);
}

// True if the value is a text of digits that has quotes in the file. Numbers from 2^63 on are texts of digits too, but
// have no quotes in the file.
bool is_number_in_quotes(const Value& value) {
  if (value.is_number()) return false;
  const std::string& text = value.as_string();
  return !text.empty() && text.find_first_not_of("+-.0123456789eE") == std::string::npos && !large_number(text);
}

Result<void> convert_values(const Document& document, const Node& node, std::string_view type, Parameter& parameter) {
  for (Value& value : parameter.values) {
    const std::optional<Value> converted = convert(value, type);
    if (!converted)
      return Error(ErrorCode::invalid_argument,
                   fmt::format("a value of `{}` is not of its type {}", parameter.name, type))
          .at(document.position(node.content))
          .about(value.to_string())
          .hint(is_number_in_quotes(value) ? "numbers have no quotes" : "");
    value = *converted;
  }
  return {};
}

// Reads Kernel Tuner's `Default`, a remark outside the schema. The remark is ignored if it is not one of the
// parameter's values, as in some existing files.
void read_default(const Table& table, Parameter& parameter) {
  const Node* node = table.find("Default");
  if (node == nullptr) return;
  const Node& value = node->kind == Node::Kind::list && node->elements.size() == 1 ? node->elements[0] : *node;
  if (value.kind != Node::Kind::scalar) return;
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), value.scalar);
  if (found != parameter.values.end()) parameter.default_value = *found;
}

Result<Parameter> read_t1_parameter(const Document& document, const Node& node) {
  Parameter parameter;
  WATTUNE_ASSIGN(const Table unnamed, Table::of(document, node, "each of `TuningParameters`"));
  WATTUNE_ASSIGN(parameter.name, unnamed.required_string("Name"));
  parameter.position = document.position(unnamed.find("Name")->content);
  WATTUNE_ASSIGN(const Table table, Table::of(document, node, fmt::format("parameter `{}`", parameter.name)));
  WATTUNE_TRY(table.refuse_misspelt({"Name", "Type", "Values", "Default", "Role"}));
  WATTUNE_ASSIGN(const std::string type, table.required_string("Type"));
  const std::vector<std::string> types{"int", "uint", "float", "bool", "string"};
  if (std::find(types.begin(), types.end(), type) == types.end())
    return document.error(*table.find("Type"), "unknown type of " + table.name()).hint(suggest(type, types));
  WATTUNE_ASSIGN(const Node* values, table.required("Values"));
  WATTUNE_ASSIGN(parameter.values, read_values(document, *values, "`" + parameter.name + "`"));
  WATTUNE_TRY(convert_values(document, *values, type, parameter));
  read_default(table, parameter);
  WATTUNE_ASSIGN(parameter.role, read_role(table, "Role", parameter.name));
  return parameter;
}

Result<void> read_space(const Table& root, KernelSpec& spec) {
  WATTUNE_ASSIGN(const Table space, required_table(root, "ConfigurationSpace"));
  WATTUNE_TRY(space.refuse_misspelt({"TuningParameters", "Conditions"}));
  WATTUNE_ASSIGN(const std::vector<Node>* parameters, required_list(space, "TuningParameters"));
  for (const Node& node : *parameters) {
    WATTUNE_ASSIGN(Parameter parameter, read_t1_parameter(space.document(), node));
    spec.parameters.push_back(std::move(parameter));
  }
  if (space.find("Conditions") == nullptr) return {};
  WATTUNE_ASSIGN(const std::vector<Node>* conditions, required_list(space, "Conditions"));
  for (const Node& node : *conditions) {
    // `Parameters` is not read: the expression contains the names that it reads, and some existing files do not list
    // all of these.
    WATTUNE_ASSIGN(const Table condition, Table::of(space.document(), node, "each of `Conditions`"));
    WATTUNE_TRY(condition.refuse_misspelt({"Parameters", "Expression"}));
    WATTUNE_ASSIGN(std::string expression, condition.required_string("Expression"));
    const Place place = condition.find("Expression")->content;
    spec.constraints.push_back({std::move(expression), space.document().position(place)});
  }
  return {};
}

// --- search and budget ---

// The names of the strategies of the module `search`, whose headers are not included here.
constexpr std::array<std::string_view, 24> kStrategies{
    "auto",
    "exhaustive",
    "random",
    "bayesian_optimisation",
    "profile",
    "auc_bandit",
    "mls",
    "greedy_mls",
    "ordered_greedy_mls",
    "greedy_ils",
    "basin_hopping",
    "simulated_annealing",
    "dual_annealing",
    "mcmc",
    "pattern_search",
    "torczon",
    "genetic_algorithm",
    "nsga2",
    "nsga3",
    "differential_evolution",
    "particle_swarm",
    "firefly",
    "tabu_grey_wolf",
    "hybrid_vndx",
};

// Returns the name of the same strategy in Wattune. Returns an empty name for an unknown strategy, so that the program
// chooses one.
std::string strategy_name(std::string_view name) {
  std::string equivalent = strategy_of_other_tuner(name);
  if (!equivalent.empty()) return equivalent;
  return std::ranges::count(kStrategies, name) > 0 ? std::string(name) : std::string();
}

Result<void> read_limit(const Table& limit, Budget& budget) {
  WATTUNE_ASSIGN(const std::string type, limit.required_string("Type"));
  WATTUNE_ASSIGN(const Node* node, limit.required("BudgetValue"));
  WATTUNE_ASSIGN(const double value, limit.document().number(*node, limit.describe("BudgetValue")));
  if (value <= 0) return limit.document().error(*node, limit.describe("BudgetValue") + " must be positive");
  if (type == "TuningDuration") {
    budget.seconds = value;
  } else if (type == "ConfigurationCount") {
    budget.evaluations = static_cast<std::uint64_t>(std::clamp(value, 1.0, 0x1p62));
  } else if (type == "ConfigurationFraction") {
    if (value > 1) return limit.document().error(*node, "a fraction of the configurations must be in (0, 1]");
    budget.fraction = value;
  } else {
    return limit.document()
        .error(*limit.find("Type"), "unknown type of budget")
        .hint(suggest(type, {"TuningDuration", "ConfigurationCount", "ConfigurationFraction"}));
  }
  return {};
}

Result<void> read_t1_search(const Table& root, KernelSpec& spec) {
  WATTUNE_ASSIGN(const std::optional<Table> search, root.table("Search", "`Search`"));
  if (search) {
    WATTUNE_TRY(search->refuse_misspelt({"Name", "Attributes"}));
    WATTUNE_ASSIGN(const std::string name, search->required_string("Name"));
    spec.strategy = strategy_name(name);
  }
  if (root.find("Budget") == nullptr) return {};
  WATTUNE_ASSIGN(const std::vector<Node>* limits, required_list(root, "Budget"));
  for (const Node& node : *limits) {
    WATTUNE_ASSIGN(const Table limit, Table::of(root.document(), node, "each of `Budget`"));
    WATTUNE_TRY(limit.refuse_misspelt({"Type", "BudgetValue"}));
    WATTUNE_TRY(read_limit(limit, spec.budget));
  }
  return {};
}

// --- the kernel ---

Result<void> read_problem_size(const Table& kernel, KernelSpec& spec) {
  const Node* node = kernel.find("ProblemSize");
  if (node == nullptr || node->kind == Node::Kind::null) return {};
  const std::vector<Node> extents = node->kind == Node::Kind::list ? node->elements : std::vector<Node>{*node};
  constexpr std::array<const char*, 3> kNames{"problem_size_x", "problem_size_y", "problem_size_z"};
  if (extents.size() > kNames.size())
    return kernel.document().error(*node, kernel.describe("ProblemSize") + " has more than three extents");
  for (std::size_t i = 0; i < extents.size(); ++i) {
    WATTUNE_ASSIGN(const std::int64_t value, kernel.document().integer(extents[i], kernel.describe("ProblemSize")));
    if (value < 1) return kernel.document().error(extents[i], kernel.describe("ProblemSize") + " must be positive");
    spec.problem_size.push_back({kNames[i], value});
  }
  return {};
}

Result<Expressions3> read_t1_sizes(const Table& kernel, std::string_view key) {
  WATTUNE_ASSIGN(const Node* node, kernel.required(key));
  WATTUNE_ASSIGN(const Table sizes, Table::of(kernel.document(), *node, fmt::format("`{}`", key)));
  WATTUNE_TRY(sizes.refuse_misspelt({"X", "Y", "Z"}));
  Expressions3 result;
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    const Node* size = sizes.find(kAxes[i]);
    if (size == nullptr) continue;
    WATTUNE_ASSIGN(result[i], sizes.document().expression(*size, sizes.describe(kAxes[i])));
  }
  return result;
}

const Node* grid_divisors(const Table& kernel, std::size_t axis) {
  const Node* node = kernel.find(fmt::format("GridDiv{}", kAxes[axis]));
  return node == nullptr || node->kind == Node::Kind::null ? nullptr : node;
}

// Reads Kernel Tuner's grid. Every extent of the grid is divided by its divisors. Without divisors, it is divided by
// block_size_x, _y or _z if such a parameter exists.
Result<void> read_divided_grid(const Table& kernel, const KernelSpec& spec, Geometry& geometry) {
  geometry.convention = GeometryConvention::divided;
  const Expressions3 defaults = default_work_group(spec.parameters);
  for (std::size_t i = 0; i < spec.problem_size.size(); ++i) {
    geometry.sizes[i] = problem_extent(spec, i);
    const Node* node = grid_divisors(kernel, i);
    if (node == nullptr) {
      if (!defaults[i].text.empty()) geometry.divisors[i].push_back(defaults[i]);
      continue;
    }
    const std::vector<Node> divisors = node->kind == Node::Kind::list ? node->elements : std::vector<Node>{*node};
    for (const Node& divisor : divisors) {
      WATTUNE_ASSIGN(geometry.divisors[i].emplace_back(),
                     kernel.document().expression(divisor, fmt::format("`GridDiv{}`", kAxes[i])));
    }
  }
  return {};
}

Result<GeometryConvention> read_convention(const Table& kernel, Language language) {
  WATTUNE_ASSIGN(const std::optional<std::string> type, kernel.string("GlobalSizeType"));
  if (!type) return language == Language::cuda ? GeometryConvention::cuda : GeometryConvention::opencl;
  if (*type == "OpenCL") return GeometryConvention::opencl;
  if (*type == "CUDA" || *type == "Vulkan") return GeometryConvention::cuda;
  return kernel.document()
      .error(*kernel.find("GlobalSizeType"), "unknown " + kernel.describe("GlobalSizeType"))
      .hint(suggest(*type, {"OpenCL", "CUDA", "Vulkan"}));
}

Result<Geometry> read_t1_geometry(const Table& kernel, const KernelSpec& spec) {
  Geometry geometry;
  if (is_host_language(spec.source.language)) return geometry;  // ignores the sizes, which T1 has for each kernel
  geometry.work_group = default_work_group(spec.parameters);
  if (kernel.find("LocalSize") != nullptr || is_empty(geometry.work_group)) {
    WATTUNE_ASSIGN(geometry.work_group, read_t1_sizes(kernel, "LocalSize"));
  }
  bool has_divisors = false;
  for (std::size_t i = 0; i < kAxes.size(); ++i) has_divisors |= grid_divisors(kernel, i) != nullptr;
  if (has_divisors && !spec.problem_size.empty()) {
    WATTUNE_TRY(read_divided_grid(kernel, spec, geometry));
    return geometry;
  }
  WATTUNE_ASSIGN(geometry.convention, read_convention(kernel, spec.source.language));
  WATTUNE_ASSIGN(geometry.sizes, read_t1_sizes(kernel, "GlobalSize"));
  return geometry;
}

// Reads `ReferenceFile`, a key of Wattune. It names the file of a C++ function, as in TOML.
Result<void> read_t1_reference_file(const Table& kernel, SourcePolicy policy, KernelSpec& spec) {
  const Node* node = kernel.find("ReferenceFile");
  if (node == nullptr) return {};
  WATTUNE_ASSIGN(auto path, named_file(kernel.document(), *node, kernel.describe("ReferenceFile"),
                                       policy == SourcePolicy::required));
  spec.reference = ReferenceFunction{std::move(path)};
  return {};
}

// Reads everything that a run needs beyond the space and the kernel's text.
Result<void> read_run(const Table& kernel, SourcePolicy policy, KernelSpec& spec) {
  WATTUNE_ASSIGN(const std::string language, kernel.required_string("Language"));
  const std::optional<Language> known = parse_language(language);
  if (!known)
    return kernel.document()
        .error(*kernel.find("Language"), "this language cannot be run here")
        .hint(suggest(language, {"OpenCL", "CUDA", "C++", "C"}));
  spec.source.language = *known;
  WATTUNE_ASSIGN(spec.source.options, kernel.strings("CompilerOptions"));
  std::erase(spec.source.options, "");
  WATTUNE_ASSIGN(spec.geometry, read_t1_geometry(kernel, spec));
  WATTUNE_TRY(read_t1_arguments(kernel, policy == SourcePolicy::required, spec));
  WATTUNE_TRY(read_t1_reference_file(kernel, policy, spec));
  WATTUNE_TRY(validate_launch(spec));
  pad_vectors(spec);
  return {};
}

// Reads the kernel's file and text. The text stays empty if the file is missing and the policy allows that.
Result<void> read_t1_source(const Table& kernel, SourcePolicy policy, KernelSpec& spec) {
  WATTUNE_TRY(
      kernel.refuse_misspelt({"Device",     "Language",       "CompilerOptions",    "Profiling",       "KernelName",
                              "KernelFile", "GlobalSizeType", "SharedMemory",       "SimulationInput", "GlobalSize",
                              "LocalSize",  "Arguments",      "ReferenceArguments", "ReferenceFile",   "ProblemSize",
                              "GridDivX",   "GridDivY",       "GridDivZ",           "BenchmarkName",   "Stream",
                              "Misc"}));
  WATTUNE_ASSIGN(spec.source.function, kernel.required_string("KernelName"));
  WATTUNE_ASSIGN(const Node* file, kernel.required("KernelFile"));
  WATTUNE_ASSIGN(spec.source.file,
                 named_file(kernel.document(), *file, kernel.describe("KernelFile"), policy != SourcePolicy::optional));
  Result<std::string> text = read_text(spec.source.file);
  if (!text && policy != SourcePolicy::optional)
    return std::move(text).error().at(kernel.document().position(file->content));
  if (text) spec.source.text = *std::move(text);
  return {};
}

Result<std::string> read_t1_name(const Table& root, const KernelSpec& spec) {
  WATTUNE_ASSIGN(const std::optional<Table> general, root.table("General", "`General`"));
  if (!general) return spec.source.function;
  WATTUNE_ASSIGN(const std::optional<std::string> name, general->string("BenchmarkName"));
  return name.value_or(spec.source.function);
}

}  // namespace

Result<KernelSpec> parse_t1(std::string_view text, const std::filesystem::path& file, SourcePolicy policy,
                            const std::vector<NamedSize>& sizes) {
  WATTUNE_ASSIGN(const Document document, Document::from_json(text, file));
  WATTUNE_ASSIGN(const Table root, Table::of(document, document.root(), "the T1 file"));
  WATTUNE_TRY(root.refuse_misspelt(
      {"ConfigurationSpace", "Search", "Budget", "General", "KernelSpecification", "BenchmarkConfig"}));
  KernelSpec spec;
  spec.file = file;
  WATTUNE_TRY(read_space(root, spec));
  WATTUNE_TRY(read_t1_search(root, spec));
  WATTUNE_ASSIGN(const Table kernel, required_table(root, "KernelSpecification"));
  WATTUNE_TRY(read_t1_source(kernel, policy, spec));
  WATTUNE_ASSIGN(spec.name, read_t1_name(root, spec));
  if (!fits_file_names(spec.name))
    return Error(ErrorCode::invalid_argument, kUnfitName).at({file.string()}).about(spec.name);
  WATTUNE_TRY(read_problem_size(kernel, spec));
  WATTUNE_TRY(replace_extents(spec, sizes));
  WATTUNE_TRY(validate_space(spec));
  KernelSpec runnable = spec;
  const Result<void> complete = read_run(kernel, policy, runnable);
  if (complete) return runnable;
  const bool needed = policy != SourcePolicy::optional || !spec.source.text.empty();
  if (needed) return complete.error();
  return spec;
}

}  // namespace wattune::spec
