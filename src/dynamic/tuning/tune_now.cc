#include "dynamic/tuning/tune_now.h"

#include "dynamic/calls/captured_arguments.h"
#include "dynamic/screening/application_memory.h"
#include "wattune/measure/policy.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::dynamic {

namespace {

class KeepsNothing : public TrialSink {
 public:
  Result<void> add(const Trial&) override { return {}; }
};

// Returns the number of bytes that are copied from the call's argument in every configuration. Returns 0 if the
// argument is not copied.
std::size_t copied_bytes(const Problem& problem, std::size_t argument, const tune::PlannedArgument& planned) {
  const auto* const vector = std::get_if<VectorArgument>(&problem.spec.arguments[argument].kind);
  const auto* const buffer = std::get_if<tune::PlannedBuffer>(&planned);
  if (vector == nullptr || buffer == nullptr || buffer->pixels) return 0;
  const bool is_read = vector->access != ArgumentAccess::write_only;
  return is_read && problem.plan.has_fixed_length(argument) ? buffer->bytes : 0;
}

// Returns the contents of the call's arguments, by the positions of the arguments in the spec.
Result<std::vector<tune::SharedBytes>> contents_of(const CallToTune& call) {
  std::vector<tune::SharedBytes> contents(call.problem.spec.arguments.size());
  const space::SearchSpace& space = call.problem.space;
  WATTUNE_ASSIGN(const auto planned, call.problem.plan.arguments(space.configuration(space.default_configuration())));
  const std::vector<PassedArgument>& passed = call.signature.passed();
  const std::lock_guard sending(call.lane.sending);
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const std::size_t argument = passed[i].argument;
    const std::size_t bytes = copied_bytes(call.problem, argument, planned[argument]);
    if (bytes == 0) continue;
    WATTUNE_ASSIGN(auto read, read_memory(call.device, *call.lane.stream, call.arguments[i], bytes));
    contents[argument] = std::make_shared<const std::vector<std::byte>>(std::move(read));
  }
  return contents;
}

// Returns the spec with the values of the call. Scalars that the spec computes for each configuration are not replaced.
// The spec's reference is kept, unless it consists of files, which belong to other data.
Result<KernelSpec> spec_of(const CallToTune& call) {
  KernelSpec spec = call.problem.spec;
  const std::vector<PassedArgument>& passed = call.signature.passed();
  for (std::size_t i = 0; i < passed.size(); ++i)
    if (!passed[i].is_memory && !passed[i].is_computed)
      WATTUNE_TRY(capture_value(spec.arguments[passed[i].argument], call.arguments[i].bytes()));
  if (std::holds_alternative<ReferenceData>(spec.reference)) spec.reference = std::monostate();
  return spec;
}

}  // namespace

Result<tune::TuningResult> tune_now(const CallToTune& call, const KeySearch& search) {
  tune::EvaluatorOptions options;
  WATTUNE_ASSIGN(options.contents, contents_of(call));
  WATTUNE_ASSIGN(const KernelSpec spec, spec_of(call));
  const auto policy = measure::make_gated({});
  WATTUNE_ASSIGN(const auto evaluator, tune::make_evaluator(spec, call.problem.space, call.on, *policy, options));
  KeepsNothing sink;
  tune::TuningObserver nobody;
  return tune::tune(call.problem.space, *search.strategy, *evaluator, sink, nobody, {},
                    {.stop = search.stop, .shoot_out = {.max_time = nanoseconds_from_seconds(1)}});
}

}  // namespace wattune::dynamic
