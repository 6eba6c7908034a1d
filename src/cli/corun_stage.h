// CorunStage: what `wattune corun` runs kernels on: a simulated GPU with published kernels, or a device of this process
// with the kernels of specs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/app.h"
#include "wattune/core/identity.h"
#include "wattune/core/result.h"
#include "wattune/model/warp_chain.h"
#include "wattune/schedule/kernel_outputs.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/profile_record.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::cli {

class CorunStage {
 public:
  virtual ~CorunStage() = default;

  virtual std::string device() const = 0;  // its name
  virtual bool is_simulated() const = 0;
  virtual std::size_t size() const = 0;  // kernels
  // Of a kernel: its code, its sizes, the device and what else its times depend on.
  virtual const Identity& identity(schedule::KernelId kernel) const = 0;
  // What a block of it executes; none: that was not counted.
  virtual std::optional<simulate::BlockCosts> costs(schedule::KernelId) const { return std::nullopt; }
  // Whose peaks are known; nullptr: nothing is.
  virtual const simulate::GpuModel* gpu() const = 0;
  // What people shall know of the kernels, a line each.
  virtual std::vector<std::string> notes() const { return {}; }

  // A machine of its own with all kernels, numbered in their order, on which nothing has run. One at a time, which the
  // stage outlives.
  virtual Result<std::unique_ptr<schedule::Machine>> machine() = 0;
  // From here on the kernels' traits are those that runs alone give, or that were learned.
  virtual Result<void> profile(std::size_t rounds) = 0;
  // What earlier profiles say of these kernels is not measured again. mismatch: a profile of one of their names is of
  // something else, and none is of it.
  virtual Result<void> learn(std::span<const schedule::ProfileRecord> records) = 0;
  // And these what they draw. Precondition: profiled.
  virtual void learn_power(std::span<const schedule::PowerTraits> powers) = 0;
  // An SM, as chains see it.
  virtual model::ChainSm sm() const { return {}; }
  // By kernel; none where kernels compute nothing.
  virtual std::span<schedule::KernelOutputs> outputs() { return {}; }
};

// The record of this kernel; nullptr: there is none. mismatch: there is one of its name, of something else.
Result<const schedule::ProfileRecord*> find_profile(std::span<const schedule::ProfileRecord> records,
                                                    const std::string& name, const Identity& identity);

// For which a kernel runs so that its power is known: counters of boards are renewed each 100 ms, simulated ones tell
// at once.
Nanoseconds power_window(const CorunStage& stage);

// Of a run of this time. Boards renew their counters each 100 ms, so that shorter runs than a second tell nothing.
std::optional<Joules> known_energy(const CorunStage& stage, Joules energy, Nanoseconds time);

struct CorunKernels {
  std::vector<std::string> specs;  // SPEC, SPEC@RESULTS or SPEC@NAME=VALUE,...
  std::vector<std::string> names;  // of published kernels
  std::uint64_t waves = 8;         // of these, by which they fill the GPU
};

// SPEC..., --device, --kernels, --waves.
void declare_corun_kernels(CLI::App& app, CorunKernels& kernels, std::string& device);

// `device` as the user named it: "simulated:H100", or what tune::find_devices_for() takes. Errors name what is wrong
// with device, spec, configuration or kernel.
Result<std::unique_ptr<CorunStage>> open_stage(const std::string& device, const CorunKernels& kernels);

// A name of its own for each: the second of the same is "gemm#2".
std::string name_of_place(std::span<const std::string> names, std::size_t place);

Result<std::unique_ptr<CorunStage>> open_simulated_stage(const std::string& gpu, const CorunKernels& kernels);
Result<std::unique_ptr<CorunStage>> open_device_stage(const std::string& device, const CorunKernels& kernels);

}  // namespace wattune::cli
