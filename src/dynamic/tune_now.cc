#include "dynamic/tune_now.h"

#include <fmt/format.h>

#include <fstream>

#include "backend/compiler_program.h"
#include "dynamic/application_memory.h"
#include "dynamic/captured_arguments.h"
#include "wattune/measure/policy.h"
#include "wattune/tune/tuner.h"

namespace wattune::dynamic {

namespace {

constexpr Nanoseconds kLongestUntilNow = nanoseconds_from_seconds(60);
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

class KeepsNothing : public TrialSink {
 public:
  Result<void> add(const Trial&) override { return {}; }
};

// What the call passes, by the positions of the spec's arguments.
Result<std::vector<std::vector<std::byte>>> contents_of(const CallToTune& call) {
  std::vector<std::vector<std::byte>> contents(call.problem.spec.arguments.size());
  const space::SearchSpace& space = call.problem.space;
  WATTUNE_ASSIGN(const auto planned, call.problem.plan.arguments(space.configuration(space.default_configuration())));
  const std::vector<PassedArgument>& passed = call.signature.passed();
  for (std::size_t i = 0; i < passed.size(); ++i) {
    std::vector<std::byte>& bytes = contents[passed[i].argument];
    bytes.assign(call.arguments[i].bytes().begin(), call.arguments[i].bytes().end());
    const auto* const buffer = std::get_if<tune::PlannedBuffer>(&planned[passed[i].argument]);
    const auto* const vector = std::get_if<VectorArgument>(&call.problem.spec.arguments[passed[i].argument].kind);
    if (buffer == nullptr || vector == nullptr || vector->access == ArgumentAccess::write_only) continue;
    WATTUNE_ASSIGN(bytes, read_memory(call.device, call.stream, call.arguments[i], buffer->bytes));
  }
  return contents;
}

Result<void> write_file(const std::filesystem::path& path, Bytes contents) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
  if (file.flush()) return {};
  return Error(ErrorCode::io_error, "cannot keep the contents of an argument").about(path.string());
}

// The files become the arguments' fills. What the spec computes for each configuration stays the spec's, and so does
// its reference, but for files, which are of other data.
Result<KernelSpec> spec_on(const CallToTune& call, const std::vector<std::vector<std::byte>>& contents,
                           const backend::TemporaryFolder& folder) {
  KernelSpec spec = call.problem.spec;
  const CapturedCall captured{.arguments = {contents.begin(), contents.end()}};
  WATTUNE_ASSIGN(const auto files, capture_arguments(spec, captured, "call", kMostBytes));
  for (const CapturedFile& file : files) WATTUNE_TRY(write_file(folder / file.name.c_str(), file.contents));
  for (Argument& argument : spec.arguments)
    if (auto* const vector = std::get_if<VectorArgument>(&argument.kind))
      if (auto* const file = std::get_if<FillFile>(&vector->fill)) file->path = folder / file->path.c_str();
  for (const PassedArgument& passed : call.signature.passed())
    if (passed.is_computed) spec.arguments[passed.argument] = call.problem.spec.arguments[passed.argument];
  if (!std::holds_alternative<ReferenceData>(call.problem.spec.reference)) spec.reference = call.problem.spec.reference;
  return spec;
}

}  // namespace

Result<tune::TuningResult> tune_now(const CallToTune& call, const KeySearch& search) {
  WATTUNE_TRY(call.stream.finish(kLongestUntilNow));
  WATTUNE_ASSIGN(const auto contents, contents_of(call));
  WATTUNE_ASSIGN(const backend::TemporaryFolder folder, backend::TemporaryFolder::create());
  WATTUNE_ASSIGN(const KernelSpec spec, spec_on(call, contents, folder));
  const auto policy = measure::make_gated({});
  WATTUNE_ASSIGN(const auto evaluator,
                 tune::make_evaluator(spec, call.problem.space, call.on, *policy, {.reference_worker = call.worker}));
  KeepsNothing sink;
  tune::TuningObserver nobody;
  return tune::tune(call.problem.space, *search.strategy, *evaluator, sink, nobody, {},
                    {.stop = search.stop, .shoot_out = {.max_time = nanoseconds_from_seconds(1)}});
}

}  // namespace wattune::dynamic
