// The part of an Attempt that handles the outputs of its kernel. It compares the outputs with the expected ones, or
// keeps them as the reference for other configurations.
#include <fmt/format.h>

#include <algorithm>

#include "measure/interface/output_check.h"
#include "tune/evaluate/attempt.h"

namespace wattune::inline v0_1::tune {

namespace {

bool is_filled_with(std::byte poison, std::span<const std::byte> contents) {
  return std::ranges::all_of(contents, [poison](std::byte each) { return each == poison; });
}

bool is_poisoned(const Argument& argument) {
  const VectorArgument* const output = as_output(argument);
  return output != nullptr && output->access == ArgumentAccess::write_only;
}

}  // namespace

// Runs a configuration with wrong outputs again on fresh inputs and compares the outputs. The reason is that an earlier
// configuration may have written into the inputs.
bool Attempt::right_on_fresh_inputs() {
  if (observation_.status != Status::correctness) return false;
  run_.session.drop();
  observation_.status = Status::correct;
  observation_.message.clear();
  return launch_once() && compare_outputs();
}

bool Attempt::compare_outputs() {
  if (run_.check == CheckOutput::never) {
    observation_.message = "outputs are never checked";
    return true;
  }
  const Result<const std::vector<ExpectedOutput>*> expected = run_.expected.of(run_, configuration_);
  if (!expected) {
    error_ = expected.error();
    return false;
  }
  bool written = false;
  for (const ExpectedOutput& output : **expected) {
    const Argument& argument = run_.spec.arguments[output.argument];
    const auto actual = run_.session.read(holder_of(launch_, output.argument));
    if (!actual) return fail(Phase::transfer, actual.error());
    std::string wrong = difference(argument, output.rules, output.length, *actual, output.bytes);
    if (!wrong.empty()) return fail(Status::correctness, std::move(wrong));
    written = written || (is_poisoned(argument) && !is_filled_with(measure::kPoison, *actual));
  }
  if (!written && !writes_outputs()) return false;
  if (!please_judge()) return false;
  observation_.verified = !(*expected)->empty() || run_.options.judge.function;
  if (!observation_.verified) observation_.message = run_.expected.verification().why_not;
  return true;
}

// True if the caller's judge accepts the outputs, or if there is no judge.
bool Attempt::please_judge() {
  if (!run_.options.judge.function) return true;
  std::vector<std::vector<std::byte>> outputs(run_.spec.arguments.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (as_output(run_.spec.arguments[i]) == nullptr) continue;
    const auto contents = run_.session.read(holder_of(launch_, i));
    if (!contents) return fail(Phase::transfer, contents.error());
    outputs[i].assign(contents->begin(), contents->end());
  }
  const Result<void> judged = run_.options.judge.function(configuration_, outputs);
  return judged || fail(Status::correctness, judged.error().to_string());
}

// True if the kernel writes to at least one of the poisoned outputs. A second run begins with another poison, so that
// elements that were written with the value of the first poison are found.
bool Attempt::writes_outputs() {
  if (std::ranges::none_of(run_.spec.arguments, is_poisoned)) return true;
  for (std::size_t i = 0; i < run_.spec.arguments.size(); ++i) {
    const Result<bool> same = holds_what_it_began_with(i);
    if (!same) return fail(Phase::transfer, same.error());
    if (!*same) return true;
  }
  const auto ran = run_.session.run(kernels_, launch_, Outputs::fresh_otherwise, 1, run_.limits.run());
  if (!ran) return fail(Phase::launch, ran.error());
  for (std::size_t i = 0; i < run_.spec.arguments.size(); ++i) {
    if (!is_poisoned(run_.spec.arguments[i])) continue;
    const auto contents = run_.session.read(i);
    if (!contents) return fail(Phase::transfer, contents.error());
    if (!is_filled_with(measure::kOtherPoison, *contents)) return true;
  }
  return fail(Status::correctness, "it writes none of its outputs: all hold what they were filled with before the run");
}

// True if the argument still has its initial contents, or if it is not an output.
Result<bool> Attempt::holds_what_it_began_with(std::size_t argument) {
  const VectorArgument* const output = as_output(run_.spec.arguments[argument]);
  if (output == nullptr) return true;
  WATTUNE_ASSIGN(const std::span<const std::byte> contents, run_.session.read(argument));
  if (output->access == ArgumentAccess::write_only) return is_filled_with(measure::kPoison, contents);
  const auto& planned = std::get<PlannedBuffer>(launch_.arguments[argument]);
  WATTUNE_ASSIGN(const std::span<const std::byte> before, run_.contents.get(argument, planned.length));
  return std::ranges::equal(contents, before);
}

bool Attempt::lay_down(const Configuration& standard, std::vector<ExpectedOutput>& outputs,
                       std::vector<std::string>& left_out) {
  const bool good = plan(standard) && build() && fit() && launch_once() && read_expected(outputs) && writes_outputs() &&
                    launch_once() && leave_out_unsteady(outputs, left_out);
  kernels_.clear();
  program_.reset();
  return good;
}

bool Attempt::read_expected(std::vector<ExpectedOutput>& outputs) {
  for (ExpectedOutput& output : outputs) {
    const auto contents = run_.session.read(holder_of(launch_, output.argument));
    if (!contents) return fail(Phase::transfer, contents.error());
    output.bytes.assign(contents->begin(), contents->end());
  }
  for (ExpectedOutput& output : outputs)
    output.rules =
        rules_to_scale(run_.spec.arguments[output.argument], run_.spec.tolerance, output.length, output.bytes);
  return true;
}

bool Attempt::leave_out_unsteady(std::vector<ExpectedOutput>& outputs, std::vector<std::string>& left_out) {
  left_out.clear();
  for (ExpectedOutput& output : outputs) {
    const auto contents = run_.session.read(holder_of(launch_, output.argument));
    if (!contents) return fail(Phase::transfer, contents.error());
    for (const std::string& what : leave_out_different(run_.spec.arguments[output.argument], output.length, *contents,
                                                       output.bytes, output.rules))
      left_out.push_back("not compared, as two runs of the default configuration differ: " + what);
  }
  return true;
}

}  // namespace wattune::tune
