#include "wattune/dynamic/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "backend/interface/sharing.h"
#include "dynamic/composition/composition_variant.h"
#include "dynamic/composition/tuned_composition.h"
#include "dynamic/screening/measured_entry.h"
#include "dynamic/screening/screened_explorer.h"
#include "dynamic/screening/screening_device.h"
#include "dynamic/tuning/trusted_explorer.h"
#include "wattune/backend/attach.h"
#include "wattune/backend/compile_pool.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Returns the cache of images. With it, screened code need not be compiled twice, first for the screening process and
// then for the application.
std::shared_ptr<backend::ImageCache> cache_of(const TunerOptions& options) {
  constexpr std::size_t kImages = 256;
  return options.cache ? options.cache : backend::ImageCache::in_memory(kImages);
}

std::unique_ptr<backend::CompilePool> make_pool(const TunerOptions& options) {
  if (options.compile_processes == 0) return nullptr;
  return std::make_unique<backend::CompilePool>(
      backend::CompilePoolOptions{.processes = options.compile_processes,
                                  .spare_processors = options.spare_processors,
                                  .worker = options.worker,
                                  .prompt = true,
                                  .cache = cache_of(options)});
}

// Rejects parameters that set clocks or power limits of the board, because an application shares the board with other
// programs.
Result<void> check_parameters(const KernelSpec& spec) {
  for (const Parameter& parameter : spec.parameters)
    if (is_set_on_board(parameter.role))
      return Error(ErrorCode::invalid_argument,
                   fmt::format("parameter `{}` of kernel `{}` is a clock or a limit of the board, which an application "
                               "does not tune",
                               parameter.name, spec.name))
          .hint("leave it out");
  return {};
}

Result<void> check_generic(const KernelSpec& spec, const std::vector<Value>& generic) {
  if (generic.empty() || generic.size() == spec.parameters.size()) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("the generic configuration has {} values, kernel `{}` has {} parameters", generic.size(),
                           spec.name, spec.parameters.size()));
}

Result<void> check_safety(const CompositionSpec& composition, const KernelOptions& options) {
  if (options.policy.safety != Safety::screened) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("composition `{}` cannot be screened: its function is the application's", composition.name))
      .hint("its policy's safety is `trusted` or `shadowed`");
}

// Prepares the driver for reserving private memory. The first reservation in a process makes CUDA's driver load its
// compiler, which takes 30 ms, longer than a gap. The reservation made here is so small that the memory exists already.
// If it fails, launches that need memory reserve it.
void ready_to_make_room(backend::Device& device) {
  constexpr std::size_t kPrivateBytesOfWarmUp = 512;
  const backend::RelaxedCapture relaxed;
  static_cast<void>(backend::make_room_for_private_memory(device, kPrivateBytesOfWarmUp));
}

class TunerOfOneDevice : public Tuner {
 public:
  TunerOfOneDevice(backend::Device& device, TunerOptions options, std::unique_ptr<Wisdom> wisdom)
      : options_(std::move(options)),
        wisdom_(std::move(wisdom)),
        pool_(make_pool(options_)),
        streams_(device),
        stall_budget_(options_.budget),
        loader_(make_loader(
            stall_budget_,
            {.adopt = [&device](const CallStream& stream) { return adopt_elsewhere(device, stream); },
             .make_room =
                 [&device](std::size_t bytes) { return backend::make_room_for_private_memory(device, bytes); }})),
        around_{device,
                streams_,
                stall_budget_,
                *loader_,
                *wisdom_,
                device_drift_,
                [this](const std::string& line) { note(line); }},
        screening_(std::make_unique<Screening>(screening_options())) {}
  TunerOfOneDevice(const TunerOfOneDevice&) = delete;
  TunerOfOneDevice& operator=(const TunerOfOneDevice&) = delete;

