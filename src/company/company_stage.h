// CompanyStage: loads the kernels of a company's configurations on the device of this process and runs them together.
//
// For each kernel it keeps the results of a run alone, with which its results beside others are compared. Only one
// configuration of a member runs at a time, so all of them share its buffers. A configuration that writes into
// read-only inputs gets buffers of its own. The device and the space outlive the stage. One thread at a time uses it.
//
//   WATTUNE_ASSIGN(const auto runner, stage.gather(configuration, plan));
//   WATTUNE_ASSIGN(const auto samples, runner->run(5));
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "company/interface/company_space.h"
#include "core/stopwatch.h"
#include "schedule/interface/device_machine.h"
#include "schedule/interface/joint_run.h"
#include "schedule/interface/kernel_buffers.h"
#include "schedule/interface/kernel_outputs.h"
#include "wattune/measure/policy.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::company {

// The way in which a company runs.
struct CompanyPlan {
  std::vector<std::size_t> order;        // positions of members in the order of their launches
  std::vector<std::size_t> repetitions;  // number of launches of each member in one run
  // The member whose work is timed while the others run again and again; nullopt to time all work, from the first
  // launch to the last end.
  std::optional<std::size_t> timed = {};
};

// A joint configuration, with the times of its members alone.
struct CompanyChoice {
  const Configuration& all;
  std::vector<Nanoseconds> alone;  // time alone of each member
};

struct StagedKernel {
  std::shared_ptr<const schedule::LoadedKernel> kernel;
  schedule::KernelTraits traits;
  schedule::KernelOutputs outputs;
};

// Times of one launch of each member in one run.
using OwnTimes = std::vector<Nanoseconds>;

// A joint configuration that is ready to run.
class CompanyRunner : public measure::Runner {
 public:
  // Prepares the run. Each member runs with its number of resident blocks, or as a whole kernel if the number is 0. The
  // device must outlive the runner.
  CompanyRunner(backend::Device& device, std::vector<std::shared_ptr<StagedKernel>> kernels,
                std::unique_ptr<schedule::DeviceMachine> machine, const CompanyPlan& plan,
                const std::vector<unsigned>& resident_blocks, Nanoseconds limit);

  // Runs n times. The time of a run is that of all members' launches, or of the timed member's launches. Errors name
  // the member.
  Result<std::vector<Sample>> run(std::size_t n) override;
  Nanoseconds busy_time() const override;
  // Returns the time that all runs took so far, including launches of partners that end after the timed member.
  Nanoseconds spent() const { return spent_; }
  // Runs n times without restoring what the runs overwrite.
  Result<void> keep_busy(std::size_t n);
  // Runs each member once and compares its outputs with those of a run alone. Returns one line about the first
  // difference, which names the member; nullopt if there is none.
  Result<std::optional<std::string>> difference();
  // Returns the times of a launch of each member in each of the `last` runs of run(). Precondition: there were as many
  // runs.
  std::span<const OwnTimes> own_times(std::size_t last) const { return std::span(own_times_).last(last); }

 private:
  Result<schedule::JointRun> once(bool restoring);
  OwnTimes own_times_of(const schedule::JointRun& run) const;
  backend::Conditions conditions() const;

  std::vector<std::shared_ptr<StagedKernel>> kernels_;
  std::unique_ptr<schedule::DeviceMachine> machine_;
  CompanyPlan plan_;
  schedule::JointRunOptions options_;
  std::vector<schedule::Party> parties_;  // the members' parts in a run, in launch order
  bool restores_ = false;                 // true if a member overwrites what it reads
  backend::Sensors* sensors_ = nullptr;   // sensors of the device; nullptr if it has none
  std::vector<OwnTimes> own_times_;
  Nanoseconds busy_;
  Nanoseconds spent_;
  std::optional<Stopwatch> since_last_run_;
};

class CompanyStage {
 public:
  CompanyStage(backend::Device& device, const CompanySpace& space, const tune::Limits& limits)
      : device_(device), space_(space), limits_(limits), digest_(device), buffers_(space.size()) {}

  // Loads the members of a configuration. Errors name the member. Fails with invalid_argument if a member's blocks
  // cannot stay resident, or if an SM holds fewer resident blocks than requested.
  Result<std::unique_ptr<CompanyRunner>> gather(const CompanyChoice& choice, const CompanyPlan& plan);
  // Returns the time that compiling and loading code took so far.
  Nanoseconds compile_time() const { return compile_time_; }

 private:
  using Key = std::pair<std::size_t, ConfigurationId>;  // member and its own configuration

  Result<std::shared_ptr<StagedKernel>> kernel(std::size_t member, const Configuration& own);
  Result<std::shared_ptr<StagedKernel>> load(std::size_t member, const Configuration& own);
  // Loads the kernel with these buffers, or with its own buffers for nullptr. Runs it alone and remembers its outputs.
  Result<std::shared_ptr<StagedKernel>> load_on(schedule::KernelBuffers* buffers, std::size_t member,
                                                const Configuration& own);
  Result<void> remember_alone(std::size_t member, schedule::DeviceMachine& machine, StagedKernel& staged);

  backend::Device& device_;
  const CompanySpace& space_;
  const tune::Limits limits_;  // limits of time; `run` is the limit of one run of all members
  schedule::BufferDigest digest_;
  std::vector<schedule::KernelBuffers> buffers_;  // shared buffers of each member
  Nanoseconds compile_time_;
  std::list<std::pair<Key, std::shared_ptr<StagedKernel>>> kept_;  // the most recently used one first
};

}  // namespace wattune::company
