// Reads a KernelSpec from TOML, section by section (docs/formats/spec.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/interface/suggest.h"
#include "spec/document.h"
#include "spec/files.h"
#include "spec/launch.h"
#include "spec/launch_steps.h"
#include "spec/names.h"
#include "spec/parameters.h"
#include "spec/time_units.h"
#include "spec/toml_arguments.h"
#include "spec/validate.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {

namespace {

bool has_geometry(const Table& table) {
  const std::vector<std::string>& keys = geometry_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return table.find(key) != nullptr; });
}

Result<Table> required_section(const Table& root, const std::string& key) {
  WATTUNE_ASSIGN(const Node* node, root.required(key));
  return Table::of(root.document(), *node, "[" + key + "]");
}

Result<Language> read_language(const Table& table, const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const std::optional<std::string> name, table.string("language"));
  const std::optional<Language> language = name ? parse_language(*name) : language_of(file);
  if (language) return *language;
  if (name)
    return table.document()
        .error(*table.find("language"), "unknown language")
        .hint(suggest(*name, {"OpenCL", "CUDA", "C++", "C"}));
  return table.document()
      .error(*table.find("file"), "the file's extension does not tell its language")
      .hint("add language = \"OpenCL\", \"CUDA\", \"C++\" or \"C\"");
}

// Appends the keys that read_source() reads, and returns the result.
std::vector<std::string> with_source_keys(std::vector<std::string> keys) {
  for (const char* key : {"file", "function", "language", "options", "compiler", "parameters_as"})
    keys.emplace_back(key);
  return keys;
}

// True if the value of the key is `second`. False if it is `first`, or if the key is absent. Fails for other values.
Result<bool> is_second(const Table& table, std::string_view key, const std::string& first, const std::string& second) {
  WATTUNE_ASSIGN(const std::optional<std::string> word, table.string(key));
  if (!word || *word == first) return false;
  if (*word == second) return true;
  return table.document()
      .error(*table.find(key), "unknown " + table.describe(key))
      .hint(suggest(*word, {first, second}));
}

// Reads which program compiles a function of the host.
Result<void> read_host_compiler(const Table& table, KernelSource& source) {
  WATTUNE_ASSIGN(const std::optional<std::string> name, table.string("compiler"));
  if (name && name->empty())
    return table.document().error(*table.find("compiler"), table.describe("compiler") + " names no program");
  source.host_compiler = name.value_or("");
  if (const Node* const style = table.find("parameters_as"))
    return table.document().error(*style, table.describe("parameters_as") + " is for CUDA kernels");
  return {};
}

Result<void> read_compiler(const Table& table, KernelSource& source) {
  if (is_host_language(source.language)) return read_host_compiler(table, source);
  WATTUNE_ASSIGN(const bool nvcc, is_second(table, "compiler", "nvrtc", "nvcc"));
  WATTUNE_ASSIGN(const bool constants, is_second(table, "parameters_as", "macros", "constants"));
  for (const std::string_view key : {"compiler", "parameters_as"})
    if (table.find(key) != nullptr && source.language != Language::cuda)
      return table.document().error(*table.find(key), table.describe(key) + " is for CUDA kernels");
  if (nvcc) source.compiler = Compiler::nvcc;
  if (constants) source.parameter_style = ParameterStyle::constants;
  return {};
}

// Reads file, function, language and options of [kernel], [kernel.cuda] or [reference]. `function` is the default of
// the key of that name. The text stays empty if the kernel file is missing and the policy allows that.
Result<KernelSource> read_source(const Table& table, SourcePolicy policy, const std::string& function = {}) {
  KernelSource source;
  WATTUNE_ASSIGN(const Node* file, table.required("file"));
  WATTUNE_ASSIGN(source.file,
                 named_file(table.document(), *file, table.describe("file"), policy != SourcePolicy::optional));
  source.function = function;
  if (function.empty() || table.find("function") != nullptr) {
    WATTUNE_ASSIGN(source.function, table.required_string("function"));
  }
  WATTUNE_ASSIGN(source.language, read_language(table, source.file));
  WATTUNE_TRY(read_compiler(table, source));
  WATTUNE_ASSIGN(source.options, table.strings("options"));
  Result<std::string> text = read_text(source.file);
  if (!text && policy != SourcePolicy::optional)
    return std::move(text).error().at(table.document().position(file->content));
  if (text) source.text = *std::move(text);
  return source;
}

