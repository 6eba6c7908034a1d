#include "inserter.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>

namespace fourier {
namespace {

using namespace wattune;

// Returns the budget for the mode. Petrovic's rule knows no budget, so that it may take all the time.
dynamic::Budget budget_of(const Options& options) {
  if (options.mode != RunMode::ours) return {.share = 1.0, .longest = nanoseconds_from_seconds(1)};
  dynamic::Budget budget{.share = options.share};
  if (options.longest_ms) budget.longest = nanoseconds_from_ms(*options.longest_ms);
  return budget;
}

dynamic::TunerOptions tuner_options(const Options& options) {
  dynamic::TunerOptions tuner{.budget = budget_of(options)};
  tuner.note = [](const std::string& line) { std::fprintf(stderr, "fourier_reconstruction: %s\n", line.c_str()); };
  tuner.compile_processes = options.blocking ? 0 : options.compile_processes;
  tuner.worker.niceness = options.niceness;
  return tuner;
}

// Returns the spec for a kernel that makes one launch per call. The host code decides how often it is called.
KernelSpec single_launch(KernelSpec spec) {
  spec.geometry = spec.steps.front().geometry;
  spec.steps.clear();
  spec.reference = {};
  return spec;
}

class Composed : public Inserter {
 public:
  Composed(Application& application, const Options& options, std::uint64_t to_explore)
      : application_(application), is_resident_(options.resident), to_explore_(to_explore) {}

  Result<void> open(const std::vector<Parameter>& parameters, const Options& options) {
    const KernelSpec& spec = application_.spec();
    dynamic::CompositionSpec composition{.name = spec.name,
                                         .kernels = {single_launch(spec)},
                                         .parameters = parameters,
                                         .constraints = spec.constraints,
                                         .sizes = spec.problem_size,
                                         .run = [this](dynamic::Context& context) { return run(context); },
                                         .arguments = {"samples", "orientations", "blob_table", "grid", "weights"},
                                         .times_transfers = false};
    dynamic::KernelOptions kernel;
    kernel.policy.safety = dynamic::Safety::trusted;
    kernel.policy.strategy = "random";
    kernel.policy.stop.evaluations = std::max<std::uint64_t>(to_explore_, 1);
    kernel.policy.watch_every = std::nullopt;
    kernel.policy.seed = options.seed;
    WATTUNE_ASSIGN(tuner_, dynamic::Tuner::attach(application_.device(), tuner_options(options)));
    WATTUNE_ASSIGN(composition_, tuner_->composition(std::move(composition), kernel));
    return composition_->preload(spec.problem_size);
  }

  Result<void> insert(std::size_t batch) override {
    batch_ = &application_.batches()[batch];
    const std::array<dynamic::CallArgument, 5> arguments{application_.pixels(batch), *batch_->orientations,
                                                         application_.table(), application_.grid(),
                                                         application_.weights()};
    const bool explores = seen_.size() < to_explore_;
    return composition_->call(application_.stream(), arguments,
                              {.mode = explores ? dynamic::Mode::explore : dynamic::Mode::best});
  }

  void gap() override { tuner_->gap(); }
  dynamic::Report report() const override { return tuner_->report(); }
  const std::vector<Nanoseconds>& explored() const override { return explored_; }

 private:
  // Inserts a batch as Petrovic's manipulator does. A call that explores a configuration runs to its end before any
  // other work.
  Result<void> run(dynamic::Context& context) {
    const auto begin = std::chrono::steady_clock::now();
    WATTUNE_TRY(insert_samples(context));
    if (seen_.size() == to_explore_ || !seen_.insert(context.configuration().to_string()).second) return {};
    WATTUNE_TRY(context.synchronize());
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
    explored_.emplace_back(elapsed.count());
    return {};
  }

  Result<void> insert_samples(dynamic::Context& context) {
    if (!is_resident_) WATTUNE_TRY(context.write("samples", std::as_bytes(std::span(batch_->samples.pixels))));
    if (context.integer("USE_ATOMICS") != 0) return context.launch(application_.spec().name);
    WATTUNE_TRY(context.set("count", 1));
    const auto samples = static_cast<int>(context.size("samples"));
    for (int i = 0; i < samples; ++i) {
      WATTUNE_TRY(context.set("first", i));
      WATTUNE_TRY(context.launch(application_.spec().name));
    }
    return {};
  }

