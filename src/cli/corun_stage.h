// CorunStage: what `wattune corun` runs kernels on: a simulated GPU with published kernels, or a device of this process
// with the kernels of specs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/corun_clocks.h"
#include "cli/profile_file.h"
#include "wattune/core/identity.h"
#include "wattune/core/result.h"
#include "wattune/model/warp_chain.h"
#include "wattune/schedule/kernel_outputs.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/objective.h"
#include "wattune/schedule/pair_table.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::cli {

struct StageKernel {
  Identity identity;  // its code, its sizes, the device and what else its times depend on
  schedule::KernelTraits traits;
  std::optional<simulate::BlockCosts> costs = {};  // what a block of it executes; none: that was not counted
  bool is_profiled = false;                        // nothing of it alone is left to measure, but power and clocks
};

class CorunStage {
 public:
  virtual ~CorunStage() = default;

  virtual std::string device() const = 0;  // its name
  virtual bool is_simulated() const = 0;
  // Whose peaks are known; nullptr: nothing is.
  virtual const simulate::GpuModel* gpu() const = 0;
  // What people shall know of the kernels, a line each.
  virtual std::vector<std::string> notes() const { return {}; }
  // Their places are their numbers on machines.
  const std::vector<StageKernel>& kernels() const { return kernels_; }

  // A machine of its own with all kernels, on which nothing has run. One at a time, which the stage outlives.
  virtual Result<std::unique_ptr<schedule::Machine>> machine() = 0;
  // From here on the kernels' traits are those that runs alone give, where no profile had them.
  virtual Result<void> profile(std::size_t rounds) = 0;
  // And what they draw, where no profile had it, for as long as suits the board where no window is given. Precondition:
  // profiled. unavailable: the board tells no energy.
  Result<void> profile_power(std::optional<Nanoseconds> window = {});
  // And what pairs draw, of which `table` has forecasts, on the latest machine. Errors of
  // schedule::measure_pair_power().
  Result<void> measure_pair_power(schedule::Machine& on, std::optional<Nanoseconds> window,
                                  const schedule::Objective& objective, schedule::PairTable& table,
                                  const std::atomic<bool>* cancel) const;

  // Of the cores, that may be set, ascending; empty: the board has its own.
  const std::vector<Megahertz>& clocks() const { return clocks_; }
  // Sets them on the board of the latest machine; nullptr: nothing is ever set.
  virtual backend::ClockControl* clock_control() { return nullptr; }
  // And what they take and draw at each of the clocks, with the best for this objective. Precondition: profiled.
  // Errors of schedule::profile_at_clocks().
  Result<void> profile_at_clocks(const schedule::Objective& objective, std::optional<Nanoseconds> window,
                                 std::size_t rounds);
  // An SM, as chains see it.
  virtual model::ChainSm sm() const { return {}; }
  // By kernel; none where kernels compute nothing.
  virtual std::span<schedule::KernelOutputs> outputs() { return {}; }
  // Gives each kernel, on all machines from here on, a copy with outputs of its own for so many works, or for as many
  // as there is memory for; a kernel without outputs has none.
  virtual void make_copies(const std::vector<std::size_t>& /*works*/) {}
  virtual std::span<schedule::KernelOutputs> outputs_of_copies(schedule::KernelId /*kernel*/) { return {}; }

 protected:
  std::vector<StageKernel> kernels_;
  std::vector<Megahertz> clocks_;

 private:
  Nanoseconds window_or_usual(std::optional<Nanoseconds> window) const;
};

// Of a run of this time. Boards renew their counters each 100 ms, so that shorter runs than a second tell nothing.
std::optional<Joules> known_energy(const CorunStage& stage, Joules energy, Nanoseconds time);

struct CorunKernels {
  std::vector<std::string> specs;  // SPEC, SPEC@RESULTS or SPEC@NAME=VALUE,...
  std::vector<std::string> sizes;  // of their problems: KERNEL.SIZE=VALUE
  std::vector<std::string> names;  // of published kernels
  std::uint64_t waves = 8;         // of these, by which they fill the GPU
};

// SPEC..., --problem-size, --device, --kernels, --waves.
void declare_corun_kernels(CLI::App& app, CorunKernels& kernels, std::string& device);

// `device` as the user named it: "simulated:H100", or what tune::find_devices_for() takes. What `profiles` has of these
// kernels is neither counted nor measured, but what they are at clocks. Errors name what is wrong with device, spec,
// configuration or kernel; mismatch: a profile of one of their names is of something else, and none is of it;
// invalid_argument: clocks that the board refuses, before anything runs.
Result<std::unique_ptr<CorunStage>> open_stage(const std::string& device, const CorunKernels& kernels,
                                               const ProfileFile& profiles, const CorunClocks& clocks = {});

Result<std::unique_ptr<CorunStage>> open_simulated_stage(const std::string& gpu, const CorunKernels& kernels,
                                                         const ProfileFile& profiles, const CorunClocks& clocks);
Result<std::unique_ptr<CorunStage>> open_device_stage(const std::string& device, const CorunKernels& kernels,
                                                      const ProfileFile& profiles, const CorunClocks& clocks);

}  // namespace wattune::cli
