#include "dynamic/tuning/shadow.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic/screening/application_memory.h"
#include "tune/interface/compared_parts.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

namespace {

constexpr Nanoseconds kLongestShadow = nanoseconds_from_seconds(60);

}  // namespace

Result<std::unique_ptr<Shadow>> Shadow::make(std::shared_ptr<const Problem> problem, backend::Device& device,
                                             Streams& streams, bool compares) {
  WATTUNE_ASSIGN(Signature signature, Signature::make(problem->spec));
  std::unique_ptr<Shadow> shadow(new Shadow(std::move(problem), std::move(signature), device, streams));
  WATTUNE_TRY(shadow->add_outputs());
  if (compares && std::ranges::none_of(shadow->outputs_, &Output::is_compared))
    return Error(ErrorCode::unavailable, "no output can be compared with that of the best known")
        .hint("TuningPolicy::adopt_unverified allows that");
  return shadow;
}

// Plans the outputs for the sizes of this call. Sizes may differ between calls of one key.
Result<void> Shadow::plan_for(std::span<const CallArgument> arguments) {
  if (!problem_->has_other_sizes) return {};
  CallSizes sizes;
  WATTUNE_TRY(signature_.read_sizes(arguments, {}, sizes));
  if (sizes == sizes_) return {};
  WATTUNE_ASSIGN(planned_, Problem::make(problem_->spec, signature_.named(sizes), problem_->key, problem_.get()));
  sizes_ = sizes;
  outputs_.clear();
  return add_outputs();
}

Result<void> Shadow::add_outputs() {
  const space::SearchSpace& space = planned_->space;
  WATTUNE_ASSIGN(const auto planned, planned_->plan.arguments(space.configuration(space.default_configuration())));
  const std::vector<PassedArgument>& passed = signature_.passed();
  for (std::size_t i = 0; i < passed.size(); ++i)
    if (passed[i].is_memory) WATTUNE_TRY(add_output(passed[i], i, planned[passed[i].argument]));
  return {};
}

// Adds an output. An output whose length depends on parameters is scratch memory. Its saved length is the one that the
// default configuration needs.
Result<void> Shadow::add_output(const PassedArgument& given, std::size_t passed, const tune::PlannedArgument& planned) {
  const Argument& argument = planned_->spec.arguments[given.argument];
  const auto* const vector = std::get_if<VectorArgument>(&argument.kind);
  const auto* const buffer = std::get_if<tune::PlannedBuffer>(&planned);
  if (vector == nullptr || buffer == nullptr || vector->access == ArgumentAccess::read_only) return {};
  if (buffer->pixels)
    return Error(ErrorCode::unavailable,
                 fmt::format("output `{}` is an image, of which no copies are compared", argument.name));
  WATTUNE_ASSIGN(const auto length, tune::compared_length(*vector, planned_->plan.names()));
  outputs_.push_back({.argument = given.argument,
                      .passed = passed,
                      .bytes = buffer->bytes,
                      .is_compared = tune::is_comparable(*vector, planned_->plan.has_fixed_length(given.argument)),
                      .length = length});
  return {};
}

Result<ShadowedCall> Shadow::run(const CallStream& stream, std::span<const CallArgument> arguments, Variant& best,
                                 Variant& candidate) {
  const Stopwatch stopwatch;
  const backend::RelaxedCapture relaxed;  // memory may be allocated while another thread captures
  WATTUNE_ASSIGN(Lane* const lane, streams_.find(stream));
  const std::lock_guard sending(lane->sending);
  const std::lock_guard running(running_);
  WATTUNE_TRY(plan_for(arguments));
  WATTUNE_TRY(save(*lane, arguments));
  Result<TimedCall> tried = candidate.send_timed(stream, arguments);
  if (tried)
    if (Result<void> done = read(*lane, &Output::by_candidate); !done) tried = done.error();
  Result<void> restored = restore(*lane);
  Result<TimedCall> kept = restored ? best.send_timed(stream, arguments) : restored.error();
  if (kept)
    if (Result<void> done = read(*lane, &Output::by_best); !done) kept = done.error();
  std::string wrong;
  if (tried && kept) {
    WATTUNE_ASSIGN(wrong, difference(best.configuration(), candidate.configuration()));
    if (!wrong.empty()) tried = Error(ErrorCode::mismatch, wrong);
  }
  return ShadowedCall{std::move(kept), std::move(tried), !wrong.empty(), stopwatch.elapsed()};
}

// Finds the memory of an output. This memory is written even if the call passes a buffer object of this library, which
// is const.
Result<void> Shadow::find(Output& output, const CallArgument& given) {
  output.adopted.reset();
  if (given.buffer() != nullptr) {
    output.original = const_cast<backend::Buffer*>(given.buffer());
  } else {
    WATTUNE_ASSIGN(output.adopted, adopt_memory(device_, given.memory(), output.bytes));
    output.original = output.adopted.get();
  }
  if (output.saved != nullptr && output.saved->bytes() == output.original->bytes()) return {};
  WATTUNE_ASSIGN(output.saved, device_.create_buffer(output.original->bytes()));
  return {};
}

Result<void> Shadow::save(Lane& lane, std::span<const CallArgument> arguments) {
  for (Output& output : outputs_) WATTUNE_TRY(find(output, arguments[output.passed]));
  for (Output& output : outputs_) WATTUNE_TRY(lane.stream->copy(*output.original, *output.saved));
  return {};
}

Result<void> Shadow::restore(Lane& lane) {
  for (Output& output : outputs_) WATTUNE_TRY(lane.stream->copy(*output.saved, *output.original));
  return {};
}

Result<void> Shadow::read(Lane& lane, std::vector<std::byte> Output::*into) {
  for (Output& output : outputs_) {
    if (!output.is_compared) continue;
    (output.*into).resize(output.original->bytes());
    WATTUNE_TRY(lane.stream->read(*output.original, output.*into));
  }
  return lane.stream->finish(kLongestShadow);
}

Result<std::string> Shadow::difference(const Configuration& best, const Configuration& candidate) const {
  WATTUNE_ASSIGN(const auto of_best, planned_->plan.arguments(best));
  WATTUNE_ASSIGN(const auto of_candidate, planned_->plan.arguments(candidate));
  const auto part = [](const std::vector<std::byte>& bytes, const tune::PlannedArgument& planned) {
    return std::span(bytes).first(std::min(bytes.size(), std::get<tune::PlannedBuffer>(planned).bytes));
  };
  for (const Output& output : outputs_) {
    if (!output.is_compared) continue;
    const Argument& argument = planned_->spec.arguments[output.argument];
    std::string wrong = tune::difference(
        argument, tune::rules_of(std::get<VectorArgument>(argument.kind), planned_->spec.tolerance), output.length,
        part(output.by_candidate, of_candidate[output.argument]), part(output.by_best, of_best[output.argument]));
    if (!wrong.empty()) return wrong;
  }
  return std::string();
}

}  // namespace wattune::dynamic