  Application& application_;
  bool is_resident_;
  std::uint64_t to_explore_;
  const Batch* batch_ = nullptr;
  std::set<std::string> seen_;
  std::vector<Nanoseconds> explored_;
  std::unique_ptr<dynamic::Tuner> tuner_;
  std::unique_ptr<dynamic::TunableComposition> composition_;
};

class Alone : public Inserter {
 public:
  Alone(Application& application, const Options& options)
      : application_(application), is_resident_(options.resident), size_(options.size), samples_(options.samples) {}

  Result<void> open(const std::vector<Parameter>& parameters, const Options& options, dynamic::Safety safety) {
    KernelSpec spec = application_.spec();
    spec.parameters = parameters;
    dynamic::KernelOptions kernel;
    kernel.policy.safety = safety;
    kernel.policy.stop.evaluations = options.configurations;
    kernel.policy.seed = options.seed;
    WATTUNE_ASSIGN(tuner_, dynamic::Tuner::attach(application_.device(), tuner_options(options)));
    WATTUNE_ASSIGN(kernel_, tuner_->kernel(std::move(spec), kernel));
    WATTUNE_TRY(kernel_->preload(application_.spec().problem_size));
    std::optional<std::uint64_t> calls;
    if (options.seconds <= 0.0) calls = options.calls;
    return kernel_->expect(application_.spec().problem_size, calls);
  }

  Result<void> insert(std::size_t batch) override {
    const Batch& inserted = application_.batches()[batch];
    backend::Buffer& pixels = application_.pixels(batch);
    if (!is_resident_)
      WATTUNE_TRY(application_.stream().write(pixels, std::as_bytes(std::span(inserted.samples.pixels))));
    return (*kernel_)(application_.stream(), pixels, *inserted.orientations, application_.table(), application_.grid(),
                      application_.weights(), size_, 0, samples_);
  }

  void gap() override { tuner_->gap(); }
  dynamic::Report report() const override { return tuner_->report(); }
  const std::vector<Nanoseconds>& explored() const override { return explored_; }

 private:
  Application& application_;
  bool is_resident_;
  int size_;
  int samples_;
  std::vector<Nanoseconds> explored_;
  std::unique_ptr<dynamic::Tuner> tuner_;
  std::unique_ptr<dynamic::TunableKernel> kernel_;
};

// Returns the parameters with the values of `configuration` as their only values.
Result<std::vector<Parameter>> only(std::vector<Parameter> parameters, const Configuration& configuration) {
  for (Parameter& parameter : parameters) {
    const Value* const value = configuration.find(parameter.name);
    if (value == nullptr) return Error(ErrorCode::mismatch, "the results are of another kernel").about(parameter.name);
    parameter.values = {*value};
    parameter.default_value.reset();
  }
  return parameters;
}

Result<std::unique_ptr<Inserter>> make_composed(Application& application, const Options& options,
                                                const std::vector<Parameter>& parameters, std::uint64_t to_explore) {
  auto composed = std::make_unique<Composed>(application, options, to_explore);
  WATTUNE_TRY(composed->open(parameters, options));
  return std::unique_ptr<Inserter>(std::move(composed));
}

Result<std::unique_ptr<Inserter>> make_alone(Application& application, const Options& options,
                                             const std::vector<Parameter>& parameters, dynamic::Safety safety) {
  auto alone = std::make_unique<Alone>(application, options);
  WATTUNE_TRY(alone->open(parameters, options, safety));
  return std::unique_ptr<Inserter>(std::move(alone));
}

}  // namespace

Result<std::unique_ptr<Inserter>> make_oracle(Application& application, const Options& options,
                                              const Configuration& configuration) {
  WATTUNE_ASSIGN(const auto parameters, only(application.spec().parameters, configuration));
  if (options.mode == RunMode::ours) return make_alone(application, options, parameters, dynamic::Safety::trusted);
  return make_composed(application, options, parameters, 0);
}

Result<std::unique_ptr<Inserter>> make_explorer(Application& application, const Options& options) {
  const KernelSpec& spec = application.spec();
  WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(spec.parameters, spec.constraints));
  const auto all = static_cast<std::uint64_t>(space.count());
  return make_composed(application, options, spec.parameters, std::min(all, options.configurations.value_or(all)));
}

Result<std::unique_ptr<Inserter>> make_searcher(Application& application, const Options& options) {
  return make_alone(application, options, application.spec().parameters, options.safety);
}

}  // namespace fourier
