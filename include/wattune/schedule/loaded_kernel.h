// LoadedKernel: a kernel on a device with its grid, its arguments and its twins, ready to be launched whole or in
// parts.
//
// It owns its buffers, alone or with others; copies share the code. The device outlives it, and nobody destroys it
// while it runs: whoever launches (DeviceMachine) keeps it. Made on a thread that may use the device. What a launch
// overwrites stays overwritten: inputs are not restored.
//
//   WATTUNE_ASSIGN(const auto copies, schedule::load_kernel(*device, spec, configuration, {.copies = 2}));
//   WATTUNE_ASSIGN(const auto traits, machine->traits_of(*copies.front()));
//   WATTUNE_ASSIGN(const auto id, machine->add(copies.front(), traits));
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/slice/analysis.h"
#include "wattune/slice/slice_words.h"

namespace wattune::schedule {

// Code of one kernel on a device, with what else of it can be launched.
struct KernelCode {
  std::unique_ptr<backend::Kernel> whole;
  // CUDA: those that its analysis allows of add, linear and persistent. They take its arguments and one more, the
  // words.
  std::map<slice::TwinForm, std::unique_ptr<backend::Kernel>> twins = {};
  // OpenCL: what is launched from a group on; nullptr: none.
  std::unique_ptr<backend::Kernel> from_group = {};
  // Why there are no slices and no persistent form; empty where there are.
  std::string no_slices = {};
  std::string no_persistent = {};
  // CUDA: its PTX, without twins, and its name there; empty where it was not looked at.
  std::string ptx = {};
  std::string symbol = {};
  // CUDA: its results may depend on the order of its blocks (slice::KernelAnalysis).
  bool order_sensitive = false;

  // nullptr: there is none.
  backend::Kernel* twin(slice::TwinForm form) const;
};

struct LoadedKernel {
  std::string name;
  std::shared_ptr<const KernelCode> code;
  backend::Geometry3 geometry;
  std::vector<backend::LaunchArgument> arguments;         // of a whole launch; they point into the buffers
  std::vector<std::shared_ptr<backend::Buffer>> buffers;  // by argument of the spec; nullptr: it is no buffer
  // By argument, of what it reads and writes: what that held before anything ran; else nullptr.
  std::vector<std::shared_ptr<backend::Buffer>> pristine = {};
  Nanoseconds compile_time = {};  // what compiling and loading its code took
};

// The blocks of its grid. Precondition: along each axis there are fewer than 2^32.
slice::Grid grid_of(const backend::Geometry3& geometry);

class KernelBuffers;

struct LoadOptions {
  std::size_t copies = 1;
  bool with_twins = true;                             // else it runs whole only
  Nanoseconds limit = nanoseconds_from_seconds(120);  // of compiling, and of loading what was compiled
  // Where buffers come from that other configurations of the kernel use, and new ones go to; nullptr: each copy gets
  // its own. Precondition: it is one copy, and they are of this spec and device.
  KernelBuffers* buffers = nullptr;
};

// Compiles a kernel, on CUDA to PTX, to which it adds twins. `geometry` is that of whole launches. Errors as of
// Device::build(); what cannot be cut is no error: the code says why.
Result<std::shared_ptr<const KernelCode>> load_code(backend::Device& device, const KernelSource& source,
                                                    std::span<const backend::Macro> macros,
                                                    const backend::Geometry3& geometry,
                                                    const LoadOptions& options = {});

// The kernel of a spec with these values of its parameters, in the device's language, on contents as tuning gives it;
// outputs of its own are poisoned. As many copies as asked for. invalid_argument: the spec launches
// more than one kernel, or one more than once, or a configuration is beyond the device's limits; errors of load_code(),
// of the spec's expressions and of its files.
Result<std::vector<std::shared_ptr<const LoadedKernel>>> load_kernel(backend::Device& device, const KernelSpec& spec,
                                                                     const Configuration& configuration,
                                                                     const LoadOptions& options = {});

// Makes a copy of the kernel with buffers of its own for all that it writes by its spec; everything else is shared.
// Their contents are left to KernelOutputs::restore(). unavailable: it writes pixels; errors of
// Device::create_buffer().
Result<std::shared_ptr<const LoadedKernel>> with_own_outputs(backend::Device& device, const KernelSpec& spec,
                                                             const LoadedKernel& kernel);

}  // namespace wattune::schedule
