#include "run.h"

#include <algorithm>
#include <chrono>

namespace batched_gemm {

namespace {

using wattune::Nanoseconds;
using wattune::Result;
namespace dynamic = wattune::dynamic;

// The application waits for the device about so often.
constexpr Nanoseconds kWaitEvery = wattune::nanoseconds_from_ms(10);
constexpr std::uint64_t kMostCallsAhead = 256;
constexpr double kContent = 0.75;  // share of the peak bandwidth with which the paper's rule is content
constexpr std::uint64_t kPaperConfigurations = 20;

Nanoseconds now() {
  return Nanoseconds(
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

dynamic::KernelOptions kernel_options(Machine& machine, Mode mode, const Sizes& sizes, std::int64_t batch,
                                      const RunOptions& options) {
  dynamic::KernelOptions kernel;
  kernel.policy.seed = options.seed;
  kernel.policy.safety = dynamic::Safety::trusted;
  if (mode == Mode::ours) {
    kernel.policy.safety = options.safety;
    // The set of matrices A is the one that the call names.
    kernel.fallback = [&machine, sizes, batch](const dynamic::CallStream&,
                                               std::span<const dynamic::CallArgument> given) {
      return machine.multiply(sizes, batch, given[0].buffer() == &machine.a(1) ? 1 : 0);
    };
    return kernel;
  }
  kernel.policy.mode = dynamic::Mode::explore;
  kernel.policy.strategy = "random";
  kernel.policy.stop.evaluations = kPaperConfigurations;
  kernel.policy.good_enough = [bytes = bytes_moved(sizes, batch), peak = options.peak](const dynamic::Key&) {
    return std::optional(wattune::nanoseconds_from_seconds(bytes / (kContent * peak)));
  };
  return kernel;
}

// The loop over one size.
class Loop {
 public:
  Loop(Machine& machine, dynamic::Tuner& tuner, Row& row, const RunOptions& options)
      : machine_(machine), tuner_(tuner), row_(row), options_(options), random_(options.seed) {}

  Result<void> run(const wattune::KernelSpec& spec) {
    begin_ = now();
    WATTUNE_ASSIGN(kernel_, tuner_.kernel(spec, kernel_options(machine_, row_.mode, row_.sizes, row_.batch, options_)));
    while (now() - begin_ < wattune::nanoseconds_from_seconds(options_.seconds)) WATTUNE_TRY(step());
    row_.elapsed = now() - begin_;
    check();
    report();
    return {};
  }

 private:
  // Some calls, and a wait for the device, which then has nothing to do. While it works, the results of the step before
  // are checked.
  Result<void> step() {
    const Nanoseconds step_begin = now();
    const std::uint64_t collected = random_.below(calls_ahead_);
    const auto first = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(row_.batch)));
    unsigned which = 0;
    for (std::uint64_t i = 0; i < calls_ahead_; ++i) {
      WATTUNE_TRY(call(row_.calls % 2));
      if (i != collected) continue;
      which = (row_.calls - 1) % 2;
      WATTUNE_TRY(machine_.collect(row_.sizes, row_.batch, first));
    }
    check();
    WATTUNE_TRY(machine_.read(row_.sizes, row_.batch, first, samples_));
    samples_.which = which;
    row_.milestones.push_back({now() - begin_, row_.calls});
    tuner_.gap();
    plan_next_step(now() - step_begin);
    return {};
  }

  Result<void> call(unsigned which) {
    const Nanoseconds begin = now();
    WATTUNE_TRY((*kernel_)(machine_.call_stream(), machine_.a(which), machine_.b(), machine_.c(),
                           static_cast<int>(row_.batch)));
    row_.longest_call = std::max(row_.longest_call, now() - begin);
    ++row_.calls;
    return {};
  }

  // As many calls as take about kWaitEvery, at most twice as many as before.
  void plan_next_step(Nanoseconds took) {
    const double fitting = static_cast<double>(calls_ahead_) * (kWaitEvery / took);
    const std::uint64_t most = std::min(2 * calls_ahead_, kMostCallsAhead);
    calls_ahead_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(fitting), 1, most);
  }

  void check() {
    const auto length = static_cast<std::size_t>(row_.sizes.b * row_.sizes.c);
    for (std::size_t at = 0; at < samples_.elements.size(); at += length) {
      const auto product = std::span(samples_.elements).subspan(at, length);
      row_.wrong_results += count_wrong(row_.sizes, samples_.products[at / length], samples_.which, product) > 0;
      ++row_.checked;
    }
    samples_.elements.clear();
  }

  void report() {
    const dynamic::KernelReport report = kernel_->report();
    row_.explored = report.explored;
    row_.fallbacks = report.fallbacks;
    row_.blocked = report.blocked;
    for (const dynamic::KeyReport& key : report.keys) row_.best = key.best;
  }

  Machine& machine_;
  dynamic::Tuner& tuner_;
  Row& row_;
  const RunOptions& options_;
  wattune::Random random_;
  std::unique_ptr<dynamic::TunableKernel> kernel_;
  Nanoseconds begin_;
  std::uint64_t calls_ahead_ = 1;
  Samples samples_;
};

}  // namespace

Result<std::unique_ptr<dynamic::Tuner>> make_tuner(Machine& machine, Mode mode, const RunOptions& options) {
  dynamic::TunerOptions tuner;
  tuner.compile_processes = mode == Mode::synchronous ? 0 : options.compile_processes;
  tuner.worker.niceness = options.niceness;
  // The paper's rule knows no budget.
  if (mode != Mode::ours) tuner.budget = {.share = 1.0, .longest = wattune::nanoseconds_from_seconds(options.seconds)};
  return dynamic::Tuner::attach(machine.device(), tuner);
}

Result<Row> run(Machine& machine, dynamic::Tuner& tuner, Mode mode, const Sizes& sizes, const wattune::KernelSpec& spec,
                const RunOptions& options) {
  Row row{.sizes = sizes, .mode = mode, .batch = batch_of(sizes, machine.bytes())};
  WATTUNE_TRY(machine.prepare(sizes));
  WATTUNE_TRY(Loop(machine, tuner, row, options).run(spec));
  return row;
}

}  // namespace batched_gemm