// Reads [kernel.cuda], which gives the same kernel in CUDA C++, in addition to the kernel in OpenCL C.
Result<void> read_cuda_twin(const Table& table, SourcePolicy policy, KernelSpec& spec) {
  WATTUNE_TRY(table.allow_only(with_source_keys({})));
  WATTUNE_ASSIGN(KernelSource source, read_source(table, policy, spec.source.function));
  if (source.language != Language::cuda || spec.source.language != Language::opencl)
    return table.document().error(*table.find("file"), table.name() + " is for a CUDA kernel beside an OpenCL one");
  spec.alternatives.push_back(std::move(source));
  return {};
}

// Reads the unit of the time that a function of the host returns.
Result<void> read_returned_time(const Table& table, KernelSource& source) {
  WATTUNE_ASSIGN(const std::optional<std::string> unit, table.string("returned_time"));
  if (!unit) return {};
  const Node& node = *table.find("returned_time");
  if (!is_host_language(source.language))
    return table.document().error(node, table.describe("returned_time") + " is for functions on the host");
  const auto known = std::ranges::find(kTimeUnits, *unit, &TimeUnit::name);
  if (known == kTimeUnits.end())
    return table.document().error(node, "unknown unit of " + table.describe("returned_time")).hint("s, ms, us or ns");
  source.returned_unit = known->length;
  return {};
}

Result<void> read_kernel(const Table& table, SourcePolicy policy, KernelSpec& spec) {
  WATTUNE_TRY(table.allow_only(with_source_keys({"cuda", "arguments", "returned_time"})));
  WATTUNE_ASSIGN(spec.source, read_source(table, policy));
  WATTUNE_TRY(read_returned_time(table, spec.source));
  WATTUNE_ASSIGN(const std::optional<Table> cuda, table.table("cuda", "[kernel.cuda]"));
  if (cuda) WATTUNE_TRY(read_cuda_twin(*cuda, policy, spec));
  WATTUNE_ASSIGN(const Node* arguments, table.required("arguments"));
  if (arguments->kind != Node::Kind::list)
    return table.document().error(*arguments, table.describe("arguments") + " must be a list of tables");
  for (const Node& node : arguments->elements) {
    WATTUNE_ASSIGN(Argument argument, read_argument(table.document(), node, policy == SourcePolicy::required));
    spec.arguments.push_back(std::move(argument));
  }
  return {};
}

Result<void> add_extent(const Document& document, std::string name, const Node& node, KernelSpec& spec) {
  WATTUNE_ASSIGN(const std::int64_t value, document.integer(node, fmt::format("`{}` of [problem]", name)));
  if (value < 1) return document.error(node, fmt::format("`{}` of [problem] must be positive", name));
  spec.problem_size.push_back({std::move(name), value});
  return {};
}

Result<void> read_problem(const Document& document, const Node& node, KernelSpec& spec) {
  WATTUNE_ASSIGN(const Table table, Table::of(document, node, "[problem]"));
  for (const Node::Member& member : table.node().members) {
    if (!is_identifier(member.key) || member.key == "ProblemSize")
      return Error(ErrorCode::invalid_argument, "an extent of [problem] cannot have this name")
          .at(document.position(member.place))
          .about(member.key);
    WATTUNE_TRY(add_extent(document, member.key, member.value, spec));
  }
  return {};
}

// Reads whether CUDA sources get this parameter as a macro or as a constant. A spec states this if it differs from the
// other parameters. OpenCL sources always get macros.
Result<void> read_style(const Table& table, const std::string& name, KernelSpec& spec) {
  if (table.find("as") == nullptr) return {};
  WATTUNE_ASSIGN(const bool constant, is_second(table, "as", "macro", "constant"));
  bool has_cuda = false;
  const auto set_for = [&](KernelSource& source) {
    if (source.language != Language::cuda) return;
    has_cuda = true;
    source.own_styles[name] = constant ? ParameterStyle::constants : ParameterStyle::macros;
  };
  set_for(spec.source);
  std::ranges::for_each(spec.alternatives, set_for);
  if (has_cuda) return {};
  return table.document().error(*table.find("as"), table.describe("as") + " is for CUDA kernels");
}