  // Saves the wisdom and ends threads and processes. In a forked process it does nothing, since these threads and
  // processes do not exist there.
  ~TunerOfOneDevice() override {
    if (attachment_.is_forked()) {
      static_cast<void>(screening_.release());
      static_cast<void>(loader_.release());
      static_cast<void>(warming_.release());
      static_cast<void>(pool_.release());
      return;
    }
    if (const Result<void> saved = save(); !saved) note(saved.error().to_string());
  }

  Result<std::unique_ptr<TunableKernel>> kernel(KernelSpec spec, const KernelOptions& options) override {
    WATTUNE_TRY(attachment_.check());
    WATTUNE_TRY(check_parameters(spec));
    WATTUNE_TRY(use_language(spec, around_.device.info().languages));
    WATTUNE_TRY(options.policy.stop.validate());
    WATTUNE_ASSIGN(const auto problem, Problem::make(spec, {}, {}));
    WATTUNE_TRY(check_generic(spec, options.generic));
    WATTUNE_ASSIGN(Signature signature, Signature::make(spec));
    WATTUNE_ASSIGN(auto code, KernelCode::make(spec, around_.device, pool_.get(), options_.compile_limit));
    warm_up_compilers(spec.source);
    KernelVersion version = version_of(spec);
    note_other_versions(version);
    auto variants = std::make_unique<KernelVariants>(std::move(code), around_.device, streams_);
    expect_generic(*variants, *problem, options);
    MakeExplorer explorers = explorers_of(version);
    KernelParts parts{std::move(spec),
                      options,
                      std::move(version),
                      std::move(variants),
                      std::move(explorers),
                      [this] { return open_apart(options_.worker); },
                      expect_explorers_of(options.policy)};
    return std::unique_ptr<TunableKernel>(add(std::move(parts), std::move(signature)));
  }

  Result<std::unique_ptr<TunableComposition>> composition(CompositionSpec composition,
                                                          const KernelOptions& options) override {
    WATTUNE_TRY(attachment_.check());
    WATTUNE_TRY(options.policy.stop.validate());
    WATTUNE_TRY(check_safety(composition, options));
    WATTUNE_ASSIGN(auto shared,
                   Composition::make(std::move(composition), around_.device, streams_, options_.compile_limit));
    WATTUNE_TRY(check_parameters(shared->spec()));
    WATTUNE_ASSIGN(const auto problem, Problem::make(shared->spec(), {}, {}));
    WATTUNE_TRY(check_generic(shared->spec(), options.generic));
    std::vector<std::unique_ptr<KernelCode>> code;
    for (const CompositionKernel& kernel : shared->kernels()) {
      WATTUNE_TRY(Problem::make(kernel.spec, {}, {}));
      WATTUNE_ASSIGN(code.emplace_back(),
                     KernelCode::make(kernel.spec, around_.device, pool_.get(), options_.compile_limit));
      warm_up_compilers(kernel.spec.source);
    }
    KernelVersion version = version_of(shared->spec());
    note_other_versions(version);
    MakeExplorer explorers = explorers_of(version);
    auto variants = std::make_unique<CompositionVariants>(shared, std::move(code), streams_);
    expect_generic(*variants, *problem, options);
    KernelParts parts{shared->spec(), options, std::move(version), std::move(variants), std::move(explorers)};
    return std::unique_ptr<TunableComposition>(
        std::make_unique<TunedComposition>(add(std::move(parts), shared->signature())));
  }

  Nanoseconds gap(Nanoseconds expected) override {
    if (attachment_.is_forked()) return {};
    {
      const std::lock_guard lock(mutex_);
      for (TunedKernel* const kernel : kernels_) kernel->want_ahead();
    }
    return loader_->gap(expected);
  }

  Result<void> forget(const CallStream& stream) override {
    WATTUNE_TRY(attachment_.check());
    loader_->forget(stream);
    const Lane* const lane = streams_.find_opened(stream);
    if (lane == nullptr) return {};
    const std::lock_guard lock(mutex_);
    for (TunedKernel* const kernel : kernels_) kernel->forget(*lane);
    streams_.forget(stream);
    return {};
  }

