#include "tune/evaluate/expected_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/interface/build_log.h"
#include "core/interface/suggest.h"
#include "measure/interface/arguments.h"
#include "measure/interface/output_check.h"
#include "tune/evaluate/argument_check.h"
#include "tune/evaluate/default_outputs.h"
#include "tune/evaluate/evaluation_context.h"
#include "tune/evaluate/reminder.h"
#include "tune/interface/compared_parts.h"

namespace wattune::inline v0_1::tune {

namespace {

// The largest number of bytes of expected outputs that are kept in addition to the newest outputs.
constexpr std::size_t kMostKeptAnswerBytes = std::size_t{1} << 30;

// True if the same expected contents of an output hold for all configurations.
bool fits_all(const EvaluationContext& run, std::size_t argument) {
  const VectorArgument* output = as_output(run.spec.arguments[argument]);
  return output != nullptr && is_comparable(*output, run.plan.has_fixed_length(argument));
}

Result<std::vector<ExpectedOutput>> outputs_for_reference(const EvaluationContext& run) {
  WATTUNE_ASSIGN(std::vector<ExpectedOutput> outputs, comparable_outputs(run));
  if (outputs.empty())
    return Error(ErrorCode::invalid_argument,
                 "the spec has a reference, but no output of fixed length to compare with it")
        .hint("declare outputs with access write or readwrite; compare = \"sum\" fits any length");
  return outputs;
}

Result<std::vector<ExpectedOutput>> expect(EvaluationContext&, const Configuration&, std::monostate) {
  return std::vector<ExpectedOutput>();
}

Error past_limit_or_as_it_is(const Error& error, Nanoseconds limit) {
  if (error.code() != ErrorCode::timeout) return error;
  return Error(ErrorCode::timeout, fmt::format("took longer than its limit of {:g} s", to_seconds(limit)))
      .hint("another reference limit, or `seconds` of [reference], changes that");
}

Result<std::unique_ptr<backend::Program>> build_reference(EvaluationContext& run, const KernelSource& source,
                                                          const std::vector<backend::Macro>& macros) {
  const Nanoseconds limit = run.limits.compile();
  if (run.options.reference_compilers == nullptr) return run.device.build(source, macros, limit);
  WATTUNE_ASSIGN(const backend::Image image, run.options.reference_compilers->take(macros, limit).image);
  return run.device.load(image, macros, limit);
}

Result<void> launch_reference(EvaluationContext& run, const Configuration& configuration,
                              const ReferenceKernel& reference) {
  WATTUNE_ASSIGN(const std::vector<backend::Macro> macros, run.by_configuration.macros(configuration));
  WATTUNE_ASSIGN(const Configuration values, run.by_configuration.complete(configuration));
  LaunchStep step;
  const KernelSource sized = sized_source(run.spec, reference.source);
  step.function = sized.function;
  step.geometry = reference.geometry;
  step.arguments = reference.arguments;
  if (step.arguments.empty()) step.arguments = single_launches_of(run.spec).front().arguments;
  WATTUNE_ASSIGN(const LaunchPlan plan, LaunchPlan::compile(run.spec, {step}, run.plan.names()));
  WATTUNE_ASSIGN(const Launch launch, plan.evaluate(values));
  const KernelSource source = with_calls(sized, run.spec, {step});
  const auto built = build_reference(run, source, macros);
  if (!built) return backend::without_log(built.error());
  Kernels kernels;
  std::unique_ptr<backend::Kernel>& kernel = kernels[step.function];
  WATTUNE_ASSIGN(kernel, (*built)->kernel(step.function));
  WATTUNE_TRY(check_arguments(*kernel, run.spec, launch, launch.steps.front()));
  WATTUNE_TRY(run.session.prepare(launch.arguments));
  const auto ran = run.session.run(kernels, launch, Outputs::fresh, 1, run.reference_limit);
  if (!ran) return past_limit_or_as_it_is(ran.error(), run.reference_limit);
  WATTUNE_ASSIGN(const std::string writes, run.session.out_of_bounds_writes());
  if (!writes.empty()) return Error(ErrorCode::launch_failed, writes);
  return {};
}

Result<std::vector<ExpectedOutput>> expect(EvaluationContext& run, const Configuration& configuration,
                                           const ReferenceKernel& reference) {
  WATTUNE_ASSIGN(std::vector<ExpectedOutput> outputs, outputs_for_reference(run));
  if (Result<void> done = launch_reference(run, configuration, reference); !done)
    return std::move(done).error().with_context(fmt::format("reference kernel `{}`", reference.source.function));
  for (ExpectedOutput& output : outputs) {
    WATTUNE_ASSIGN(const auto bytes, run.session.read(output.argument));
    output.bytes.assign(bytes.begin(), bytes.end());
  }
  return outputs;
}

// Returns an argument in the form in which a reference function gets it. Outputs are poisoned, as they are on the
// device. The result refers to `planned` and to the run's contents.
Result<measure::HostArgument> host_argument(EvaluationContext& run, std::size_t position,
                                            const PlannedArgument& planned) {
  const Argument& argument = run.spec.arguments[position];
  measure::HostArgument host{.name = argument.name};
  if (const auto* scalar = std::get_if<backend::ScalarBytes>(&planned)) {
    host.bytes = scalar->bytes.size();
    host.length = 1;
    host.writable = true;
    host.contents = scalar->bytes;
  }
  const auto* buffer = std::get_if<PlannedBuffer>(&planned);
  if (buffer == nullptr) return host;
  const auto& vector = std::get<VectorArgument>(argument.kind);
  host.bytes = buffer->bytes;
  host.length = buffer->length * (vector.vector_width + vector.padding);
  host.writable = vector.access != ArgumentAccess::read_only;
  host.fill = measure::kPoison;
  if (vector.access == ArgumentAccess::write_only) return host;
  WATTUNE_ASSIGN(host.contents, run.contents.get(position, buffer->length));
  return host;
}

Result<std::vector<ExpectedOutput>> expect(EvaluationContext& run, const Configuration& configuration,
                                           const ReferenceFunction& reference) {
  WATTUNE_ASSIGN(std::vector<ExpectedOutput> outputs, outputs_for_reference(run));
  WATTUNE_ASSIGN(const auto planned, run.arguments(configuration));
  std::vector<measure::HostArgument> arguments(planned.size());
  for (std::size_t i = 0; i < planned.size(); ++i) {
    WATTUNE_ASSIGN(arguments[i], host_argument(run, i, planned[i]));
  }
  for (const ExpectedOutput& output : outputs) arguments[output.argument].wanted = true;
  if (Result<void> done = measure::run_reference_function(
          reference, arguments, {.limit = run.reference_limit, .worker = run.options.where.worker});
      !done)
    return std::move(done).error().with_context("reference function");
  for (ExpectedOutput& output : outputs) output.bytes = std::move(arguments[output.argument].result);
  return outputs;
}

// Returns the position of an output by its name, or an Error that suggests the nearest name.
Result<std::size_t> find_output(const std::vector<Argument>& arguments, const std::string& name) {
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (as_output(arguments[i]) == nullptr) continue;
    if (arguments[i].name == name) return i;
    outputs.push_back(arguments[i].name);
  }
  const bool is_input =
      std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == name; });
  return Error(is_input ? ErrorCode::invalid_argument : ErrorCode::not_found,
               is_input ? "the reference names an argument that is no output" : "the reference names an unknown output")
      .about(name)
      .hint(suggest(name, outputs));
}