Result<Parameter> read_parameter(const Document& document, const Node::Member& member, KernelSpec& spec) {
  Parameter parameter;
  parameter.name = member.key;
  parameter.position = document.position(member.place);
  parameter.role = usual_role(parameter.name);
  const std::string what = "`" + parameter.name + "`";
  if (member.value.kind != Node::Kind::table) {
    WATTUNE_ASSIGN(parameter.values, read_values(document, member.value, what, extents_by_name(spec)));
    return parameter;
  }
  WATTUNE_ASSIGN(const Table table, Table::of(document, member.value, "parameter " + what));
  WATTUNE_TRY(table.allow_only({"values", "default", "role", "as"}));
  WATTUNE_ASSIGN(parameter.role, read_role(table, "role", parameter.name));
  if (parameter.role != ParameterRole::code && table.find("as") != nullptr)
    return document.error(*table.find("as"), table.describe("as") + " is for parameters whose role is code");
  WATTUNE_TRY(read_style(table, parameter.name, spec));
  WATTUNE_ASSIGN(const Node* values, table.required("values"));
  WATTUNE_ASSIGN(parameter.values, read_values(document, *values, what, extents_by_name(spec)));
  if (const Node* value = table.find("default")) WATTUNE_TRY(set_default(document, *value, parameter));
  return parameter;
}

Result<void> read_parameters(const Table& table, KernelSpec& spec) {
  for (const Node::Member& member : table.node().members) {
    WATTUNE_ASSIGN(Parameter parameter, read_parameter(table.document(), member, spec));
    spec.parameters.push_back(std::move(parameter));
  }
  return {};
}

Result<void> read_budget(const Table& table, Budget& budget) {
  WATTUNE_ASSIGN(const std::optional<std::int64_t> evaluations, table.integer("evaluations"));
  WATTUNE_ASSIGN(budget.seconds, table.number("seconds"));
  WATTUNE_ASSIGN(budget.fraction, table.number("fraction"));
  const auto refuse = [&](std::string_view key, std::string_view rule) {
    return table.document().error(*table.find(key), table.describe(key) + " must be " + std::string(rule));
  };
  if (evaluations && *evaluations < 1) return refuse("evaluations", "at least 1");
  if (budget.seconds && *budget.seconds <= 0) return refuse("seconds", "positive");
  if (budget.fraction && (*budget.fraction <= 0 || *budget.fraction > 1)) return refuse("fraction", "in (0, 1]");
  if (evaluations) budget.evaluations = static_cast<std::uint64_t>(*evaluations);
  return {};
}

// Reads a list of expressions, each with its place in the file. Returns an empty list if the key is absent.
Result<std::vector<ExpressionText>> read_expressions(const Table& table, const char* key) {
  std::vector<ExpressionText> expressions;
  const Node* list = table.find(key);
  if (list == nullptr) return expressions;
  WATTUNE_ASSIGN(const auto texts, table.strings(key));
  for (std::size_t i = 0; i < texts.size(); ++i)
    expressions.push_back({texts[i], table.document().position(list->elements[i].content)});
  return expressions;
}

// Reads the objectives in the order of the file, since the first objective leads the search. Whether the metrics exist
// is checked where they are compiled.
Result<void> read_objectives(const Table& table, KernelSpec& spec) {
  for (const Node::Member& member : table.node().members) {
    const bool maximize = member.key == "maximize";
    if (!maximize && member.key != "minimize") continue;
    std::vector<std::string> metrics;
    if (member.value.kind == Node::Kind::list) {
      WATTUNE_ASSIGN(metrics, table.strings(member.key));
    } else {
      WATTUNE_ASSIGN(metrics.emplace_back(), table.required_string(member.key));
    }
    for (std::string& metric : metrics) spec.objectives.push_back({std::move(metric), maximize});
  }
  WATTUNE_ASSIGN(const std::optional<double> percent, table.number("slowdown"));
  if (!percent) return {};
  const auto refuse = [&](const char* rule) { return table.document().error(*table.find("slowdown"), rule); };
  if (spec.objectives.empty()) return refuse("`slowdown` needs `minimize` or `maximize`: it is how slow that may get");
  if (*percent < 0.0) return refuse("`slowdown` is in percent of the least time, 0 or more");
  spec.objectives.front().slowdown = *percent / 100.0;
  return {};
}

