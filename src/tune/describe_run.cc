// Describes a run and computes its identity. Hashed data are written in the fixed order of this file. They have the
// form of netstrings ("5:hello,"), which no content can make ambiguous. A change of that order would make old journals
// look different.
#include "tune/interface/describe_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "backend/interface/compiler_environment.h"
#include "backend/interface/included_files.h"
#include "wattune/core/identity.h"
#include "wattune/core/version.h"

namespace wattune::inline v0_1::tune {

namespace {

class Canonical {
 public:
  Canonical& operator<<(std::string_view text) {
    text_ += fmt::format("{}:{},", text.size(), text);
    return *this;
  }
  Canonical& operator<<(const char* text) { return *this << std::string_view(text); }
  Canonical& operator<<(const ExpressionText& expression) { return *this << expression.text; }
  Canonical& operator<<(std::int64_t number) { return *this << fmt::format("{}", number); }
  Canonical& operator<<(double number) { return *this << format_real(number); }
  Canonical& operator<<(const std::optional<double>& number) { return number ? *this << *number : *this << ""; }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <typename Enum>
std::int64_t enumerator(Enum value) {
  return static_cast<std::int64_t>(value);
}

void write(Canonical& out, const Geometry& geometry) {
  out << "geometry" << enumerator(geometry.convention);
  for (const ExpressionText& size : geometry.sizes) out << size;
  for (const ExpressionText& size : geometry.work_group) out << size;
  for (const std::vector<ExpressionText>& divisors : geometry.divisors) {
    out << static_cast<std::int64_t>(divisors.size());
    for (const ExpressionText& divisor : divisors) out << divisor;
  }
  for (const ExpressionText& size : geometry.cluster)
    if (!size.text.empty()) out << "cluster" << size;
  if (geometry.cooperative) out << "cooperative";
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Returns the hash of a file. It is computed block by block, because a data file may be larger than the memory.
std::string hash_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string block(std::size_t{1} << 20, '\0');
  std::string hash;
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
    hash.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    hash = content_hash(hash);
  }
  return hash;
}

void write_options(Canonical& out, const KernelSource& source) {
  out << enumerator(source.language) << source.function << static_cast<std::int64_t>(source.options.size());
  for (const std::string& option : source.options) out << option;
  if (source.compiler == Compiler::nvcc) out << "nvcc";
  if (!source.host_compiler.empty()) out << "compiler" << source.host_compiler;
  if (source.parameter_style == ParameterStyle::constants) out << "constants";
  for (const auto& [parameter, style] : source.own_styles) out << parameter << enumerator(style);
}

// Writes a file as its name and the hash of its contents, so that the folder of the file does not matter.
void write(Canonical& out, const std::filesystem::path& file) { out << file.filename().string() << hash_of_file(file); }

void write(Canonical& out, const FillConstant& fill) {
  out << "constant";
  if (fill.value.is_number())
    out << fill.value.as_real();
  else
    out << fill.value.as_string();
}
void write(Canonical& out, const FillUniform& fill) {
  out << "uniform" << fill.low << fill.high << static_cast<std::int64_t>(fill.seed.value_or(0));
}
void write(Canonical& out, const FillNormal& fill) {
  out << "normal" << fill.mean << fill.deviation << static_cast<std::int64_t>(fill.seed.value_or(0));
}
void write(Canonical& out, const FillIota& fill) { out << "iota" << fill.start << fill.step; }
void write(Canonical& out, const FillExpression& fill) { out << "expression" << fill.expression; }
void write(Canonical& out, const FillFile& fill) {
  out << "file";
  write(out, fill.path);
}

void write(Canonical& out, const Sampling& sampling) {
  out << "sampling" << enumerator(sampling.address) << enumerator(sampling.filter)
      << std::int64_t{sampling.normalized_coordinates};
}
void write(Canonical& out, const PixelImage& image) {
  out << "image" << enumerator(image.type) << enumerator(image.order) << std::int64_t{image.normalized_channels};
  for (const ExpressionText& size : image.sizes) out << size;
  write(out, image.sampling);
}

void write(Canonical& out, const VectorArgument& argument) {
  out << "vector" << to_string(argument.type) << std::int64_t{argument.vector_width} << argument.length
      << enumerator(argument.access);
  if (argument.place == BufferPlace::constant) out << "constant symbol";
  if (argument.comparison != OutputComparison::elements) out << "compared" << enumerator(argument.comparison);
  if (!argument.compared_length.text.empty()) out << "compared length" << argument.compared_length;
  if (argument.image) write(out, *argument.image);
  std::visit([&](const auto& fill) { write(out, fill); }, argument.fill);
  for (const BufferField& field : argument.fields) {
    out << "field" << field.name << to_string(field.type);
    std::visit([&](const auto& fill) { write(out, fill); }, field.fill);
  }
}
void write(Canonical& out, const ScalarArgument& argument) {
  out << "scalar" << to_string(argument.type) << argument.value;
}
void write(Canonical& out, const StructArgument& argument) {
  out << "struct";
  for (const StructField& field : argument.fields) {
    out << field.name;
    write(out, field.scalar);
  }
}
void write(Canonical& out, const LocalArgument& argument) {
  out << "local" << to_string(argument.type) << argument.length;
}

void write(Canonical& out, const NullArgument&) { out << "null"; }
void write(Canonical& out, const SamplerArgument& argument) { write(out, argument.sampling); }

void write(Canonical& out, const std::vector<std::size_t>& arguments) {
  if (!arguments.empty()) out << "arguments" << static_cast<std::int64_t>(arguments.size());
  for (const std::size_t argument : arguments) out << static_cast<std::int64_t>(argument);
}

void write(Canonical& out, const LaunchStep& step) {
  out << "step" << step.function << step.condition;
  if (!step.repeat.text.empty()) out << "repeat" << step.repeat;
  if (!step.index.empty()) out << "index" << step.index;
  for (const LaunchValue& each : step.values) out << "value" << static_cast<std::int64_t>(each.argument) << each.value;
  for (const std::vector<std::size_t>& swap : step.swaps) {
    out << "swap";
    write(out, swap);
  }
  write(out, step.arguments);
  write(out, step.geometry);
  if (!step.group.empty()) out << "group" << static_cast<std::int64_t>(step.group.size());
  for (const LaunchStep& each : step.group) write(out, each);
}

std::string hash_of_bytes(const std::vector<std::byte>& bytes) {
  return content_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void write(Canonical& out, const std::monostate&) { out << "no reference"; }
void write(Canonical& out, const ReferenceKernel& reference) {
  out << "reference kernel" << reference.source.text << backend::included_files(reference.source).contents;
  write_options(out, reference.source);
  write(out, reference.geometry);
  write(out, reference.arguments);
}
void write(Canonical& out, const ReferenceFunction& reference) {
  const std::string text = text_of(reference.file);
  out << "reference function" << text << reference.function
      << backend::included_files(text, reference.file.parent_path(), {}).contents;
}
void write(Canonical& out, const ReferenceData& reference) {
  out << "reference data";
  for (const auto& [name, path] : reference.outputs) {
    out << name;
    write(out, path);
  }
  for (const auto& [name, bytes] : reference.arrays) out << name << hash_of_bytes(*bytes);
}

std::string hash_of(const Canonical& out) { return content_hash(out.text()); }

std::string geometry_of(const KernelSpec& spec) {
  Canonical out;
  write(out, spec.geometry);
  for (const LaunchStep& step : spec.steps) write(out, step);
  return hash_of(out);
}

std::string arguments_of(const std::vector<Argument>& arguments) {
  Canonical out;
  for (const Argument& argument : arguments) {
    out << argument.name;
    std::visit([&](const auto& kind) { write(out, kind); }, argument.kind);
  }
  return hash_of(out);
}

bool has_outputs(const KernelSpec& spec) {
  return std::ranges::any_of(spec.arguments, [](const Argument& argument) {
    const auto* const vector = std::get_if<VectorArgument>(&argument.kind);
    return vector != nullptr && vector->access != ArgumentAccess::read_only;
  });
}

// Returns the identity's part "reference". If outputs are compared without a reference, the part names the default
// configuration, because another default may leave other outputs.
std::string reference_of(const KernelSpec& spec, const std::string& standard) {
  if (std::holds_alternative<std::monostate>(spec.reference) && !standard.empty() && has_outputs(spec))
    return std::string(kDefaultIsReference) + standard;
  Canonical out;
  std::visit([&](const auto& reference) { write(out, reference); }, spec.reference);
  return hash_of(out);
}

std::string tolerance_of(const Tolerance& tolerance) {
  const auto text = [](const std::optional<double>& number) { return number ? format_real(*number) : "by type"; };
  return fmt::format("absolute {}, relative {}", text(tolerance.absolute), text(tolerance.relative));
}

// Returns the hash of the included files. Returns an empty text if no file is included.
std::string hash_of_included(const KernelSource& source) {
  const std::string contents = backend::included_files(source).contents;
  return contents.empty() ? std::string() : content_hash(contents);
}

std::string problem_size_of(const KernelSpec& spec) {
  std::string text;
  for (const NamedSize& size : spec.problem_size) text += fmt::format("{}{}", text.empty() ? "" : "x", size.value);
  return text;
}

std::string named_sizes_of(const KernelSpec& spec) {
  std::vector<std::string> sizes;
  for (const NamedSize& size : spec.problem_size) sizes.push_back(fmt::format("{} = {}", size.name, size.value));
  return fmt::format("{}", fmt::join(sizes, ", "));
}

void add_code_parts(Identity& identity, const KernelSource& source) {
  identity["kernel source"] = content_hash(source.text);
  identity["included files"] = hash_of_included(source);
  identity["kernel function"] = source.function;
  identity["language"] = to_string(source.language);
  identity["compiler"] = source.compiler == Compiler::nvcc ? "nvcc" : source.host_compiler;
  if (source.returned_unit) identity["returned time"] = fmt::format("in {:g} ns", source.returned_unit->value());
  if (source.parameter_style == ParameterStyle::constants) identity["parameter style"] = "constants";
  for (const auto& [parameter, style] : source.own_styles)
    identity["style of " + parameter] = style == ParameterStyle::constants ? "constant" : "macro";
}

// Adds the parts that describe the code that is compiled.
void add_parts(Identity& identity, const KernelSource& source) {
  add_code_parts(identity, source);
  identity["compile options"] = fmt::format("{}", fmt::join(source.options, " "));
  for (const auto& [name, value] : backend::compiler_environment(source)) identity["environment " + name] = value;
}

// Adds the parts that describe the launches and the contents of their arguments.
void add_launch_parts(Identity& identity, const KernelSpec& spec, const std::vector<Argument>& arguments) {
  identity["problem size"] = named_sizes_of(spec);
  identity["geometry"] = geometry_of(spec);
  identity["arguments"] = arguments_of(arguments);
}

// Adds the parts that describe the launches, the comparison of outputs, and the values that are computed from the
// times.
void add_parts(Identity& identity, const KernelSpec& spec) {
  add_launch_parts(identity, spec, spec.arguments);
  identity["tolerance"] = tolerance_of(spec.tolerance);
  identity[kResourceConstraints] = resource_constraints_of(spec);
  for (const Parameter& parameter : spec.parameters)
    if (parameter.role != ParameterRole::code) identity["role of " + parameter.name] = to_string(parameter.role);
  for (const MetricDefinition& metric : spec.metrics) identity["metric " + metric.name] = metric.expression.text;
}

// Returns the arguments without everything that the spec states about comparing them.
std::vector<Argument> uncompared(std::vector<Argument> arguments) {
  for (Argument& argument : arguments)
    if (auto* vector = std::get_if<VectorArgument>(&argument.kind)) {
      vector->comparison = OutputComparison::elements;
      vector->compared_length = {};
    }
  return arguments;
}

void drop_empty_parts(Identity& identity) {
  std::erase_if(identity, [](const auto& part) { return part.second.empty(); });
}

// Returns the compile options without include folders, which lie elsewhere if the application is built again. The files
// in these folders are hashed as included files.
std::string options_without_folders(const std::vector<std::string>& options) {
  std::string text;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "-I")
      ++i;
    else if (!options[i].starts_with("-I"))
      text += (text.empty() ? "" : " ") + options[i];
  }
  return text;
}

void write_type(Canonical& out, const VectorArgument& argument) {
  out << "vector" << to_string(argument.type) << std::int64_t{argument.vector_width} << enumerator(argument.access)
      << enumerator(argument.place);
  if (argument.image) out << "image" << enumerator(argument.image->type) << enumerator(argument.image->order);
  for (const BufferField& field : argument.fields) out << field.name << to_string(field.type);
}
void write_type(Canonical& out, const ScalarArgument& argument) { out << "scalar" << to_string(argument.type); }
void write_type(Canonical& out, const StructArgument& argument) {
  out << "struct";
  for (const StructField& field : argument.fields) out << field.name << to_string(field.scalar.type);
}
void write_type(Canonical& out, const LocalArgument& argument) { write(out, argument); }
void write_type(Canonical& out, const NullArgument& argument) { write(out, argument); }
void write_type(Canonical& out, const SamplerArgument& argument) { write(out, argument); }

std::string types_of_arguments(const KernelSpec& spec) {
  Canonical out;
  for (const Argument& argument : spec.arguments) {
    out << argument.name;
    std::visit([&](const auto& kind) { write_type(out, kind); }, argument.kind);
  }
  return hash_of(out);
}

std::string values_of_parameters(const KernelSpec& spec) {
  Canonical out;
  for (const Parameter& parameter : spec.parameters) {
    out << "parameter" << parameter.name << enumerator(parameter.role);
    for (const Value& value : parameter.values) out << value.to_string();
  }
  return hash_of(out);
}

std::string_view name_of(CheckOutput check) {
  switch (check) {
    case CheckOutput::every: return "every";
    case CheckOutput::contenders: return "contenders";
    case CheckOutput::winners: return "winners";
    case CheckOutput::never: return "never";
  }
  return "unknown";
}

// Returns a hash of the contents that a caller gave in place of the spec's contents, with the positions of their
// arguments. Returns an empty text if the caller gave none.
std::string given_contents(const std::vector<SharedBytes>& contents) {
  Canonical out;
  for (std::size_t i = 0; i < contents.size(); ++i)
    if (const SharedBytes& each = contents[i])
      out << static_cast<std::int64_t>(i) << content_hash({reinterpret_cast<const char*>(each->data()), each->size()});
  return out.text().empty() ? std::string() : hash_of(out);
}

}  // namespace

