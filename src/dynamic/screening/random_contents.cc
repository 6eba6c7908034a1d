#include "dynamic/screening/random_contents.h"

#include <algorithm>
#include <optional>

#include "measure/interface/arguments.h"
#include "tune/interface/launch_plan.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// The largest number of sequences that are kept for all kernels of a tuner, and of bytes in each. The oldest sequence
// is dropped first. Longer sequences are not kept.
constexpr std::size_t kMostSequences = 8;
constexpr std::size_t kMostSequenceBytes = std::size_t{128} << 20;

std::optional<std::variant<FillUniform, FillNormal>> random_fill(const VectorArgument& argument) {
  if (argument.access == ArgumentAccess::write_only || !argument.fields.empty()) return std::nullopt;
  if (const auto* const uniform = std::get_if<FillUniform>(&argument.fill)) return *uniform;
  if (const auto* const normal = std::get_if<FillNormal>(&argument.fill)) return *normal;
  return std::nullopt;
}

}  // namespace

RandomContents::Contents RandomContents::of(const KernelSpec& spec, const space::SearchSpace& space) {
  Result<Contents> contents = find(spec, space);
  return contents ? *std::move(contents) : Contents();
}

Result<RandomContents::Contents> RandomContents::find(const KernelSpec& spec, const space::SearchSpace& space) {
  const auto names = std::make_shared<const tune::Names>(spec.problem_size, space.parameters());
  WATTUNE_ASSIGN(const tune::LaunchPlan plan, tune::LaunchPlan::compile(spec, launches_of(spec), names));
  WATTUNE_ASSIGN(const auto planned, plan.arguments(space.configuration(space.default_configuration())));
  Contents contents(planned.size());
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const auto* const buffer = std::get_if<tune::PlannedBuffer>(&planned[i]);
    const auto* const argument = std::get_if<VectorArgument>(&spec.arguments[i].kind);
    const auto fill = buffer && argument && !buffer->pixels ? random_fill(*argument) : std::nullopt;
    if (!fill || buffer->bytes > kMostSequenceBytes || !plan.has_fixed_length(i)) continue;
    const Sequence sequence{*fill, argument->type, argument->vector_width, argument->padding, i + 1};
    WATTUNE_ASSIGN(contents[i], beginning_of(sequence, *argument, buffer->length));
  }
  return contents;
}

// Returns the first elements of a sequence, at least `length` of them. When a sequence must grow, more elements than
// needed are drawn, so that not every key with slightly larger sizes makes it grow again.
Result<tune::SharedBytes> RandomContents::beginning_of(const Sequence& sequence, const VectorArgument& argument,
                                                       std::size_t length) {
  const std::size_t element = element_bytes(argument);
  auto found = std::ranges::find(kept_, sequence, &Kept::sequence);
  if (found == kept_.end()) {
    if (kept_.size() == kMostSequences) kept_.pop_front();
    found = kept_.insert(kept_.end(), Kept{sequence, std::make_shared<std::vector<std::byte>>()});
  }
  const std::size_t had = found->bytes->size() / element;
  if (had < length) {
    const std::size_t drawn = std::max(length, std::min(2 * had, kMostSequenceBytes / element));
    WATTUNE_ASSIGN(std::vector<std::byte> bytes, measure::make_contents(argument, drawn, sequence.seed));
    found->bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  }
  return found->bytes;
}

}  // namespace wattune::dynamic
