// RunInfo and its hashes. The options are written as netstrings ("5:hello,"), which no content can make ambiguous, in
// the fixed order of this file; a change of that order would make old journals look different.
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "wattune/core/hash.h"
#include "wattune/core/version.h"
#include "wattune/tune/evaluator.h"

namespace wattune::tune {

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
std::int64_t number_of(Enum value) {
  return static_cast<std::int64_t>(value);
}

void write(Canonical& out, const Geometry& geometry) {
  out << "geometry" << number_of(geometry.convention);
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

void write_options(Canonical& out, const KernelSource& source) {
  out << number_of(source.language) << source.function << static_cast<std::int64_t>(source.options.size());
  for (const std::string& option : source.options) out << option;
  if (source.compiler == Compiler::nvcc) out << "nvcc";
  if (source.parameter_style == ParameterStyle::constants) out << "constants";
}

// Files count by name: a folder that moved is not another problem.
void write(Canonical& out, const FillConstant& fill) { out << "constant" << fill.value; }
void write(Canonical& out, const FillUniform& fill) {
  out << "uniform" << fill.low << fill.high << static_cast<std::int64_t>(fill.seed);
}
void write(Canonical& out, const FillNormal& fill) {
  out << "normal" << fill.mean << fill.deviation << static_cast<std::int64_t>(fill.seed);
}
void write(Canonical& out, const FillIota& fill) { out << "iota" << fill.start << fill.step; }
void write(Canonical& out, const FillExpression& fill) { out << "expression" << fill.expression; }
void write(Canonical& out, const FillFile& fill) { out << "file" << fill.path.filename().string(); }

void write(Canonical& out, const VectorArgument& argument) {
  out << "vector" << to_string(argument.type) << std::int64_t{argument.vector_width} << argument.length
      << number_of(argument.access);
  if (argument.place == BufferPlace::constant) out << "constant symbol";
  if (argument.comparison != OutputComparison::elements) out << "compared" << number_of(argument.comparison);
  if (!argument.compared_length.text.empty()) out << "compared length" << argument.compared_length;
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

void write(Canonical& out, const std::vector<std::size_t>& arguments) {
  if (!arguments.empty()) out << "arguments" << static_cast<std::int64_t>(arguments.size());
  for (const std::size_t argument : arguments) out << static_cast<std::int64_t>(argument);
}

void write(Canonical& out, const LaunchStep& step) {
  out << "step" << step.function << step.condition;
  if (!step.repeat.text.empty()) out << "repeat" << step.repeat;
  write(out, step.arguments);
  write(out, step.geometry);
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(Canonical& out, const std::monostate&) { out << "no reference"; }
void write(Canonical& out, const ReferenceKernel& reference) {
  out << "reference kernel" << reference.source.text;
  write_options(out, reference.source);
  write(out, reference.geometry);
  write(out, reference.arguments);
}
void write(Canonical& out, const ReferenceFunction& reference) {
  out << "reference function" << text_of(reference.file) << reference.function;
}
void write(Canonical& out, const ReferenceData& reference) {
  out << "reference data";
  for (const auto& [name, path] : reference.outputs) out << name << path.filename().string();
}

std::string options_of(const KernelSpec& spec) {
  Canonical out;
  write_options(out, spec.source);
  for (const NamedSize& size : spec.problem_size) out << size.name << size.value;
  write(out, spec.geometry);
  for (const LaunchStep& step : spec.steps) write(out, step);
  for (const Argument& argument : spec.arguments) {
    out << argument.name;
    std::visit([&](const auto& kind) { write(out, kind); }, argument.kind);
  }
  std::visit([&](const auto& reference) { write(out, reference); }, spec.reference);
  out << spec.tolerance.absolute << spec.tolerance.relative;
  for (const ExpressionText& constraint : spec.resource_constraints) out << "resources" << constraint;
  return out.text();
}

std::string problem_size_of(const KernelSpec& spec) {
  std::string text;
  for (const NamedSize& size : spec.problem_size) text += fmt::format("{}{}", text.empty() ? "" : "x", size.value);
  return text;
}

}  // namespace

RunInfo describe_run(const KernelSpec& spec, const space::SearchSpace& space, const DeviceInfo& device) {
  RunInfo info;
  // Kernel Tuner reads a cache only under the function's name. Spaces that were recorded elsewhere have none.
  info.kernel_name = spec.source.function.empty() ? spec.name : spec.source.function;
  info.kernel_language = to_string(spec.source.language);
  info.problem_size = problem_size_of(spec);
  info.source_hash = content_hash(spec.source.text);
  info.options_hash = content_hash(options_of(spec));
  info.space_hash = space.content_hash();
  info.device = device;
  info.parameters = space.parameters();
  for (const Constraint& constraint : spec.constraints) info.constraints.push_back(constraint.expression);
  info.default_values = space.configuration(space.default_configuration()).values();
  info.objectives = spec.objectives;
  info.wattune_version = kVersion;
  info.started_at = std::chrono::system_clock::now();
  return info;
}

}  // namespace wattune::tune