  void set_mode(Mode mode) override {
    const std::lock_guard lock(mutex_);
    mode_ = mode;
    for (TunedKernel* const kernel : kernels_) kernel->set_mode(mode);
  }

  Result<void> save() override {
    WATTUNE_TRY(attachment_.check());
    return wisdom_->save();
  }

  Report report() const override {
    Report report;
    report.running = stall_budget_.running(around_.now());
    report.stalls = stall_budget_.stalls();
    report.saved = stall_budget_.saved();
    report.longest_stall = stall_budget_.longest();
    report.histogram = stall_budget_.histogram();
    report.loads = loader_->loads();
    report.loads_in_gaps = loader_->loads_in_gaps();
    {
      const std::lock_guard lock(noting_);
      report.notes = notes_;
    }
    const std::lock_guard lock(mutex_);
    for (const TunedKernel* const kernel : kernels_) report.kernels.push_back(kernel->report());
    return report;
  }

  void note(const std::string& line) {
    {
      const std::lock_guard lock(noting_);
      if (notes_.size() < kMostNotes) notes_.push_back(line);
    }
    if (options_.note) options_.note(line);
  }

 private:
  static constexpr std::size_t kMostNotes = 10'000;
  // The largest number of proposals ahead for some strategies. These would otherwise propose too many configurations
  // before the first results show where better ones are.
  static constexpr std::size_t kMostAhead = 6;

  // Requests the generic configuration, compiled with the spec's own sizes, since it serves all keys. If this
  // configuration is not valid for these sizes, the first call reports that.
  static void expect_generic(VariantSource& variants, const Problem& problem, const KernelOptions& options) {
    if (options.generic.empty()) return;
    if (const Result<Configuration> generic = problem.generic(options.generic))
      variants.expect_generic(problem, *generic);
  }

  void note_other_versions(const KernelVersion& version) {
    if (const std::size_t others = wisdom_->count_of_other_versions(version); others > 0)
      note(fmt::format("wisdom of kernel `{}` is for other versions of its code, and is not used: {} of its entries",
                       version.name, others));
  }

  // Makes compilers load once, for the language of the first kernel.
  void warm_up_compilers(const KernelSource& source) {
    const std::lock_guard lock(mutex_);
    if (pool_ != nullptr && warming_ == nullptr)
      warming_ = warm_up(*pool_, around_.device, source, options_.compile_limit);
  }

  MakeExplorer explorers_of(const KernelVersion& version) {
    return [this, version, gains = std::make_shared<SharedGains>()](
               std::shared_ptr<const Problem> problem, const TuningPolicy& policy,
               std::vector<Configuration> known) -> Result<std::unique_ptr<Explorer>> {
      if (policy.safety == Safety::screened) {
        const auto found = [this, version, key = problem->key](const Trial& best, bool complete) {
          const DeviceInfo& device = around_.device.info();
          const Result<bool> kept =
              wisdom_->put(measured_entry(version, device, key, best, Measured::screened, complete));
          if (!kept) note(kept.error().to_string());
        };
        return make_screened_explorer(std::move(problem), policy, known, stall_budget_, *screening_, found, gains);
      }
      const std::string& strategy = policy.strategy.empty() ? problem->spec.strategy : policy.strategy;
      const std::size_t places = ahead(strategy);
      return make_trusted_explorer(
          std::move(problem), policy,
          {.ahead = places, .known = std::move(known), .now = [this] { return around_.now(); }, .gains = gains});
    };
  }

  std::function<void()> expect_explorers_of(const TuningPolicy& policy) {
    if (policy.safety != Safety::screened) return {};
    return [this] { screening_->expect_key(); };
  }

  std::unique_ptr<TunedKernel> add(KernelParts parts, Signature signature) {
    auto kernel = std::make_unique<TunedKernel>(std::move(parts), std::move(signature), around_, attachment_,
                                                [this](TunedKernel* gone) { forget(gone); });
    const std::lock_guard lock(mutex_);
    if (mode_) kernel->set_mode(*mode_);
    kernels_.push_back(kernel.get());
    return kernel;
  }

