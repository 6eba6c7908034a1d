// Stage: the place where a CorunSession runs kernels. A stage is a simulated GPU with published kernels, or a device of
// this process with kernels from specs.
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
  // Returns the model of the GPU. Returns nullptr if the peaks of the GPU are unknown.
  virtual const simulate::GpuModel* gpu() const = 0;
  // Returns notes on the kernels for people. Each note is one line.
  virtual std::vector<std::string> notes() const { return {}; }
  // Returns the kernels. The position of a kernel is its id on machines.
  const std::vector<StageKernel>& kernels() const { return kernels_; }

  // Makes a new machine with all kernels, on which nothing has run. Only one machine may exist at a time, and the stage
  // must outlive it.
  virtual Result<std::unique_ptr<Machine>> machine() = 0;
  // Reads what the kernels use alone from the device's counters, if there are any that may be read.
  virtual void read_use() {}
  // Measures the kernels alone, unless a profile has their traits. Reads their use first.
  virtual Result<void> profile(std::size_t rounds) = 0;
  // Measures the power of the kernels, unless a profile contains it. Without `window`, the length of the measurement
  // suits the board. Precondition: profile() was called. Fails with unavailable if the board does not report its
  // energy.
  Result<void> profile_power(std::optional<Nanoseconds> window = {});
  // Measures the power of those pairs of which `table` has forecasts, on the latest machine. Errors are those of
  // schedule::measure_pair_power().
  Result<void> measure_pair_power(Machine& on, std::optional<Nanoseconds> window, const Objective& objective,
                                  PairTable& table, const std::atomic<bool>* cancel) const;

  // Returns the clocks that may be set, or none. Clocks with the same memory clock come together, and both kinds of
  // clocks are ascending.
  const std::vector<backend::BoardSetting>& clocks() const { return settable_.all; }
  // Returns the memory clock at which the board runs by itself. Returns nullopt if no clocks may be set.
  const std::optional<Megahertz>& own_memory_clock() const { return settable_.own_memory; }
  // Returns the control of the clocks of the latest machine's board. Returns nullptr if clocks are never set.
  virtual backend::ClockControl* clock_control() { return nullptr; }
  // Measures time and power of the kernels at each of the clocks, and finds the best clocks for this objective.
  // Precondition: profile() was called. Errors are those of schedule::profile_at_clocks().
  Result<void> profile_at_clocks(const Objective& objective, std::optional<Nanoseconds> window, std::size_t rounds);
  // Returns the networks that choose pairs and clocks. Returns nullptr if no networks do.
  const BoardNetworks* networks() const { return networks_ ? &*networks_ : nullptr; }
  // Finds the features of the kernels. If clocks may be set, the networks compute from the features the best clocks for
  // each kernel. Precondition: profile() was called, and networks decide. Fails with unavailable if the features of a
  // kernel are unknown.
  Result<void> ask_networks();
  // Returns the clock of the cores as a text if a process holds the board at that clock through Wattune. Returns an
  // empty text if no process does.
  virtual std::string held_clock() const { return ""; }
  // Returns an SM in the form in which the chain model describes it.
  virtual model::ChainSm sm() const { return {}; }
  // Returns the outputs of each kernel. The result is empty if kernels have no outputs.
  virtual std::span<KernelOutputs> outputs() { return {}; }
  // Makes copies of each kernel with outputs of their own. There are as many copies as works of the kernel, or as many
  // as memory allows. All later machines have these copies. A kernel without outputs gets no copies.
  virtual void make_copies(const std::vector<std::size_t>& /*works*/) {}
  virtual std::span<KernelOutputs> outputs_of_copies(KernelId /*kernel*/) { return {}; }
  // Returns the kernel with arguments of an application. Errors are those of schedule::own_data(). Fails with
  // unavailable if the GPU is simulated. Precondition: the stage has this kernel.
  virtual Result<OwnData> own_data(KernelId kernel, const OwnArguments& arguments);

  // Returns the ways of two kernels that sweeps, queues and applications measured on this device at the clock at which
  // it is held. The best way comes first. Returns nullopt if no ways were measured. The power of these ways is unknown.
  std::optional<PairForecast> remembered(KernelId first, KernelId second, unsigned sms) const;
  // Remembers measured ways of two kernels. A message in the log says if the ways could not be written to the file.
  void remember(KernelId first, KernelId second, unsigned sms, const std::vector<PairForecast>& ways);

 protected:
  // Makes a stage that remembers pairs in this file. If the name is empty, the stage remembers no pairs.
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

// Returns the energy of a run that took `time`. Returns nullopt if the energy is unknown. Boards renew their counters
// every 100 ms, so that the energy of a run shorter than a second is unknown.
std::optional<Joules> known_energy(const Stage& stage, std::optional<Joules> energy, Nanoseconds time);

// Opens a simulated GPU with published kernels, each in a grid that fills the GPU `waves` times. Fails with not_found
// if there is no such GPU or kernel, and with mismatch if a profile has the name of a kernel, but no profile has the
// kernel's identity. Fails with invalid_argument if clocks are to be set, but this GPU has no simulated clocks or
// refuses a clock.
Result<std::unique_ptr<Stage>> open_simulated_stage(const std::vector<std::string>& kernels, std::uint64_t waves,
                                                    const CorunOptions& options);
// Opens a device of this process and loads the kernels. Errors name the mistake in the device, spec, configuration or
// kernel. Fails with mismatch if a profile has the name of a kernel, but no profile has the kernel's identity. Fails
// with invalid_argument if the board refuses clocks, before anything runs.
Result<std::unique_ptr<Stage>> open_device_stage(const std::vector<CorunKernel>& kernels, const CorunOptions& options);
// Loads the kernels on a device of the application. The device must outlive the stage. Errors are those of
// open_device_stage().
Result<std::unique_ptr<Stage>> attach_device_stage(backend::Device& device, const std::vector<CorunKernel>& kernels,
                                                   const CorunOptions& options);

}  // namespace wattune::schedule
