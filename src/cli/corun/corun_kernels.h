// The kernels and the device of `wattune corun` and `wattune profile`, as users name them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/program/app.h"
#include "wattune/schedule/session.h"

namespace wattune::cli {

struct CorunKernels {
  std::vector<std::string> specs;  // SPEC, SPEC@RESULTS or SPEC@NAME=VALUE,...
  std::vector<std::string> sizes;  // sizes of the kernels' problems: KERNEL.SIZE=VALUE
  std::vector<std::string> names;  // names of published kernels, for a simulated GPU
  std::uint64_t waves = 8;         // waves with which a published kernel fills the GPU
};

// Declares SPEC..., --problem-size, --device, --kernels and --waves.
void declare_corun_kernels(CLI::App& app, CorunKernels& kernels, std::string& device);

// Opens a session. `device` is the user's name for it: "simulated:H100", or one that tune::find_devices_for() takes.
// Errors name what is wrong with device, spec, configuration or kernel. Other errors are those of schedule::open() and
// schedule::open_simulated().
Result<std::unique_ptr<schedule::CorunSession>> open_corun(const std::string& device, const CorunKernels& kernels,
                                                           schedule::CorunOptions options = {});

}  // namespace wattune::cli
