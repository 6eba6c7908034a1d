#include "run.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "forecast.h"

namespace batched_gemm {

namespace {

using wattune::Nanoseconds;
using wattune::Result;
namespace dynamic = wattune::dynamic;

// The interval at which the application waits for the device.
constexpr Nanoseconds kWaitEvery = wattune::nanoseconds_from_ms(10);
constexpr std::uint64_t kMostCallsAhead = 256;
constexpr std::uint64_t kTellingCalls = 8;  // calls of a step from which the time of a call is known
constexpr std::size_t kTellingStep = 4;     // announces the next size, while the device has enough work
constexpr double kContent = 0.75;           // share of the peak bandwidth that satisfies the paper's rule
constexpr std::uint64_t kPaperConfigurations = 20;
// The highest bandwidth of a product over that of a copy, which writes a larger part of its bytes. On an H200 the
// fastest products reach 1.05.
constexpr double kBeyondCopies = 1.04;

Nanoseconds now() {
  return Nanoseconds(
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// Returns the key of a call in the mode `ours`: the batch and the sizes, in the spec's order.
dynamic::Key key_of(const Sizes& sizes, std::int64_t batch) {
  std::vector<wattune::NamedSize> all = given_by(sizes);
  all.insert(all.begin(), {"batch", batch});
  return dynamic::key_of(all);
}

Sizes sizes_from(const dynamic::Key& key) {
  const auto size = [&](const char* name) {
    return std::ranges::find(key, name, &dynamic::KeyPart::name)->value.as_integer();
  };
  return {size("size_a"), size("size_b"), size("size_c")};
}

// The loop over one size.
class Loop {
 public:
  Loop(Machine& machine, Application& application, Row& row, const std::optional<Sizes>& next)
      : machine_(machine),
        application_(application),
        row_(row),
        next_(next),
        random_(application.options().seed),
        given_(application.has_keys() ? given_by(row.sizes) : std::vector<wattune::NamedSize>()),
        key_(application.has_keys() ? key_of(row.sizes, row.batch) : dynamic::Key()) {}

  Result<void> run(const wattune::KernelSpec& spec) {
    const Nanoseconds before_begin = now();
    WATTUNE_ASSIGN(kernel_, application_.begin(row_.sizes, spec));
    begin_ = row_.mode == Mode::known ? now() : before_begin;
    const dynamic::KernelReport before = kernel_->report();
    const Nanoseconds seconds = wattune::nanoseconds_from_seconds(application_.options().seconds);
    while (now() - begin_ < seconds) WATTUNE_TRY(step());
    row_.elapsed = now() - begin_;
    check();
    report(before);
    return {};
  }

 private:
  // Makes some calls, then waits for the device. While the device works, the host checks the results of the step
  // before.
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
    if (row_.milestones.size() == kTellingStep && next_) WATTUNE_TRY(application_.expect(*next_));
    check();
    WATTUNE_TRY(machine_.read(row_.sizes, row_.batch, first, samples_));
    samples_.which = which;
    row_.milestones.push_back({now() - begin_, row_.calls});
    application_.tuner().gap();
    if (!row_.first) note_first();
    const Nanoseconds took = now() - step_begin;
    if (!told_of_calls_ && calls_ahead_ >= kTellingCalls) WATTUNE_TRY(tell_of_calls(took));
    plan_next_step(took);
    return {};
  }

  Result<void> call(unsigned which) {
    const Nanoseconds begin = now();
    const std::array<dynamic::CallArgument, 4> arguments{machine_.a(which), machine_.b(), machine_.c(),
                                                         static_cast<int>(row_.batch)};
    WATTUNE_TRY(kernel_->call(machine_.call_stream(), arguments, {.sizes = given_}));
    row_.longest_call = std::max(row_.longest_call, now() - begin);
    ++row_.calls;
    return {};
  }

  // Plans as many calls as take about kWaitEvery, but at most twice as many as in the last step.
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

  void note_first() {
    row_.first = best();
    row_.first_after = now() - begin_;
  }

  // Announces to the tuner how many more calls will come in the time that is left, if each takes as long as in the last
  // step.
  Result<void> tell_of_calls(Nanoseconds step_took) {
    told_of_calls_ = true;
    const Nanoseconds left = wattune::nanoseconds_from_seconds(application_.options().seconds) - (now() - begin_);
    const double calls = static_cast<double>(calls_ahead_) * (left / step_took);
    return calls >= 1.0 ? application_.expect(row_.sizes, static_cast<std::uint64_t>(calls)) : Result<void>();
  }

  // Returns the best configuration of the size. Without keys of sizes, the kernel is for one size and has a single key.
  std::optional<wattune::Configuration> best() const {
    if (!key_.empty()) return kernel_->best(key_);
    const dynamic::KernelReport report = kernel_->report();
    return report.keys.empty() ? std::nullopt : report.keys.front().best;
  }

  void report(const dynamic::KernelReport& before) {
    const dynamic::KernelReport report = kernel_->report();
    row_.explored = report.explored - before.explored;
    row_.fallbacks = report.fallbacks - before.fallbacks;
    row_.blocked = report.blocked - before.blocked;
    row_.best = best();
  }

  Machine& machine_;
  Application& application_;
  Row& row_;
  const std::optional<Sizes> next_;
  wattune::Random random_;
  const std::vector<wattune::NamedSize> given_;  // passed by each call
  const dynamic::Key key_;
  dynamic::TunableKernel* kernel_ = nullptr;
  Nanoseconds begin_;
  std::uint64_t calls_ahead_ = 1;
  bool told_of_calls_ = false;
  Samples samples_;
};

}  // namespace

Result<std::unique_ptr<Application>> Application::make(Machine& machine, Mode mode, const wattune::KernelSpec& spec,
                                                       const RunOptions& options) {
  std::unique_ptr<Application> made(new Application(machine, mode, options));
  dynamic::TunerOptions tuner;
  tuner.compile_processes = mode == Mode::synchronous ? 0 : options.compile_processes;
  tuner.worker.niceness = options.niceness;
  // The rule of Petrovic et al. 2020 knows no budget, so that it may take all the time.
  if (mode != Mode::ours) tuner.budget = {.share = 1.0, .longest = wattune::nanoseconds_from_seconds(options.seconds)};
  WATTUNE_ASSIGN(made->tuner_, dynamic::Tuner::attach(machine.device(), tuner));
  if (!made->has_keys()) return made;
  WATTUNE_ASSIGN(made->kernel_,
                 made->tuner_->kernel(spec, mode == Mode::ours ? made->options_of_ours() : made->options_of_known()));
  return made;
}

dynamic::KernelOptions Application::options_of_known() const {
  dynamic::KernelOptions kernel;
  kernel.policy.mode = dynamic::Mode::best;
  kernel.guess = [this](const std::vector<wattune::NamedSize>& sizes) {
    return std::vector<dynamic::NamedValues>{options_.best(sizes_from(dynamic::key_of(sizes)))};
  };
  return kernel;
}

// Returns the options of the mode `ours`. The application's own product runs as long as no variant for the size is
// compiled. It uses the set of matrices A that the call names.
dynamic::KernelOptions Application::options_of_ours() {
  dynamic::KernelOptions kernel;
  kernel.policy.seed = options_.seed;
  kernel.policy.safety = options_.safety;
  kernel.guess = [](const std::vector<wattune::NamedSize>& sizes) {
    return likely_values(sizes_from(dynamic::key_of(sizes)), kGuesses);
  };
  kernel.policy.least_time = [this](const dynamic::Key& key) {
    const Sizes sizes = sizes_from(key);
    const double bytes = bytes_moved(sizes, batch_of(sizes, machine_.bytes()));
    return std::optional(wattune::nanoseconds_from_seconds(bytes / (kBeyondCopies * options_.peak)));
  };
  kernel.fallback = [this](const dynamic::CallStream&, std::span<const dynamic::CallArgument> given) {
    const std::int64_t batch = batch_of(sizes_, machine_.bytes());
    return machine_.multiply(sizes_, batch, given[0].buffer() == &machine_.a(1) ? 1 : 0);
  };
  return kernel;
}

dynamic::KernelOptions Application::options_of_paper() const {
  dynamic::KernelOptions kernel;
  kernel.policy.seed = options_.seed;
  kernel.policy.safety = dynamic::Safety::trusted;
  kernel.policy.mode = dynamic::Mode::explore;
  kernel.policy.strategy = "random";
  kernel.policy.stop.evaluations = kPaperConfigurations;
  const double bytes = bytes_moved(sizes_, batch_of(sizes_, machine_.bytes()));
  kernel.policy.good_enough = [bytes, peak = options_.peak](const dynamic::Key&) {
    return std::optional(wattune::nanoseconds_from_seconds(bytes / (kContent * peak)));
  };
  return kernel;
}

Result<dynamic::TunableKernel*> Application::begin(const Sizes& sizes, const wattune::KernelSpec& spec) {
  sizes_ = sizes;
  if (mode_ == Mode::known) WATTUNE_TRY(kernel_->preload(sizes_in_full(sizes)));
  if (has_keys()) return kernel_.get();
  kernel_.reset();
  WATTUNE_ASSIGN(kernel_, tuner_->kernel(spec, options_of_paper()));
  return kernel_.get();
}

Result<void> Application::expect(const Sizes& sizes, std::optional<std::uint64_t> calls) {
  return mode_ == Mode::ours && options_.ahead ? kernel_->expect(sizes_in_full(sizes), calls) : Result<void>();
}

std::vector<wattune::NamedSize> Application::sizes_in_full(const Sizes& sizes) const {
  std::vector<wattune::NamedSize> all = given_by(sizes);
  all.push_back({"batch", batch_of(sizes, machine_.bytes())});
  return all;
}

Result<Row> run(Machine& machine, Application& application, const Sizes& sizes, const wattune::KernelSpec& spec,
                const std::optional<Sizes>& next) {
  Row row{.sizes = sizes, .mode = application.mode(), .batch = batch_of(sizes, machine.bytes())};
  WATTUNE_TRY(machine.prepare(sizes));
  WATTUNE_TRY(Loop(machine, application, row, next).run(spec));
  return row;
}

}  // namespace batched_gemm
