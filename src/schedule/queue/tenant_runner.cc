#include "schedule/queue/tenant_runner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/interface/queue_experiment.h"
#include "wattune/core/random.h"
#include "wattune/schedule/pair_sweep.h"
#include "wattune/schedule/round_times.h"

namespace wattune::inline v0_1::schedule {

namespace {

// Number of works of a tenant with a backlog that run or wait at any moment. They are enough for policies to plan as if
// there were many.
constexpr std::size_t kBacklog = 4;

Error tenants_refused(std::string what, std::string about, std::string advice) {
  return Error(ErrorCode::invalid_argument, std::move(what)).about(std::move(about)).hint(std::move(advice));
}

Result<void> check_tenants(const TenantRequest& request, std::size_t kernels) {
  if (request.tenants.empty()) return tenants_refused("at least one tenant is needed", "", "name one with its kernels");
  if (request.repeats == 0 || !(request.time > Nanoseconds(0)))
    return tenants_refused("tenants need at least one round and a time above 0", "",
                           "set repeats and time of the request");
  for (const Tenant& tenant : request.tenants) {
    const auto exists = [kernels](KernelId kernel) { return kernel < kernels; };
    if (tenant.kernels.empty() || !std::ranges::all_of(tenant.kernels, exists))
      return tenants_refused("a tenant needs one or more kernels of this session", tenant.name, "kernels() lists them");
    if (tenant.gap && !(*tenant.gap > Nanoseconds(0)))
      return tenants_refused("the time from one work of a tenant to the next must be above 0", tenant.name,
                             "such as 4 ms");
  }
  return {};
}

// Submits the works of tenants for a time, and runs all of them to their ends.
class TenantDriver {
 public:
  TenantDriver(Scheduler& scheduler, Machine& machine, const TenantRequest& request)
      : scheduler_(scheduler), machine_(machine), request_(request), end_(machine.now() + request.time) {
    for (std::size_t i = 0; i < request.tenants.size(); ++i) {
      Client& client = clients_.emplace_back(Client{.tenant = request.tenants[i], .random = Random(request.seed + i)});
      if (client.tenant.gap) client.next = machine.now() + gap_of(client);
    }
  }

  // Runs the tenants. Returns for each of them the works that ended and the responses.
  Result<std::vector<TenantRound>> run() {
    if (auto driven = drive(); !driven) {
      stop_all(scheduler_, machine_, submitted_);
      return std::move(driven).error();
    }
    std::vector<TenantRound> rounds;
    for (Client& client : clients_) rounds.push_back(std::move(client.round));
    return rounds;
  }

 private:
  struct Client {
    const Tenant& tenant;
    Random random;
    Nanoseconds next = {};      // moment when its next work arrives, if it has no backlog
    std::size_t submitted = 0;  // number of works so far
    std::size_t left = 0;       // number of works that have not ended
    TenantRound round = {};
  };
  struct SentWork {
    std::size_t client = 0;
    KernelId kernel = 0;
    Nanoseconds arrival = {};
  };

  static Nanoseconds gap_of(Client& client) {
    return (client.tenant.at_random ? -std::log1p(-client.random.uniform()) : 1.0) * *client.tenant.gap;
  }

  Nanoseconds next_arrival() const {
    Nanoseconds first = kForever;
    for (const Client& client : clients_)
      if (client.tenant.gap && client.next < end_) first = std::min(first, client.next);
    return first;
  }

  Result<void> drive() {
    for (;;) {
      if (request_.cancel != nullptr && *request_.cancel)
        return Error(ErrorCode::cancelled, "the tenants were ended by their user");
      WATTUNE_TRY(submit_due());
      if (scheduler_.is_idle() && next_arrival() == kForever) return {};
      scheduler_.dispatch();
      scheduler_.note(machine_.wait(std::min(next_arrival(), scheduler_.deadline())));
      WATTUNE_TRY(collect_ended());
    }
  }

  // Submits the works that have arrived. The response of a work counts from its arrival, even if the host submits it
  // late.
  Result<void> submit_due() {
    const Nanoseconds now = machine_.now();
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      Client& client = clients_[i];
      for (; client.tenant.gap && client.next <= now && client.next < end_; client.next += gap_of(client))
        WATTUNE_TRY(send(i, client.next));
      while (!client.tenant.gap && now < end_ && client.left < kBacklog) WATTUNE_TRY(send(i, now));
    }
    return {};
  }

  Result<void> send(std::size_t place, Nanoseconds arrival) {
    Client& client = clients_[place];
    const KernelId kernel = client.tenant.kernels[client.submitted++ % client.tenant.kernels.size()];
    const std::array works = {
        Work{.kernel = kernel, .tenant = static_cast<unsigned>(place), .priority = client.tenant.priority}};
    WATTUNE_ASSIGN(const std::vector<WorkId> ids, scheduler_.submit(works));
    sent_.emplace(ids.front(), SentWork{place, kernel, arrival});
    ++client.left;
    ++submitted_;
    return {};
  }

  Result<void> collect_ended() {
    for (Finished& finished : scheduler_.take_finished()) {
      WATTUNE_ASSIGN(const WorkStatistics statistics, std::move(finished.result));
      const auto sent = sent_.find(finished.work);
      Client& client = clients_[sent->second.client];
      --client.left;
      client.round.responses.push_back(statistics.ended - sent->second.arrival);
      if (statistics.ended <= end_) {
        ++client.round.works;
        client.round.alone += machine_.kernel(sent->second.kernel)->alone.value_or(Nanoseconds());
      }
      sent_.erase(sent);
    }
    return {};
  }