std::string reference_of_none() { return reference_of(KernelSpec(), {}); }

std::string resource_constraints_of(const KernelSpec& spec) {
  std::vector<std::string> texts;
  for (const ExpressionText& expression : spec.resource_constraints) texts.push_back(expression.text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

Identity measuring_identity(const EvaluatorOptions& options, const measure::MeasurePolicy& policy) {
  Identity identity = policy.identity();
  identity["cache mode"] = options.cache == Cache::cold ? "cold" : "warm";
  if (options.launching == Launching::graph) identity["launch mode"] = "graph";
  identity["check mode"] = name_of(options.check);
  if (const std::string given = given_contents(options.contents); !given.empty()) identity["given contents"] = given;
  if (options.judge.function) identity["judged by"] = options.judge.description;
  for (const ComputedValue& each : options.computed)
    identity[(each.is_macro ? "computed macro " : "computed ") + each.name] = each.description;
  if (options.writer.function) identity["source written by"] = options.writer.description;
  std::vector<std::string> observed = observed_metrics(options);
  std::ranges::sort(observed);
  identity["observed metrics"] = fmt::format("{}", fmt::join(observed, ", "));
  if (!options.observe.empty()) identity["energy"] = "without set-up and gaps";  // the time excludes both, too
  if (!options.observe.empty() && !options.sensors.empty()) identity["sensors"] = options.sensors;
  return identity;
}

Identity kernel_identity(const KernelSpec& spec) {
  Identity identity;
  add_code_parts(identity, spec.source);
  identity["options of the code"] = options_without_folders(spec.source.options);
  identity["geometry"] = geometry_of(spec);
  identity["types of the arguments"] = types_of_arguments(spec);
  identity["parameters"] = values_of_parameters(spec);
  drop_empty_parts(identity);
  return identity;
}

Identity launch_identity(const KernelSpec& spec) {
  Identity identity;
  add_parts(identity, spec.source);
  add_launch_parts(identity, spec, uncompared(spec.arguments));
  drop_empty_parts(identity);
  return identity;
}

RunInfo describe_run(const KernelSpec& spec, const space::SearchSpace& space, const DeviceInfo& device,
                     const Identity& measuring) {
  RunInfo info;
  // Kernel Tuner reads a cache only if the cache has the name of the function. Spaces that another program recorded
  // have no function.
  info.kernel_name = spec.source.function.empty() ? spec.name : spec.source.function;
  info.kernel_language = to_string(spec.source.language);
  info.problem_size = problem_size_of(spec);
  info.space_hash = space.content_hash();
  info.identity = measuring;
  add_parts(info.identity, spec.source);
  add_parts(info.identity, spec);
  const auto check = measuring.find("check mode");
  const bool checks = check == measuring.end() || check->second != name_of(CheckOutput::never);
  const bool compares = checks && !measuring.contains("judged by");
  const Configuration standard = space.configuration(space.default_configuration());
  info.identity["reference"] = reference_of(spec, compares ? standard.to_string() : std::string());
  drop_empty_parts(info.identity);
  info.device = device;
  info.parameters = space.parameters();
  for (const Constraint& constraint : spec.constraints) info.constraints.push_back(constraint.expression);
  info.default_values = standard.values();
  info.objectives = spec.objectives;
  info.wattune_version = kVersion;
  info.started_at = std::chrono::system_clock::now();
  return info;
}

}  // namespace wattune::tune
