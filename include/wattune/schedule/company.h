// CompanySession: kernels of several specs that run together on one device, tuned as one: a configuration for each, the
// best for this company.
//
// What is made small is the makespan, from the first launch to the last end; the energy of the board for the same; or,
// with a partner, the time of the first kernel's launches while the others run all along. It owns the device, the
// workers that check each kernel alone, and the strategy. One thread at a time.
//
//   WATTUNE_ASSIGN(const auto session, schedule::CompanySession::open({{"lud", lud}, {"hotspot", hotspot}}));
//   WATTUNE_ASSIGN(const schedule::CompanyReport report, session->run(*journal, observer));
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/observation.h"
#include "wattune/core/trial.h"
#include "wattune/schedule/company_space.h"
#include "wattune/tune/session.h"

namespace wattune::schedule {

enum class CompanyGoal { makespan, energy };

struct CompanyOptions {
  // Device, evaluation, sampling, policy, seed, stop rule and finalists; all else of it does not count.
  tune::SessionOptions session;
  CompanyGoal goal = CompanyGoal::makespan;
  // "walk" (search/company_walk.h), "paper-walk" (algorithms 3 and 4 as printed, corrected), a strategy of search over
  // the space of all, "walk+NAME": that from where the walk ended; empty: as for one kernel.
  std::string strategy = "walk";
  double indifference = 0.01;                 // of the walk
  std::vector<std::string> order = {};        // names of members as they are launched; empty: as they were given
  bool steady = false;                        // each is launched again until all have run about as long as the longest
  bool partnered = false;                     // the first is timed while the others run all along
  std::vector<std::size_t> repetitions = {};  // of each, as given or as an earlier run found them; else by times alone
  // Values of a parameter of each kernel, but for partners: how many of its blocks stay on each multiprocessor (CUDA),
  // beside 0, which leaves that to the GPU. Walks leave it at 0. Empty: there is no such parameter.
  std::vector<unsigned> resident_blocks = {};
  space::BuildOptions building = {};  // of the members' spaces, and of all together
};

// What a member came to.
struct MemberResult {
  std::string name;
  Configuration configuration;              // in company
  unsigned resident_blocks = 0;             // on each multiprocessor there; 0: that is left to the GPU
  Nanoseconds beside;                       // what a launch of it took there
  Nanoseconds alone;                        // the same configuration by itself
  std::optional<Configuration> best_alone;  // of those that were tried alone
  Nanoseconds best_alone_time;
};

// The best together against another choice for the same company, run in turns.
struct AgainstChoice {
  Configuration configuration;     // of all
  std::size_t ratios = 0;          // of resident blocks that were right with these, of which this is the best
  Observation observation;         // in those turns
  std::optional<PairedGain> gain;  // of the best over it; none: the best is that choice, or it fails
};

struct CompanyReport {
  tune::TuningResult tuning;
  std::vector<MemberResult> members;  // empty: nothing was correct
  // Each at the best that was seen of it alone, run together at the best ratio of resident blocks that was tried of
  // these; none: without a final, or cancelled.
  std::optional<AgainstChoice> tuned_alone;
  Nanoseconds in_turn;  // one run of all, one after the other, each at its best alone; 0: that is not known
};

class CompanySession {
 public:
  struct Parts;
  explicit CompanySession(std::unique_ptr<Parts> parts);
  ~CompanySession();

  // invalid_argument: members, options or objectives that do not go together; mismatch: a spec has no source for the
  // device; unavailable: the device does not tell its energy, or cannot run kernels together; errors of
  // make_evaluator() and make_strategy(). Errors of one member name it.
  static Result<std::unique_ptr<CompanySession>> open(std::vector<CompanyMember> members,
                                                      const CompanyOptions& options = {});

  const CompanySpace& space() const;
  const DeviceInfo& device() const;
  const search::StopRule& stop() const;
  const std::string& strategy() const;  // by its name
  std::string remark() const;           // of the strategy
  // How often each is launched in one run.
  const std::vector<std::size_t>& repetitions() const;
  // Returns what the outputs of each member are compared with, alone.
  std::vector<tune::Verification> verifications() const;
  // What the results are about: each member's part by its name, and how they run together.
  RunInfo describe() const;

  // Once; `resumed`, the sink, `cancel` and `spent` are as of TuningSession::run().
  Result<CompanyReport> run(TrialSink& sink, tune::TuningObserver& observer, const std::vector<Trial>& resumed = {},
                            const std::atomic<bool>* cancel = nullptr, Nanoseconds spent = {});

 private:
  std::unique_ptr<Parts> parts_;
};

// How often each was launched in one run of these results; empty: they are of no company.
std::vector<std::size_t> repetitions_of(const RunInfo& info);

}  // namespace wattune::schedule
