#include "wattune/schedule/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "schedule/interface/kernel_names.h"
#include "schedule/interface/policy.h"
#include "schedule/interface/runtime.h"
#include "schedule/queue/policy_runner.h"
#include "schedule/session/objective_checks.h"
#include "schedule/session/pair_experiment.h"
#include "schedule/session/stage.h"
#include "simulate/interface/counted_features.h"
#include "wattune/space/search_space.h"
#include "wattune/tune/session.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr std::size_t kProfileRounds = 3;  // rounds of profiling before the first submitted work

ProfileRecord record_of(const StageKernel& kernel, const simulate::GpuModel* gpu) {
  ProfileRecord record{.identity = kernel.identity, .traits = kernel.traits, .block = kernel.costs};
  if (record.block && gpu != nullptr && kernel.traits.alone)
    record.features = simulate::features_of(*record.block, kernel.traits.blocks, *kernel.traits.alone, *gpu);
  return record;
}

// Completes a kernel: removes clocks from its spec, and adds a name and the default configuration if it has none.
Result<void> complete(std::vector<CorunKernel>& kernels, std::size_t place, std::vector<std::string>& names) {
  CorunKernel& kernel = kernels[place];
  WATTUNE_ASSIGN(kernel.spec, tune::without_clocks(std::move(kernel.spec)));
  names.push_back(kernel.spec.name);
  if (kernel.name.empty()) kernel.name = name_of_place(names, place);
  if (kernel.configuration) return {};
  WATTUNE_ASSIGN(const auto space, space::SearchSpace::build(kernel.spec.parameters, kernel.spec.constraints));
  kernel.configuration = space.configuration(space.default_configuration());
  return {};
}

// Returns a forecaster of submitted works. The ways that were measured earlier replace their forecasts; the policy
// tries the others by works.
Forecaster forecaster_of(const Stage& stage, const MachineLimits& limits) {
  const Forecaster twins =
      better_of(residency_forecaster(limits, stage.sm()), split_forecaster(limits, stage.sm()), {});
  const Forecaster predict = better_of(twins, whole_split_forecaster(limits, stage.sm()), {});
  return [&stage, predict, sms = limits.sms](const KernelTraits& first,
                                             const KernelTraits& second) -> Result<PairForecast> {
    WATTUNE_ASSIGN(PairForecast forecast, predict(first, second));
    const auto place = [&](const KernelTraits& kernel) {
      const auto known =
          std::ranges::find(stage.kernels(), kernel.name, [](const StageKernel& each) { return each.traits.name; });
      return static_cast<KernelId>(known - stage.kernels().begin());
    };
    const auto remembered = stage.remembered(place(first), place(second), sms);
    return remembered ? completed(*remembered, std::move(forecast)) : std::move(forecast);
  };
}

}  // namespace

// The runtime of submitted works, which the first of them starts.
struct CorunSession::Submission {
  // Locks out submit(), and gives the stage's machine back once all submitted works have ended: there is one at a time.
  // The stage remembers what pairs of them gained.
  std::unique_lock<std::mutex> end(Stage& stage, Shutdown how = Shutdown::finish) {
    std::unique_lock lock(mutex);
    if (runtime == nullptr) return lock;
    runtime->shutdown(how);
    const PairTable pairs = runtime->pairs();
    for (KernelId i = 0; i < stage.kernels().size(); ++i)
      for (KernelId j = i + 1; j < stage.kernels().size(); ++j)
        stage.remember(i, j, runtime->machine().limits().sms, pairs.ways(i, j));
    runtime.reset();
    return lock;
  }

  std::mutex mutex;
  std::unique_ptr<Runtime> runtime;
};

CorunSession::CorunSession(std::unique_ptr<Stage> stage)
    : stage_(std::move(stage)), submission_(std::make_unique<Submission>()) {}

CorunSession::~CorunSession() { submission_->end(*stage_, Shutdown::cancel); }

std::string CorunSession::device() const { return stage_->device(); }

bool CorunSession::is_simulated() const { return stage_->is_simulated(); }