// Reads a file as the elements of an output that is planned as `buffer`.
Result<std::vector<std::byte>> read_output(const std::filesystem::path& file, const VectorArgument& output,
                                           const PlannedBuffer& buffer) {
  return output.fields.empty() ? measure::read_data_file(file, output, buffer.length)
                               : measure::read_data_file(file, ElementType::uint8, buffer.bytes);
}
Result<std::vector<std::byte>> read_output(const SharedBytes& array, const VectorArgument&,
                                           const PlannedBuffer& buffer) {
  if (array->size() == buffer.bytes) return *array;
  return Error(ErrorCode::mismatch,
               fmt::format("size mismatch: {} bytes are needed, {} are given", buffer.bytes, array->size()));
}

// Adds an output with its expected contents, which come from a file or an array.
template <typename Source>
Result<void> add_expected(EvaluationContext& run, const std::vector<PlannedArgument>& planned, const std::string& name,
                          const Source& source, std::vector<ExpectedOutput>& outputs) {
  WATTUNE_ASSIGN(const std::size_t argument, find_output(run.spec.arguments, name));
  if (!run.plan.has_fixed_length(argument))
    return Error(ErrorCode::invalid_argument, "the length of an output with reference data depends on parameters")
        .at(run.spec.arguments[argument].position)
        .about(name);
  const VectorArgument& vector = *as_output(run.spec.arguments[argument]);
  WATTUNE_ASSIGN(const auto length, compared_length(vector, run.plan.names()));
  Result<std::vector<std::byte>> bytes = read_output(source, vector, std::get<PlannedBuffer>(planned[argument]));
  if (!bytes)
    return std::move(bytes)
        .error()
        .at(run.spec.arguments[argument].position)
        .with_context(fmt::format("reference data of output `{}`", name));
  outputs.push_back({argument, length, *std::move(bytes)});
  return {};
}

Result<std::vector<ExpectedOutput>> expect(EvaluationContext& run, const Configuration& configuration,
                                           const ReferenceData& reference) {
  WATTUNE_ASSIGN(const auto planned, run.arguments(configuration));
  std::vector<ExpectedOutput> outputs;
  for (const auto& [name, file] : reference.outputs) WATTUNE_TRY(add_expected(run, planned, name, file, outputs));
  for (const auto& [name, array] : reference.arrays) WATTUNE_TRY(add_expected(run, planned, name, array, outputs));
  return outputs;
}