Result<void> read_search(const Table& table, KernelSpec& spec) {
  WATTUNE_TRY(table.allow_only({"constraints", "resource_constraints", "strategy", "evaluations", "seconds", "fraction",
                                "minimize", "maximize", "slowdown"}));
  WATTUNE_TRY(read_objectives(table, spec));
  WATTUNE_ASSIGN(const std::vector<ExpressionText> constraints, read_expressions(table, "constraints"));
  for (const ExpressionText& each : constraints) spec.constraints.push_back({each.text, each.position});
  WATTUNE_ASSIGN(spec.resource_constraints, read_expressions(table, "resource_constraints"));
  WATTUNE_ASSIGN(const std::optional<std::string> strategy, table.string("strategy"));
  spec.strategy = strategy.value_or("");
  return read_budget(table, spec.budget);
}

// Reads the metrics. Names and expressions are checked where they are compiled, together with the metrics of the
// command line.
Result<void> read_metrics(const Table& table, KernelSpec& spec) {
  for (const Node::Member& member : table.node().members) {
    WATTUNE_ASSIGN(const std::string text, table.required_string(member.key));
    spec.metrics.push_back({member.key, {text, table.document().position(member.value.content)}});
  }
  return {};
}

Result<void> read_tolerance(const Table& table, Tolerance& tolerance) {
  WATTUNE_ASSIGN(tolerance.absolute, table.number("absolute"));
  WATTUNE_ASSIGN(tolerance.relative, table.number("relative"));
  for (const std::string_view key : {"absolute", "relative"})
    if (const Node* node = table.find(key); node != nullptr && node->scalar.as_real() < 0)
      return table.document().error(*node, table.describe(key) + " is negative");
  return {};
}

// Reads a table such as outputs = { c = "c.npy" }. Each key must name a vector that the kernel writes.
Result<ReferenceData> read_outputs(const Table& outputs, bool files_required, const KernelSpec& spec) {
  ReferenceData data;
  std::vector<std::string> writable;
  for (const Argument& argument : spec.arguments) {
    const auto* vector = std::get_if<VectorArgument>(&argument.kind);
    if (vector != nullptr && vector->access != ArgumentAccess::read_only) writable.push_back(argument.name);
  }
  WATTUNE_TRY(outputs.allow_only(writable));
  for (const Node::Member& member : outputs.node().members) {
    WATTUNE_ASSIGN(auto path,
                   named_file(outputs.document(), member.value, outputs.describe(member.key), files_required));
    data.outputs.emplace_back(member.key, std::move(path));
  }
  return data;
}

Result<void> read_reference_limit(const Table& table, KernelSpec& spec) {
  WATTUNE_ASSIGN(spec.reference_seconds, table.number("seconds"));
  if (spec.reference_seconds && *spec.reference_seconds <= 0)
    return table.document().error(*table.find("seconds"), table.describe("seconds") + " must be positive");
  return {};
}

bool is_cpp(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 4> kExtensions{".cc", ".cpp", ".cxx", ".C"};
  return std::find(kExtensions.begin(), kExtensions.end(), file.extension().string()) != kExtensions.end();
}

Result<Reference> read_reference_file(const Table& table, SourcePolicy policy, const KernelSpec& spec) {
  const bool required = policy == SourcePolicy::required;
  WATTUNE_ASSIGN(auto file, named_file(table.document(), *table.find("file"), table.describe("file"), required));
  if (is_cpp(file)) {
    WATTUNE_TRY(table.allow_only({"file", "function", "seconds", "absolute", "relative"}));
    WATTUNE_ASSIGN(const std::optional<std::string> function, table.string("function"));
    return Reference(ReferenceFunction{std::move(file), function.value_or("reference")});
  }
  WATTUNE_TRY(table.allow_only(with_geometry_keys(with_source_keys({"arguments", "seconds", "absolute", "relative"}))));
  ReferenceKernel kernel;
  if (table.find("arguments") != nullptr) {
    WATTUNE_ASSIGN(kernel.arguments, read_argument_names(table, spec));
  }
  WATTUNE_ASSIGN(kernel.source, read_source(table, required ? policy : SourcePolicy::optional));
  if (is_host_language(kernel.source.language) != is_host_language(spec.source.language))
    return table.document()
        .error(*table.find("file"), fmt::format("a reference kernel in {} for one in {}",
                                                to_string(kernel.source.language), to_string(spec.source.language)))
        .hint("both run on the same device; a C++ function as reference runs beside any");
  kernel.source.own_styles = spec.source.own_styles;
  kernel.geometry = spec.geometry;
  if (has_geometry(table)) {
    WATTUNE_ASSIGN(kernel.geometry, read_geometry(table, spec));
  }
  return Reference(std::move(kernel));
}