const simulate::GpuModel* CorunSession::gpu() const { return stage_->gpu(); }

std::vector<std::string> CorunSession::notes() const { return stage_->notes(); }

const std::vector<StageKernel>& CorunSession::kernels() const { return stage_->kernels(); }

const std::vector<backend::BoardSetting>& CorunSession::clocks() const { return stage_->clocks(); }

Result<std::vector<ProfileRecord>> CorunSession::profile(std::size_t rounds, bool power) {
  const auto alone = submission_->end(*stage_);
  WATTUNE_TRY(stage_->profile(rounds));
  if (power) WATTUNE_TRY(stage_->profile_power());
  std::vector<ProfileRecord> records;
  for (const StageKernel& kernel : stage_->kernels()) records.push_back(record_of(kernel, stage_->gpu()));
  return records;
}

Result<SweptPair> CorunSession::sweep(KernelId first, KernelId second, const SweepOptions& options) {
  const auto alone = submission_->end(*stage_);
  return sweep_on(*stage_, first, second, options);
}

Result<std::vector<SweptPair>> CorunSession::sweep(const SweepOptions& options) {
  std::vector<SweptPair> pairs;
  for (KernelId i = 0; i < kernels().size(); ++i)
    for (KernelId j = i + 1; j < kernels().size(); ++j) {
      WATTUNE_ASSIGN(pairs.emplace_back(), sweep(i, j, options));
    }
  return pairs;
}

Result<QueueReport> CorunSession::run_queue(const QueueRequest& request) {
  WATTUNE_TRY(check_policies(request.policies, request.objective));
  if (stage_->networks() != nullptr) WATTUNE_TRY(check_networks(request.policies, request.objective));
  const auto alone = submission_->end(*stage_);
  return run_policies(*stage_, request);
}

Result<Ticket> CorunSession::submit(const Work& work) {
  const std::lock_guard lock(submission_->mutex);
  if (submission_->runtime == nullptr) {
    WATTUNE_TRY(stage_->profile(kProfileRounds));
    WATTUNE_ASSIGN(auto machine, stage_->machine());
    WATTUNE_ASSIGN(Policy policy, find_policy("paired"));
    Forecaster forecaster = forecaster_of(*stage_, machine->limits());
    submission_->runtime = std::make_unique<Runtime>(
        std::move(machine), RuntimeOptions{.policy = std::move(policy), .forecaster = std::move(forecaster)});
  }
  return submission_->runtime->submit(work);
}

std::optional<Joules> CorunSession::known_energy(std::optional<Joules> energy, Nanoseconds time) const {
  return schedule::known_energy(*stage_, energy, time);
}

Result<void> check_policies(const std::vector<std::string>& policies, const Objective& objective) {
  for (const std::string& policy : policies) WATTUNE_TRY(find_policy(policy));
  return check_objective(objective, policies);
}

Result<std::unique_ptr<CorunSession>> open(std::vector<CorunKernel> kernels, const CorunOptions& options) {
  if (kernels.empty()) return Error(ErrorCode::invalid_argument, "there is no kernel to run");
  std::vector<std::string> names;
  for (std::size_t place = 0; place < kernels.size(); ++place) WATTUNE_TRY(complete(kernels, place, names));
  WATTUNE_ASSIGN(auto stage, open_device_stage(kernels, options));
  return std::make_unique<CorunSession>(std::move(stage));
}

Result<std::unique_ptr<CorunSession>> open(std::vector<KernelSpec> specs, const CorunOptions& options) {
  std::vector<CorunKernel> kernels;
  for (KernelSpec& spec : specs) kernels.push_back({.spec = std::move(spec)});
  return open(std::move(kernels), options);
}

Result<std::unique_ptr<CorunSession>> open_simulated(const std::vector<std::string>& kernels, std::uint64_t waves,
                                                     const CorunOptions& options) {
  WATTUNE_ASSIGN(auto stage, open_simulated_stage(kernels, waves, options));
  return std::make_unique<CorunSession>(std::move(stage));
}

}  // namespace wattune::schedule
