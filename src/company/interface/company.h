// CompanySession: tunes kernels of several specs that run together on one device. Such a set of kernels is called a
// company, and each kernel a member. The session finds a configuration for each member that is best in this company.
//
// The objective is the makespan, from the first launch to the last end, or the board's energy in that time. In a
// partnered run the objective is the time of the first kernel's launches. The others are its partners, which run all
// along. The session owns the device, the workers that check each kernel alone, and the strategy. Only one thread at a
// time may use it.
//
//   WATTUNE_ASSIGN(const auto session, company::CompanySession::open({{"lud", lud}, {"hotspot", hotspot}}));
//   WATTUNE_ASSIGN(const company::CompanyReport report, session->run(*journal, observer));
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "company/interface/company_space.h"
#include "wattune/core/observation.h"
#include "wattune/core/trial.h"
#include "wattune/tune/session.h"

namespace wattune::inline v0_1::company {

// The figure of a joint run that is minimised.
enum class CompanyGoal { makespan, energy };

// The options of a session.
struct CompanyOptions {
  // Options as for one kernel. The device, evaluation, sampling, policy, seed, stop rule, finalists and building of
  // spaces apply; all others are ignored.
  tune::SessionOptions session;
  CompanyGoal goal = CompanyGoal::makespan;
  // "walk" (search/company_walk.h), "paper-walk" (algorithms 3 and 4 of Guerreiro et al. 2015, corrected), or the name
  // of a strategy that searches the joint space. "walk+NAME" starts strategy NAME where the walk ended. If empty, the
  // strategy is chosen as for one kernel.
  std::string strategy = "walk";
  double indifference = 0.01;           // for the walk: share by which costs may differ and still count as equal
  std::vector<std::string> order = {};  // names of members in launch order; as given if empty
  bool steady = false;                  // true to relaunch kernels until all have run as long as the longest
  bool partnered = false;               // true to time the first kernel while the others run all along
  // The number of launches of each member in one run. If empty, the number is 1. In a steady or partnered run it is
  // then computed from the members' times alone.
  std::vector<std::size_t> repetitions = {};
  // The values of a parameter that each kernel except partners gets: how many of its blocks stay on each multiprocessor
  // (CUDA). The value 0, with which the GPU places the blocks, is added. Walks keep the parameter at 0. If the list is
  // empty, there is no such parameter.
  std::vector<unsigned> resident_blocks = {};
};

// The result of one member.
struct MemberResult {
  std::string name;
  Configuration configuration;              // the member's configuration in the best joint configuration
  unsigned resident_blocks = 0;             // resident blocks on each multiprocessor; 0 if the GPU places them
  Nanoseconds beside;                       // time of one launch while the other members run
  Nanoseconds alone;                        // time of one launch of the same configuration alone
  std::optional<Configuration> best_alone;  // the fastest of the configurations that were tried alone
  Nanoseconds best_alone_time;
};

// The comparison of the best joint configuration with another one, run in turns.
struct AgainstChoice {
  Configuration configuration;  // the other joint configuration
  std::size_t ratios = 0;   // number of ratios of resident blocks that gave correct results; this is the best of them
  Observation observation;  // the other configuration's observation, from the runs in turns
  std::optional<PairedGain> gain;  // gain of the best over the other one; nullopt if they are the same or one fails
};

// The result of a session.
struct CompanyReport {
  tune::TuningResult tuning;
  std::vector<MemberResult> members;  // empty if no configuration was correct
  // The comparison with the joint configuration in which each member has the configuration that is best alone, at the
  // best ratio of resident blocks that was tried. It is nullopt without a final, or if the run was cancelled.
  std::optional<AgainstChoice> tuned_alone;
  Nanoseconds in_turn;  // sum of the times of one run of each member alone, each at its best; 0 if unknown
};

// A device with kernels that are tuned together.
class CompanySession {
 public:
  struct Parts;
  explicit CompanySession(std::unique_ptr<Parts> parts);
  ~CompanySession();

  // Opens the device, the evaluators and the strategy. Fails with invalid_argument if members, options or objectives do
  // not go together, and with mismatch if a spec has no source for the device. Fails with unavailable if the device
  // reports no energy or cannot run kernels together, and with errors of make_evaluator() and make_strategy(). Errors
  // of one member name it.
  static Result<std::unique_ptr<CompanySession>> open(std::vector<CompanyMember> members,
                                                      const CompanyOptions& options = {});

  const CompanySpace& space() const;
  const DeviceInfo& device() const;
  const search::StopRule& stop() const;
  const std::string& strategy() const;  // the strategy's name
  std::string remark() const;           // the strategy's remark on how the search went
  // Returns how often each member is launched in one run.
  const std::vector<std::size_t>& repetitions() const;
  // Returns for each member the outputs with which its outputs are compared when it runs alone.
  std::vector<tune::Verification> verifications() const;
  // Returns the description of the run: each member's parts of the identity under the member's name, and how the
  // members run together.
  RunInfo describe() const;

  // Runs the search and the final. May be called once; `resumed`, the sink, `cancel` and `spent` are as in
  // TuningSession::run().
  Result<CompanyReport> run(TrialSink& sink, tune::TuningObserver& observer, const std::vector<Trial>& resumed = {},
                            const std::atomic<bool>* cancel = nullptr, Nanoseconds spent = {});

 private:
  std::unique_ptr<Parts> parts_;
};

// Returns how often each member was launched in one run of these results; empty if the results belong to no company.
std::vector<std::size_t> repetitions_of(const RunInfo& info);

}  // namespace wattune::company