Result<void> read_reference(const Table& table, SourcePolicy policy, KernelSpec& spec) {
  WATTUNE_TRY(table.allow_only(
      with_geometry_keys(with_source_keys({"outputs", "arguments", "seconds", "absolute", "relative"}))));
  WATTUNE_TRY(read_tolerance(table, spec.tolerance));
  WATTUNE_TRY(read_reference_limit(table, spec));
  WATTUNE_ASSIGN(const std::optional<Table> outputs, table.table("outputs", "`outputs` of [reference]"));
  if (outputs) {
    WATTUNE_TRY(table.allow_only({"outputs", "absolute", "relative"}));
    WATTUNE_ASSIGN(spec.reference, read_outputs(*outputs, policy == SourcePolicy::required, spec));
    return {};
  }
  WATTUNE_TRY(table.required("file"));
  WATTUNE_ASSIGN(spec.reference, read_reference_file(table, policy, spec));
  return {};
}

// Returns the value of the key `name`, or else the file's stem, so that the results of several specs of one kernel have
// different names. A spec that is not from a file is named after the function.
Result<std::string> read_name(const Table& root, const KernelSpec& spec) {
  WATTUNE_ASSIGN(const std::optional<std::string> name, root.string("name"));
  if (name && !fits_file_names(*name)) return root.document().error(*root.find("name"), kUnfitName);
  if (name) return *name;
  if (spec.file.has_stem()) return spec.file.stem().string();
  return spec.source.function.substr(0, spec.source.function.find('<'));
}

}  // namespace

Result<KernelSpec> parse_toml(std::string_view text, const std::filesystem::path& file, SourcePolicy policy,
                              const std::vector<NamedSize>& sizes) {
  WATTUNE_ASSIGN(const Document document, Document::from_toml(text, file));
  WATTUNE_ASSIGN(const Table root, Table::of(document, document.root(), "the spec"));
  WATTUNE_TRY(root.allow_only({"name", "kernel", "problem", "launch", "parameters", "search", "reference", "metrics"}));
  KernelSpec spec;
  spec.file = file;
  WATTUNE_ASSIGN(const Table kernel, required_section(root, "kernel"));
  WATTUNE_TRY(read_kernel(kernel, policy, spec));
  WATTUNE_ASSIGN(spec.name, read_name(root, spec));
  if (const Node* problem = root.find("problem")) WATTUNE_TRY(read_problem(document, *problem, spec));
  WATTUNE_TRY(replace_extents(spec, sizes));
  WATTUNE_ASSIGN(const std::optional<Table> parameters, root.table("parameters", "[parameters]"));
  if (parameters) WATTUNE_TRY(read_parameters(*parameters, spec));
  if (root.find("launch") != nullptr || !is_host_language(spec.source.language)) {
    WATTUNE_ASSIGN(const Node* launch, root.required("launch"));
    WATTUNE_TRY(read_launch(document, *launch, spec));
  }
  WATTUNE_ASSIGN(const std::optional<Table> search, root.table("search", "[search]"));
  if (search) WATTUNE_TRY(read_search(*search, spec));
  WATTUNE_ASSIGN(const std::optional<Table> metrics, root.table("metrics", "[metrics]"));
  if (metrics) WATTUNE_TRY(read_metrics(*metrics, spec));
  WATTUNE_ASSIGN(const std::optional<Table> reference, root.table("reference", "[reference]"));
  if (reference) WATTUNE_TRY(read_reference(*reference, policy, spec));
  WATTUNE_TRY(validate_space(spec));
  WATTUNE_TRY(validate_launch(spec));
  pad_vectors(spec);
  return spec;
}

}  // namespace wattune::spec