Result<std::vector<std::byte>> scalars_of(EvaluationContext& run, const Configuration& configuration) {
  WATTUNE_ASSIGN(const auto planned, run.arguments(configuration));
  std::vector<std::byte> scalars;
  for (const PlannedArgument& argument : planned)
    if (const auto* scalar = std::get_if<backend::ScalarBytes>(&argument))
      scalars.insert(scalars.end(), scalar->bytes.begin(), scalar->bytes.end());
  return scalars;
}

std::size_t bytes_of(const std::vector<ExpectedOutput>& outputs) {
  std::size_t bytes = 0;
  for (const ExpectedOutput& output : outputs) bytes += output.bytes.size();
  return bytes;
}

}  // namespace

const VectorArgument* as_output(const Argument& argument) {
  const auto* vector = std::get_if<VectorArgument>(&argument.kind);
  return vector != nullptr && vector->access != ArgumentAccess::read_only ? vector : nullptr;
}

Result<std::vector<ExpectedOutput>> comparable_outputs(const EvaluationContext& run) {
  std::vector<ExpectedOutput> outputs;
  for (std::size_t i = 0; i < run.spec.arguments.size(); ++i) {
    if (!fits_all(run, i)) continue;
    WATTUNE_ASSIGN(const auto length, compared_length(*as_output(run.spec.arguments[i]), run.plan.names()));
    outputs.push_back({i, length, {}});
  }
  return outputs;
}

Result<void> check_lengths(EvaluationContext& run, const Configuration& configuration,
                           const std::vector<ExpectedOutput>& outputs) {
  WATTUNE_ASSIGN(const auto planned, run.arguments(configuration));
  for (const ExpectedOutput& output : outputs) {
    const VectorArgument& vector = *as_output(run.spec.arguments[output.argument]);
    const std::size_t elements = std::get<PlannedBuffer>(planned[output.argument]).length;
    if (output.length.value_or(0) > elements)
      return Error(ErrorCode::invalid_argument,
                   fmt::format("`compare_length` is {}, but the output has {} elements", *output.length, elements))
          .at(vector.compared_length.position)
          .about(vector.compared_length.text);
  }
  return {};
}

Result<void> ExpectedOutputs::start(EvaluationContext& run, const Configuration& standard) {
  standard_ = standard;
  WATTUNE_TRY(of(run, standard));
  return {};
}

Result<const std::vector<ExpectedOutput>*> ExpectedOutputs::of(EvaluationContext& run,
                                                               const Configuration& configuration) {
  static const std::vector<ExpectedOutput> kNothing;
  if (!standard_) return &kNothing;
  Answer answer;
  if (std::holds_alternative<ReferenceFunction>(run.spec.reference)) {
    WATTUNE_ASSIGN(answer.scalars, scalars_of(run, configuration));
  }
  const auto known = std::ranges::find(answers_, answer.scalars, &Answer::scalars);
  if (known != answers_.end()) return &known->outputs;
  WATTUNE_ASSIGN(answer.outputs, compute(run, configuration));
  forget_beyond(kMostKeptAnswerBytes);
  answers_.push_front(std::move(answer));
  return &answers_.front().outputs;
}

Result<std::vector<ExpectedOutput>> ExpectedOutputs::compute(EvaluationContext& run,
                                                             const Configuration& configuration) {
  if (std::holds_alternative<std::monostate>(run.spec.reference)) {
    if (!run.options.judge.function) return run_default(run, *standard_, verification_);
    verification_.by = run.options.judge.description;
    return std::vector<ExpectedOutput>();
  }
  const bool by_scalars = std::holds_alternative<ReferenceFunction>(run.spec.reference);
  const Configuration& seen = by_scalars ? configuration : *standard_;
  const Reminder reminder(run.options.on_slow_reference, "the reference", run.reference_limit);
  WATTUNE_ASSIGN(auto outputs,
                 std::visit([&](const auto& reference) { return expect(run, seen, reference); }, run.spec.reference));
  WATTUNE_TRY(check_lengths(run, seen, outputs));
  for (ExpectedOutput& output : outputs)
    output.rules = rules_of(*as_output(run.spec.arguments[output.argument]), run.spec.tolerance);
  verification_.by = "reference";
  return outputs;
}

void ExpectedOutputs::forget_beyond(std::size_t most) {
  std::size_t bytes = 0;
  for (const Answer& answer : answers_) bytes += bytes_of(answer.outputs);
  for (; bytes > most; answers_.pop_back()) bytes -= bytes_of(answers_.back().outputs);
}

}  // namespace wattune::tune
