#include "run.h"

#include <chrono>
#include <cmath>

namespace fourier {
namespace {

using namespace wattune;
using Clock = std::chrono::steady_clock;

// The largest relative difference of the weights in a correct run. One missing call among the 1,280 of Petrovic et al.
// 2020 makes a difference of 8e-4. The resolution of the table and the order of additions make less than a tenth of
// that.
constexpr double kWeightTolerance = 2e-4;
constexpr double kLeastCorrelation = 0.9;
constexpr double kLargestError = 0.1;

Nanoseconds since(Clock::time_point begin) {
  return Nanoseconds(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
}

double expected_weight(const std::vector<double>& weights, std::uint64_t calls) {
  double sum = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    sum += weights[i] * static_cast<double>((calls + weights.size() - 1 - i) / weights.size());
  return sum;
}

bool is_wrong(const Outcome& outcome, double expected) {
  return std::abs(outcome.weight - expected) > kWeightTolerance * expected ||
         outcome.likeness.correlation < kLeastCorrelation || outcome.likeness.density_error > kLargestError;
}

void note_call(Run& run, Nanoseconds sending, Nanoseconds waiting) {
  run.longest_call = std::max(run.longest_call, sending + waiting);
  if (run.stretches.empty() || run.stretches.back().calls == kStretch) run.stretches.emplace_back();
  Stretch& stretch = run.stretches.back();
  ++stretch.calls;
  stretch.sending += sending;
  stretch.waiting += waiting;
  ++run.settled.calls;
  run.settled.elapsed += sending + waiting;
}

Result<void> make_calls(Application& application, Inserter& inserter, const Options& options, Run& run) {
  const auto begin = Clock::now();
  const auto goes_on = [&] {
    return options.seconds > 0.0 ? run.elapsed < nanoseconds_from_seconds(options.seconds) : run.calls < options.calls;
  };
  while (goes_on()) {
    const std::size_t explored = inserter.explored().size();
    const auto called = Clock::now();
    WATTUNE_TRY(inserter.insert(run.calls++ % application.batches().size()));
    const Nanoseconds sending = since(called);
    WATTUNE_TRY(run.calls % options.wait_every == 0 ? application.finish() : application.submit());
    note_call(run, sending, since(called) - sending);
    if (inserter.explored().size() != explored) run.settled = {};
    if (run.calls % options.wait_every == 0) inserter.gap();
    run.elapsed = since(begin);
  }
  WATTUNE_TRY(application.finish());
  run.elapsed = since(begin);
  return {};
}

void account(const dynamic::Report& report, Run& run) {
  run.overhead_share = report.stalls.total() / run.elapsed;
  run.longest_stall = report.longest_stall;
  run.stalls = report.stalls;
  for (const dynamic::KernelReport& kernel : report.kernels) {
    run.explored += kernel.explored;
    run.blocked += kernel.blocked;
    run.refused += kernel.wrong_results;
    for (const dynamic::KeyReport& key : kernel.keys) {
      run.best = key.best;
      run.keys.push_back(key);
    }
  }
}

}  // namespace

Result<std::vector<double>> weights_of_batches(Application& application, Inserter& inserter) {
  std::vector<double> weights;
  for (std::size_t batch = 0; batch < application.batches().size(); ++batch) {
    WATTUNE_TRY(application.clear());
    WATTUNE_TRY(inserter.insert(batch));
    WATTUNE_TRY(application.finish());
    WATTUNE_ASSIGN(weights.emplace_back(), application.weight());
  }
  return weights;
}

Result<Run> run(Application& application, Inserter& inserter, const Options& options,
                const std::vector<double>& weights) {
  Run run;
  WATTUNE_TRY(application.clear());
  WATTUNE_TRY(make_calls(application, inserter, options, run));
  account(inserter.report(), run);
  run.exploring = inserter.explored();
  WATTUNE_ASSIGN(const Outcome outcome, application.outcome());
  run.likeness = outcome.likeness;
  run.is_wrong |= is_wrong(outcome, expected_weight(weights, run.calls));
  return run;
}

}  // namespace fourier
