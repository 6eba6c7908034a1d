// Tenants: clients that share a GPU, each with kernels, a priority and arrivals of its own. A TenantRequest describes a
// run of them under several policies (CorunSession::run_tenants()). A TenantReport has what each of them did, and how
// soon its works responded.
//
// All types are values, and any thread may use them.
//
//   const schedule::Tenant chat{.name = "chat", .kernels = {0}, .priority = 1, .gap = nanoseconds_from_ms(4)};
//   WATTUNE_ASSIGN(const TenantReport report, session->run_tenants({.tenants = {chat, train, batch}}));
//   const auto ratio = schedule::response_over(report, "paired", "priority", 0);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/units.h"
#include "wattune/schedule/machine.h"

namespace wattune::inline v0_1::schedule {

// A client that submits works.
struct WATTUNE_EXPORT Tenant {
  std::string name;
  std::vector<KernelId> kernels = {};  // the tenant's kernels; each work runs the next one in the list
  int priority = 0;                    // tenants with a higher priority go first
  // The time from one work to the next. Without it the tenant has a backlog: a few of its works always run or wait.
  std::optional<Nanoseconds> gap = {};
  bool at_random = false;  // true if `gap` is the mean of exponentially distributed times (Poisson arrivals)
};

// The tenants of a run, and the policies under which they run.
struct WATTUNE_EXPORT TenantRequest {
  std::vector<Tenant> tenants;
  std::vector<std::string> policies = {"priority", "split", "paired"};
  Nanoseconds time = nanoseconds_from_seconds(1);  // time for which works are submitted in each run
  std::uint64_t seed = 1;
  std::size_t repeats = 5;
  // A callback before each run; if it returns false the runs end with `cancelled`.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

// The works of a tenant in one run.
struct WATTUNE_EXPORT TenantRound {
  std::size_t works = 0;                    // works that ended while others were still submitted
  Nanoseconds alone = {};                   // time of these works alone, one after the other
  std::vector<Nanoseconds> responses = {};  // response times of all works, from their arrivals to their ends
};

// A tenant in all counted runs under one policy.
struct WATTUNE_EXPORT TenantRun {
  std::vector<TenantRound> rounds = {};

  std::size_t works() const;  // Returns the number of works that ended while works were submitted, over all runs.
  // Returns the time within which this share of all works responded. Returns nullopt if there are so few works that
  // not even one responded later: a share of 0.99 needs 100.
  std::optional<Nanoseconds> response(double share) const;
};

// All tenants under one policy.
struct WATTUNE_EXPORT TenantPolicy {
  std::string policy;
  std::vector<TenantRun> tenants = {};  // tenants in the order of the request
};

struct WATTUNE_EXPORT TenantReport {
  std::vector<Tenant> tenants;
  std::vector<KernelTraits> kernels;
  Nanoseconds time = {};   // time for which works were submitted in each run
  std::size_t rounds = 0;  // counted runs under each policy
  bool is_exact = false;   // true in virtual time, where runs repeat exactly
  std::vector<TenantPolicy> policies = {};
  std::vector<std::string> differences = {};  // differences from the outputs of a run alone: policy, kernel, place

  // Returns the works of a tenant that ended in a second.
  double works_per_second(const TenantRun& run) const;
  // Returns the share of the GPU that the tenant used: how long its ended works would take alone, divided by how long
  // the runs took.
  double share_of_gpu(const TenantRun& run) const;
};

// A figure under one policy divided by the same figure under another, with its interval of 95 % over the rounds.
struct WATTUNE_EXPORT Ratio {
  double ratio = 1.0;  // geometric mean of the rounds
  double low = 1.0;
  double high = 1.0;
};

// Returns the priority from which on works are urgent: the highest one. Returns nullopt if all tenants have the same
// priority.
WATTUNE_EXPORT std::optional<int> urgent_from(const std::vector<Tenant>& tenants);

// Returns the 99 % response of a tenant under one policy, divided by that under another. Returns nullopt if one of them
// did not run, if a round has fewer than 100 works, or if times are not exact and there was one round.
WATTUNE_EXPORT std::optional<Ratio> response_over(const TenantReport& report, const std::string& policy,
                                                  const std::string& base, std::size_t tenant);
// Returns a ratio of throughputs of works that were not urgent: their time alone under one policy, divided by that
// under the other. Only works that ended count. Returns nullopt if one policy did not run, if none of these works
// ended, or if times are not exact and there was one round.
WATTUNE_EXPORT std::optional<Ratio> throughput_over(const TenantReport& report, const std::string& policy,
                                                    const std::string& base);

}  // namespace wattune::schedule
