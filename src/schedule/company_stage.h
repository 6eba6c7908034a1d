// CompanyStage: kernels of a company's configurations, loaded on the device of this process and run beside each other.
//
// What is kept of a kernel is what it leaves alone, so that what it leaves beside others can be compared with that. The
// device and the space outlive it; one thread at a time.
//
//   WATTUNE_ASSIGN(const auto runner, stage.gather(configuration, plan));
//   WATTUNE_ASSIGN(const auto samples, runner->run(5));
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stopwatch.h"
#include "schedule/joint_run.h"
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

struct CompanyLimits {
  Nanoseconds compile;
  Nanoseconds run;  // of one run of all
};

struct StagedKernel {
  std::shared_ptr<const LoadedKernel> kernel;
  KernelTraits traits;
  KernelOutputs outputs;
};

// A configuration of all, ready to run.
class CompanyRunner : public measure::Runner {
 public:
  CompanyRunner(std::vector<std::shared_ptr<StagedKernel>> kernels, std::unique_ptr<DeviceMachine> machine,
                const CompanyPlan& plan, Nanoseconds limit);

  // Errors name the member.
  Result<std::vector<Sample>> run(std::size_t n) override;
  Nanoseconds busy_time() const override;
  // Without restoring what the runs overwrite.
  Result<void> keep_busy(std::size_t n);
  // What a member leaves beside the others where it is not what it leaves alone: a line that names it. Runs each once.
  Result<std::optional<std::string>> difference();
  // The median of what a launch of a member took in the runs so far. Precondition: there was one.
  Nanoseconds own_time(std::size_t member) const;

 private:
  Result<Nanoseconds> once(bool restoring);

  std::vector<std::shared_ptr<StagedKernel>> kernels_;
  std::unique_ptr<DeviceMachine> machine_;
  CompanyPlan plan_;
  JointRunOptions options_;
  std::vector<Party> parties_;  // in the order of their launches
  bool restores_ = false;       // some member overwrites what it reads
  std::vector<std::vector<Nanoseconds>> own_;
  Nanoseconds busy_;
  std::optional<Stopwatch> since_last_run_;
};

class CompanyStage {
 public:
  CompanyStage(backend::Device& device, const CompanySpace& space, const CompanyLimits& limits)
      : device_(device), space_(space), limits_(limits) {}

  // Errors name the member.
  Result<std::unique_ptr<CompanyRunner>> gather(const Configuration& all, const CompanyPlan& plan);

 private:
  using Key = std::pair<std::size_t, ConfigurationId>;  // member and its own configuration

  Result<std::shared_ptr<StagedKernel>> kernel(std::size_t member, const Configuration& own);
  Result<std::shared_ptr<StagedKernel>> load(std::size_t member, const Configuration& own);

  backend::Device& device_;
  const CompanySpace& space_;
  const CompanyLimits limits_;
  std::list<std::pair<Key, std::shared_ptr<StagedKernel>>> kept_;  // what was used last comes first
};

}  // namespace wattune::schedule