  // Returns the number of configurations to propose ahead: as many as compile in parallel, but fewer for strategies
  // that become worse by proposals ahead. An empty name counts as such a strategy.
  std::size_t ahead(const std::string& strategy = {}) const {
    const std::size_t processes = std::max<std::size_t>(1, options_.compile_processes);
    const search::StrategyInfo* const named = search::find_strategy(strategy);
    return named != nullptr && !named->hurt_by_asking_ahead ? processes : std::min(processes, kMostAhead);
  }

  Result<std::unique_ptr<backend::Device>> open_apart(const backend::WorkerOptions& worker) const {
    return open_screening_device(around_.device.info(), options_.screening_device, worker);
  }

  ScreeningOptions screening_options() {
    return {.open = [this](const backend::WorkerOptions& worker) { return open_apart(worker); },
            .worker = options_.worker,
            .free_memory = [this] { return backend::free_memory(around_.device); },
            .pool = pool_.get(),
            .target = target_of_references(),
            .stall_budget = &stall_budget_,
            .compile_ahead = ahead(),
            .now = [this] { return around_.now(); },
            .note = [this](const std::string& line) { note(line); }};
  }

  // Returns a function that gives the compile target of a reference. Returns an empty function on a CPU, where
  // compilers would compete with the screened kernels for cores.
  CompileTargetOf target_of_references() {
    if (around_.device.info().kind == DeviceKind::cpu) return {};
    return [this](const KernelSource& source) { return around_.device.compile_target(source); };
  }

  void forget(const TunedKernel* gone) {
    const std::lock_guard lock(mutex_);
    std::erase(kernels_, gone);
  }

  const TunerOptions options_;
  const Attachment attachment_;
  const std::unique_ptr<Wisdom> wisdom_;
  std::unique_ptr<backend::CompilePool> pool_;
  Streams streams_;
  StallBudget stall_budget_;
  DeviceDrift device_drift_;
  std::unique_ptr<Loader> loader_;
  Surroundings around_;
  mutable std::mutex noting_;  // guards the next member
  std::vector<std::string> notes_;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<TunedKernel*> kernels_;
  std::optional<Mode> mode_;
  std::unique_ptr<backend::PooledSource> warming_;
  std::unique_ptr<Screening> screening_;  // destroyed first
};

// Opens the wisdom files. A file that cannot be read does not affect the others. To `notes` are added the reasons why
// files could not be read, and the lines that were left out of the other files.
Result<std::unique_ptr<Wisdom>> open_wisdom(const TunerOptions& options, std::vector<std::string>& notes) {
  std::vector<std::filesystem::path> readable;
  for (const std::filesystem::path& each : options.known) {
    if (const Result<WisdomText> read = load_wisdom(each))
      readable.push_back(each);
    else
      notes.push_back(read.error().to_string());
  }
  Result<std::unique_ptr<Wisdom>> wisdom = Wisdom::open(options.wisdom, readable);
  if (!wisdom) {
    notes.push_back(wisdom.error().to_string());
    wisdom = Wisdom::open({}, readable);
  }
  if (!wisdom) return wisdom;
  for (const Error& problem : (*wisdom)->problems()) notes.push_back(problem.to_string());
  return wisdom;
}

}  // namespace

Result<std::unique_ptr<Tuner>> Tuner::attach(backend::Device& device, const TunerOptions& options) {
  std::vector<std::string> notes;
  WATTUNE_ASSIGN(auto wisdom, open_wisdom(options, notes));
  ready_to_make_room(device);
  auto tuner = std::make_unique<TunerOfOneDevice>(device, options, std::move(wisdom));
  for (const std::string& each : notes) tuner->note(each);
  return std::unique_ptr<Tuner>(std::move(tuner));
}

}  // namespace wattune::dynamic
