// CorunStage: the place where `wattune corun` runs kernels. It is a simulated GPU with published kernels, or a device
// of this process with the kernels of specs.
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
  Identity identity;  // code, sizes, device and whatever else its times depend on
  schedule::KernelTraits traits;
  std::optional<simulate::BlockCosts> costs = {};  // costs of a block; absent if they were not counted
  bool is_profiled = false;  // true if nothing of it alone is left to measure, except power and clocks
};

class CorunStage {
 public:
  virtual ~CorunStage() = default;

  virtual std::string device() const = 0;  // name of the device
  virtual bool is_simulated() const = 0;
  // Returns the model of the GPU, whose peaks are known; nullptr if they are not.
  virtual const simulate::GpuModel* gpu() const = 0;
  // Returns notes on the kernels for people, a line each.
  virtual std::vector<std::string> notes() const { return {}; }
  // Returns the kernels. Their positions are their ids on machines.
  const std::vector<StageKernel>& kernels() const { return kernels_; }

  // Makes a new machine with all kernels, on which nothing has run. One machine exists at a time, and the stage
  // outlives it.
  virtual Result<std::unique_ptr<schedule::Machine>> machine() = 0;
  // Measures the kernels alone, unless a profile has their traits.
  virtual Result<void> profile(std::size_t rounds) = 0;
  // Measures the power of the kernels, unless a profile has it. Without a window the time suits the board.
  // Precondition: profiled. Fails with unavailable if the board tells no energy.
  Result<void> profile_power(std::optional<Nanoseconds> window = {});
  // Measures the power of those pairs of which `table` has forecasts, on the latest machine. Fails as
  // schedule::measure_pair_power() does.
  Result<void> measure_pair_power(schedule::Machine& on, std::optional<Nanoseconds> window,
                                  const schedule::Objective& objective, schedule::PairTable& table,
                                  const std::atomic<bool>* cancel) const;

  // Returns the clocks of the cores that may be set, ascending; empty if none may be set.
  const std::vector<Megahertz>& clocks() const { return clocks_; }
  // Returns the control of the clocks of the latest machine's board; nullptr if clocks are never set.
  virtual backend::ClockControl* clock_control() { return nullptr; }
  // Measures time and power of the kernels at each of the clocks, and finds the best clocks for this objective.
  // Precondition: profiled. Fails as schedule::profile_at_clocks() does.
  Result<void> profile_at_clocks(const schedule::Objective& objective, std::optional<Nanoseconds> window,
                                 std::size_t rounds);
  // Returns an SM as the chain model describes it.
  virtual model::ChainSm sm() const { return {}; }
  // Returns the outputs of each kernel; empty if kernels have no outputs.
  virtual std::span<schedule::KernelOutputs> outputs() { return {}; }
  // Makes copies of each kernel, with outputs of their own, for so many works, or for as many as memory allows. All
  // later machines have them. A kernel without outputs gets none.
  virtual void make_copies(const std::vector<std::size_t>& /*works*/) {}
  virtual std::span<schedule::KernelOutputs> outputs_of_copies(schedule::KernelId /*kernel*/) { return {}; }

 protected:
  std::vector<StageKernel> kernels_;
  std::vector<Megahertz> clocks_;

 private:
  Nanoseconds window_or_usual(std::optional<Nanoseconds> window) const;
};

// Returns the energy of a run of this time; nullopt if it is unknown. Boards renew their counters every 100 ms, so that
// runs shorter than a second tell nothing.
std::optional<Joules> known_energy(const CorunStage& stage, Joules energy, Nanoseconds time);

struct CorunKernels {
  std::vector<std::string> specs;  // SPEC, SPEC@RESULTS or SPEC@NAME=VALUE,...
  std::vector<std::string> sizes;  // sizes of their problems: KERNEL.SIZE=VALUE
  std::vector<std::string> names;  // names of published kernels
  std::uint64_t waves = 8;         // waves with which a published kernel fills the GPU
};

// Declares SPEC..., --problem-size, --device, --kernels and --waves.
void declare_corun_kernels(CLI::App& app, CorunKernels& kernels, std::string& device);

// Opens the stage. `device` is the user's name for it: "simulated:H100", or one that tune::find_devices_for() takes.
// Kernels that `profiles` has are neither counted nor measured, except at clocks. Errors name what is wrong with
// device, spec, configuration or kernel. Fails with mismatch if a profile has the name of a kernel but none is of it.
// Fails with invalid_argument if the board refuses clocks, before anything runs.
Result<std::unique_ptr<CorunStage>> open_stage(const std::string& device, const CorunKernels& kernels,
                                               const ProfileFile& profiles, const CorunClocks& clocks = {});

Result<std::unique_ptr<CorunStage>> open_simulated_stage(const std::string& gpu, const CorunKernels& kernels,
                                                         const ProfileFile& profiles, const CorunClocks& clocks);
Result<std::unique_ptr<CorunStage>> open_device_stage(const std::string& device, const CorunKernels& kernels,
                                                      const ProfileFile& profiles, const CorunClocks& clocks);

}  // namespace wattune::cli