  Scheduler& scheduler_;
  Machine& machine_;
  const TenantRequest& request_;
  Nanoseconds end_;  // moment from which on no further works are submitted
  std::vector<Client> clients_;
  std::unordered_map<WorkId, SentWork> sent_;
  std::size_t submitted_ = 0;
};

class TenantRunner {
 public:
  TenantRunner(Stage& stage, const TenantRequest& request) : stage_(stage), request_(request) {}

  Result<TenantReport> run() {
    WATTUNE_TRY(prepare());
    for (const std::string& policy : request_.policies) WATTUNE_TRY(forecast_pairs(policy));
    for (std::size_t i = 0; i < request_.policies.size() && !stage_.is_simulated(); ++i)
      WATTUNE_TRY(run_under_policy(i));
    for (const std::vector<std::size_t>& order :
         balanced_orders(request_.policies.size(), request_.repeats, request_.seed))
      for (const std::size_t place : order) {
        WATTUNE_ASSIGN(std::vector<TenantRound> rounds, run_under_policy(place));
        for (std::size_t i = 0; i < rounds.size(); ++i)
          report_.policies[place].tenants[i].rounds.push_back(std::move(rounds[i]));
      }
    return std::move(report_);
  }

 private:
  Result<void> prepare() {
    WATTUNE_TRY(note_progress());
    WATTUNE_TRY(stage_.profile(request_.repeats));
    WATTUNE_ASSIGN(const auto machine, stage_.machine());
    for (const KernelTraits* kernel : kernels_of(*machine)) report_.kernels.push_back(*kernel);
    report_.tenants = request_.tenants;
    report_.time = request_.time;
    report_.rounds = request_.repeats;
    report_.is_exact = stage_.is_simulated();
    for (const std::string& policy : request_.policies)
      report_.policies.push_back({.policy = policy, .tenants = std::vector<TenantRun>(request_.tenants.size())});
    for (KernelId kernel = 0; kernel < stage_.outputs().size(); ++kernel) {
      WATTUNE_TRY(stage_.outputs()[kernel].restore());
      WATTUNE_TRY(run_alone(*machine, kernel));
      WATTUNE_TRY(stage_.outputs()[kernel].remember());
    }
    return {};
  }

  Result<void> note_progress() {
    const std::size_t runs_of_each = request_.repeats + (stage_.is_simulated() ? 1 : 2);
    const std::size_t all = 1 + request_.policies.size() * runs_of_each;
    if (!request_.on_progress || request_.on_progress(done_++, all)) return {};
    return Error(ErrorCode::cancelled, "the tenants were ended by their user");
  }

  QueueOptions options_under(const std::string& policy) const {
    const std::optional<int> urgent = urgent_from(request_.tenants);
    QueueOptions options{.policy = policy,
                         .knowledge = stage_.is_simulated() ? Knowledge::predicted : Knowledge::measured,
                         .policy_options = {.urgent_from = urgent}};
    if (policy != "paired" || !urgent) return options;
    // Urgent works do not run as parts of pairs.
    for (const Tenant& tenant : request_.tenants)
      if (tenant.priority < *urgent)
        options.kernels.insert(options.kernels.end(), tenant.kernels.begin(), tenant.kernels.end());
    return options;
  }

  Result<void> forecast_pairs(const std::string& policy) {
    WATTUNE_TRY(note_progress());
    WATTUNE_ASSIGN(const auto machine, stage_.machine());
    WATTUNE_ASSIGN(PairTable table, forecast_all(*machine, options_under(policy), stage_.sm()));
    forecasts_.push_back(std::move(table));
    return {};
  }

  // Runs all tenants once. A device keeps its machine from run to run, so that streams are made only once.
  Result<std::vector<TenantRound>> run_under_policy(std::size_t place) {
    WATTUNE_TRY(note_progress());
    if (stage_.is_simulated()) machine_.reset();
    if (machine_ == nullptr) {
      WATTUNE_ASSIGN(machine_, stage_.machine());
    }
    for (KernelOutputs& outputs : stage_.outputs()) WATTUNE_TRY(outputs.restore());
    const QueueOptions options = options_under(request_.policies[place]);
    WATTUNE_ASSIGN(const Policy policy, find_policy(options.policy, options.policy_options));
    Scheduler scheduler(*machine_, policy);
    scheduler.learn(forecasts_[place]);
    WATTUNE_ASSIGN(auto rounds, TenantDriver(scheduler, *machine_, request_).run());
    WATTUNE_TRY(compare_last_outputs(options.policy));
    return rounds;
  }

  // Compares the outputs of kernels that leave the same output however often they run.
  Result<void> compare_last_outputs(const std::string& policy) {
    for (KernelId kernel = 0; kernel < stage_.outputs().size(); ++kernel) {
      KernelOutputs& outputs = stage_.outputs()[kernel];
      const auto has_run = [&](const Tenant& tenant) { return std::ranges::count(tenant.kernels, kernel) > 0; };
      if (!outputs.overwritten().empty() || std::ranges::none_of(request_.tenants, has_run)) continue;
      WATTUNE_ASSIGN(const auto difference, outputs.difference());
      if (difference)
        report_.differences.push_back(policy + ", the last work of " + report_.kernels[kernel].name + ": " +
                                      *difference);
    }
    return {};
  }

  Stage& stage_;
  const TenantRequest& request_;
  std::vector<PairTable> forecasts_;  // forecasts for each policy
  std::unique_ptr<Machine> machine_;  // machine of the latest run
  TenantReport report_;
  std::size_t done_ = 0;
};

}  // namespace

Result<TenantReport> run_tenants(Stage& stage, const TenantRequest& request) {
  WATTUNE_TRY(check_tenants(request, stage.kernels().size()));
  return TenantRunner(stage, request).run();
}

}  // namespace wattune::schedule
