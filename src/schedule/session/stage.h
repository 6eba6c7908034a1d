// Stage: the place where a CorunSession runs kernels. It is a simulated GPU with published kernels, or a device of this
// process with the kernels of specs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedule/forecast/pair_memory.h"
#include "schedule/interface/board_networks.h"
#include "schedule/interface/kernel_outputs.h"
#include "schedule/session/own_data.h"
#include "schedule/session/stage_clocks.h"
#include "wattune/core/result.h"
#include "wattune/model/warp_chain.h"
#include "wattune/schedule/forecast.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/pair_table.h"
#include "wattune/schedule/session.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::schedule {

class Stage {
 public:
  virtual ~Stage() = default;

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
  virtual Result<std::unique_ptr<Machine>> machine() = 0;
  // Measures the kernels alone, unless a profile has their traits.
  virtual Result<void> profile(std::size_t rounds) = 0;
  // Measures the power of the kernels, unless a profile has it. Without a window the time suits the board.
  // Precondition: profiled. Fails with unavailable if the board tells no energy.
  Result<void> profile_power(std::optional<Nanoseconds> window = {});
  // Measures the power of those pairs of which `table` has forecasts, on the latest machine. Fails as
  // schedule::measure_pair_power() does.
  Result<void> measure_pair_power(Machine& on, std::optional<Nanoseconds> window, const Objective& objective,
                                  PairTable& table, const std::atomic<bool>* cancel) const;

  // Returns the clocks that may be set, those of one memory clock together, both ascending; empty if none may be set.
  const std::vector<backend::BoardSetting>& clocks() const { return settable_.all; }
  // Returns the board's own memory clock; nullopt if no clocks may be set.
  const std::optional<Megahertz>& own_memory_clock() const { return settable_.own_memory; }
  // Returns the control of the clocks of the latest machine's board; nullptr if clocks are never set.
  virtual backend::ClockControl* clock_control() { return nullptr; }
  // Measures time and power of the kernels at each of the clocks, and finds the best clocks for this objective.
  // Precondition: profiled. Fails as schedule::profile_at_clocks() does.
  Result<void> profile_at_clocks(const Objective& objective, std::optional<Nanoseconds> window, std::size_t rounds);
  // Returns the networks that decide; nullptr if none do.
  const BoardNetworks* networks() const { return networks_ ? &*networks_ : nullptr; }
  // Finds the features of the kernels, and from them the best clocks for each if clocks may be set. Precondition:
  // profiled, and networks decide. Fails with unavailable if the features of a kernel are unknown.
  Result<void> ask_networks();
  // Returns the clock of the cores, as a text, if a process holds the board at it through Wattune; empty if none does.
  virtual std::string held_clock() const { return ""; }
  // Returns an SM as the chain model describes it.
  virtual model::ChainSm sm() const { return {}; }
  // Returns the outputs of each kernel; empty if kernels have no outputs.
  virtual std::span<KernelOutputs> outputs() { return {}; }
  // Makes copies of each kernel, with outputs of their own, for this many works, or for as many as memory allows. All
  // later machines have them. A kernel without outputs gets none.
  virtual void make_copies(const std::vector<std::size_t>& /*works*/) {}
  virtual std::span<KernelOutputs> outputs_of_copies(KernelId /*kernel*/) { return {}; }
  // Returns the kernel with arguments of an application. Fails as schedule::own_data() does, and with unavailable if
  // the GPU is simulated. Precondition: there is such a kernel.
  virtual Result<OwnData> own_data(KernelId kernel, const OwnArguments& arguments);

  // Returns the ways of two kernels that sweeps, queues and applications measured on this device at the clock at which
  // it is held, the best one first; nullopt if there are none. Their power is unknown.
  std::optional<PairForecast> remembered(KernelId first, KernelId second, unsigned sms) const;
  // Remembers the ways of two kernels that were measured. The log tells if they could not be written.
  void remember(KernelId first, KernelId second, unsigned sms, const std::vector<PairForecast>& ways);

 protected:
  // Makes a stage that remembers pairs in this file; with an empty name it remembers none.
  explicit Stage(std::filesystem::path pairs = {}) : memory_(std::move(pairs)) {}

  std::vector<StageKernel> kernels_;
  SettableClocks settable_;
  std::optional<BoardNetworks> networks_;

 private:
  // Returns the identities by which the pair is remembered.
  std::array<Identity, 2> identities_of(KernelId first, KernelId second) const;
  Nanoseconds window_or_usual(std::optional<Nanoseconds> window) const;

  PairMemory memory_;
};

// Returns the energy of a run of this time; nullopt if it is unknown. Boards renew their counters every 100 ms, so that
// runs shorter than a second tell nothing.
std::optional<Joules> known_energy(const Stage& stage, std::optional<Joules> energy, Nanoseconds time);

// Opens a simulated GPU with published kernels, each in a grid that fills the GPU `waves` times. Fails with not_found
// if there is no such GPU or kernel, and with mismatch if a profile has the name of a kernel, but no profile has its
// identity. Fails with invalid_argument if clocks are to be set, but this GPU has no simulated clocks or refuses one.
Result<std::unique_ptr<Stage>> open_simulated_stage(const std::vector<std::string>& kernels, std::uint64_t waves,
                                                    const CorunOptions& options);
// Opens a device of this process and loads the kernels. Errors name what is wrong with device, spec, configuration or
// kernel. Fails with mismatch if a profile has the name of a kernel, but no profile has its identity. Fails with
// invalid_argument if the board refuses clocks, before anything runs.
Result<std::unique_ptr<Stage>> open_device_stage(const std::vector<CorunKernel>& kernels, const CorunOptions& options);
// Loads the kernels on a device of the application, which outlives the stage. Errors are the same.
Result<std::unique_ptr<Stage>> attach_device_stage(backend::Device& device, const std::vector<CorunKernel>& kernels,
                                                   const CorunOptions& options);

}  // namespace wattune::schedule
