// CompanyStage: kernels of a company's configurations, loaded on the device of this process and run beside each other.
//
// What is kept of a kernel is what it leaves alone, so that what it leaves beside others can be compared with that. One
// configuration of a member runs at a time, so all of them have its buffers in common, but for those that write into
// what they are declared to read only. The device and the space outlive it; one thread at a time.
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

#include "core/stopwatch.h"
#include "schedule/joint_run.h"
#include "schedule/kernel_buffers.h"
#include "wattune/measure/policy.h"
#include "wattune/schedule/company_space.h"
#include "wattune/schedule/device_machine.h"
#include "wattune/schedule/kernel_outputs.h"

namespace wattune::schedule {

// How a company runs.
struct CompanyPlan {
  std::vector<std::size_t> order;        // members in the order of their launches
  std::vector<std::size_t> repetitions;  // of each member
  // The member whose work is timed while the others run again and again; none: all work, from first launch to last end.
  std::optional<std::size_t> timed = {};
};

// A configuration of all, with what its members take alone.
struct CompanyChoice {
  const Configuration& all;
  std::vector<Nanoseconds> alone;  // of each member; 0: unknown
};

struct CompanyLimits {
  Nanoseconds compile;
  Nanoseconds run;  // of one run of all
};

struct StagedKernel {
  std::shared_ptr<const LoadedKernel> kernel;
  KernelTraits traits;
  KernelOutputs outputs;
};

// What a launch of each member took in one run.
using OwnTimes = std::vector<Nanoseconds>;

// A configuration of all, ready to run.
class CompanyRunner : public measure::Runner {
 public:
  // Of each member as many blocks stay resident; 0: it runs whole. The device outlives it.
  CompanyRunner(backend::Device& device, std::vector<std::shared_ptr<StagedKernel>> kernels,
                std::unique_ptr<DeviceMachine> machine, const CompanyPlan& plan,
                const std::vector<unsigned>& resident_blocks, Nanoseconds limit);

  // The time of a run is that of all work, or of all launches of the member that is timed. Errors name the member.
  Result<std::vector<Sample>> run(std::size_t n) override;
  Nanoseconds busy_time() const override;
  // What all runs took so far, with the partners' launches that end after the member that is timed.
  Nanoseconds spent() const { return spent_; }
  // Without restoring what the runs overwrite.
  Result<void> keep_busy(std::size_t n);
  // What a member leaves beside the others where it is not what it leaves alone: a line that names it. Runs each once.
  Result<std::optional<std::string>> difference();
  // What a launch of each member took in each of the last so many runs of run(). Precondition: there were as many.
  std::span<const OwnTimes> own_times(std::size_t last) const { return std::span(own_times_).last(last); }

 private:
  Result<JointRun> once(bool restoring);
  OwnTimes own_times_of(const JointRun& run) const;
  backend::Conditions conditions() const;

  std::vector<std::shared_ptr<StagedKernel>> kernels_;
  std::unique_ptr<DeviceMachine> machine_;
  CompanyPlan plan_;
  JointRunOptions options_;
  std::vector<Party> parties_;           // in the order of their launches
  bool restores_ = false;                // some member overwrites what it reads
  backend::Sensors* sensors_ = nullptr;  // nullptr: the device has none
  std::vector<OwnTimes> own_times_;
  Nanoseconds busy_;
  Nanoseconds spent_;
  std::optional<Stopwatch> since_last_run_;
};

class CompanyStage {
 public:
  CompanyStage(backend::Device& device, const CompanySpace& space, const CompanyLimits& limits)
      : device_(device), space_(space), limits_(limits), digest_(device), buffers_(space.size()) {}

  // Errors name the member. invalid_argument: it has no form in which blocks stay resident, or an SM holds fewer.
  Result<std::unique_ptr<CompanyRunner>> gather(const CompanyChoice& choice, const CompanyPlan& plan);
  // What compiling and loading code has taken so far.
  Nanoseconds compile_time() const { return compile_time_; }

 private:
  using Key = std::pair<std::size_t, ConfigurationId>;  // member and its own configuration

  Result<std::shared_ptr<StagedKernel>> kernel(std::size_t member, const Configuration& own);
  Result<std::shared_ptr<StagedKernel>> load(std::size_t member, const Configuration& own);
  // What it leaves alone, on these buffers; nullptr: on its own.
  Result<std::shared_ptr<StagedKernel>> load_on(KernelBuffers* buffers, std::size_t member, const Configuration& own);
  Result<void> remember_alone(std::size_t member, DeviceMachine& machine, StagedKernel& staged);

  backend::Device& device_;
  const CompanySpace& space_;
  const CompanyLimits limits_;
  BufferDigest digest_;
  std::vector<KernelBuffers> buffers_;  // by member
  Nanoseconds compile_time_;
  std::list<std::pair<Key, std::shared_ptr<StagedKernel>>> kept_;  // what was used last comes first
};

}  // namespace wattune::schedule
