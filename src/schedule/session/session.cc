#include "wattune/schedule/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "schedule/interface/kernel_names.h"
#include "schedule/interface/policy.h"
#include "schedule/interface/runtime.h"
#include "schedule/queue/policy_runner.h"
#include "schedule/queue/tenant_runner.h"
#include "schedule/session/objective_checks.h"
#include "schedule/session/own_data.h"
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

// Completes a kernel: removes clocks from its spec, and adds a name and the default configuration if the kernel has
// none.
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

Result<void> complete(std::vector<CorunKernel>& kernels) {
  if (kernels.empty()) return Error(ErrorCode::invalid_argument, "there is no kernel to run");
  std::vector<std::string> names;
  for (std::size_t place = 0; place < kernels.size(); ++place) WATTUNE_TRY(complete(kernels, place, names));
  return {};
}

// Returns a forecaster of submitted works. Ways that were measured earlier replace their forecasts. The policy tries
// the other ways with submitted works.
Forecaster forecaster_of(const Stage& stage, const MachineLimits& limits) {
  return [&stage, predict = submission_forecaster(limits, stage.sm()), sms = limits.sms](
             const KernelTraits& first, const KernelTraits& second) -> Result<PairForecast> {
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

// The runtime of submitted works. The first submitted work starts it.
struct CorunSession::Submission {
  // Waits until all submitted works have ended, and releases the stage's machine, since there may be only one machine
  // at a time. The stage remembers the gains of pairs of these works. The returned lock excludes submit().
  std::unique_lock<std::mutex> end(Stage& stage, Shutdown how = Shutdown::finish) {
    std::unique_lock lock(mutex);
    if (runtime == nullptr) return lock;
    runtime->shutdown(how);
    busy.clear();
    const PairTable pairs = runtime->pairs();
    for (KernelId i = 0; i < stage.kernels().size(); ++i)
      for (KernelId j = i + 1; j < stage.kernels().size(); ++j)
        stage.remember(i, j, runtime->machine().limits().sms, pairs.ways(i, j));
    runtime.reset();
    return lock;
  }

  // Starts the runtime, unless it is running.
  Result<void> start(Stage& stage, std::optional<int> urgent_from) {
    if (runtime != nullptr) return {};
    WATTUNE_TRY(stage.profile(kProfileRounds));
    WATTUNE_ASSIGN(auto machine, stage.machine());
    WATTUNE_ASSIGN(Policy policy, find_policy("paired", {.urgent_from = urgent_from}));
    Forecaster forecaster = forecaster_of(stage, machine->limits());
    runtime = std::make_unique<Runtime>(
        std::move(machine), RuntimeOptions{.policy = std::move(policy), .forecaster = std::move(forecaster)});
    return {};
  }

  // Submits a work on memory of an application.
  Result<Ticket> submit(Work work, OwnData own) {
    for (const Busy& other : busy) {
      const auto conflict = conflict_of(own.uses, other.uses);
      if (conflict && !other.ticket.is_done() && !ends_before(other.ticket.id(), work.after))
        return Error(ErrorCode::invalid_argument,
                     fmt::format("argument `{}` overlaps `{}` of work {}, which may run at the same time",
                                 conflict->first.argument, conflict->second.argument, other.ticket.id()))
            .hint("submit it after that work, or give it other memory");
    }
    work.data = std::move(own.kernel);
    WATTUNE_ASSIGN(Ticket ticket, runtime->submit(work));
    if (busy.size() >= 2 * still_busy + kFewBusy) {
      std::erase_if(busy, [](const Busy& each) { return each.ticket.is_done(); });
      still_busy = busy.size();
    }
    busy.push_back({ticket, std::move(own.uses), std::move(work.after)});
    return ticket;
  }

  // True if `work` has ended before a work begins that comes after the works `after`. The function also follows the
  // works after which each of these comes, as long as they are in `busy`.
  bool ends_before(WorkId work, std::vector<WorkId> after) const {
    std::set<WorkId> seen;
    while (!after.empty()) {
      const WorkId id = after.back();
      after.pop_back();
      if (id == work) return true;
      const auto known = std::ranges::find(busy, id, [](const Busy& each) { return each.ticket.id(); });
      if (known != busy.end() && seen.insert(id).second)
        after.insert(after.end(), known->after.begin(), known->after.end());
    }
    return false;
  }

  // A work on memory of an application that may still run.
  struct Busy {
    Ticket ticket;
    std::vector<MemoryUse> uses;
    std::vector<WorkId> after;
  };
  static constexpr std::size_t kFewBusy = 64;  // so many works are added to `busy` before ended ones are removed

  std::mutex mutex;
  std::unique_ptr<Runtime> runtime;
  std::vector<Busy> busy;
  std::size_t still_busy = 0;  // number of works in `busy` after ended ones were last removed
};

CorunSession::CorunSession(std::unique_ptr<Stage> stage, std::optional<int> urgent_from)
    : stage_(std::move(stage)), urgent_from_(urgent_from), submission_(std::make_unique<Submission>()) {}

CorunSession::~CorunSession() { submission_->end(*stage_, Shutdown::cancel); }

std::string CorunSession::device() const { return stage_->device(); }

bool CorunSession::is_simulated() const { return stage_->is_simulated(); }

const simulate::GpuModel* CorunSession::gpu() const { return stage_->gpu(); }

std::vector<std::string> CorunSession::notes() const { return stage_->notes(); }

const std::vector<StageKernel>& CorunSession::kernels() const { return stage_->kernels(); }

const std::vector<backend::BoardSetting>& CorunSession::clocks() const { return stage_->clocks(); }

void CorunSession::read_use() {
  const auto alone = submission_->end(*stage_);
  stage_->read_use();
}

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

Result<TenantReport> CorunSession::run_tenants(const TenantRequest& request) {
  WATTUNE_TRY(check_policies(request.policies, {}));
  const auto alone = submission_->end(*stage_);
  return schedule::run_tenants(*stage_, request);
}

Result<Ticket> CorunSession::submit(const Work& work, const OwnArguments& arguments) {
  const std::lock_guard lock(submission_->mutex);
  WATTUNE_TRY(submission_->start(*stage_, urgent_from_));
  if (arguments.empty() || work.kernel >= kernels().size()) return submission_->runtime->submit(work);
  auto own = stage_->own_data(work.kernel, arguments);
  if (!own) return std::move(own).error().with_context(kernels()[work.kernel].traits.name);
  return submission_->submit(work, *std::move(own));
}

std::optional<Joules> CorunSession::known_energy(std::optional<Joules> energy, Nanoseconds time) const {
  return schedule::known_energy(*stage_, energy, time);
}

Result<void> check_policies(const std::vector<std::string>& policies, const Objective& objective) {
  for (const std::string& policy : policies) WATTUNE_TRY(find_policy(policy));
  return check_objective(objective, policies);
}

Result<std::unique_ptr<CorunSession>> open(std::vector<CorunKernel> kernels, const CorunOptions& options) {
  WATTUNE_TRY(complete(kernels));
  WATTUNE_ASSIGN(auto stage, open_device_stage(kernels, options));
  return std::make_unique<CorunSession>(std::move(stage), options.urgent_from);
}

Result<std::unique_ptr<CorunSession>> open(backend::Device& device, std::vector<CorunKernel> kernels,
                                           const CorunOptions& options) {
  WATTUNE_TRY(complete(kernels));
  WATTUNE_ASSIGN(auto stage, attach_device_stage(device, kernels, options));
  return std::make_unique<CorunSession>(std::move(stage), options.urgent_from);
}

Result<std::unique_ptr<CorunSession>> open(std::vector<KernelSpec> specs, const CorunOptions& options) {
  std::vector<CorunKernel> kernels;
  for (KernelSpec& spec : specs) kernels.push_back({.spec = std::move(spec)});
  return open(std::move(kernels), options);
}

Result<std::unique_ptr<CorunSession>> open_simulated(const std::vector<std::string>& kernels, std::uint64_t waves,
                                                     const CorunOptions& options) {
  WATTUNE_ASSIGN(auto stage, open_simulated_stage(kernels, waves, options));
  return std::make_unique<CorunSession>(std::move(stage), options.urgent_from);
}

}  // namespace wattune::schedule
