// LoadedKernel: a kernel on a device with its grid, its arguments and its twins, ready to be launched whole or in
// parts. A twin is a copy of the kernel that runs a part of the grid (slice/twins.h).
//
// It owns its buffers, alone or with others; copies share the code. The device outlives it, and it must not be
// destroyed while it runs; DeviceMachine, which launches it, keeps it. It is made on a thread that may use the device.
// Launches do not restore inputs that they overwrite.
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

#include "slice/interface/analysis.h"
#include "slice/interface/slice_words.h"
#include "wattune/backend/device.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::schedule {

// The code of one kernel on a device, with its twins.
struct KernelCode {
  std::unique_ptr<backend::Kernel> whole;
  // The CUDA twins that the analysis of the kernel allows, of add, linear and persistent. They take the kernel's
  // arguments and one more, the words.
  std::map<slice::TwinForm, std::unique_ptr<backend::Kernel>> twins = {};
  // The OpenCL kernel that is launched from a group on; nullptr if there is none.
  std::unique_ptr<backend::Kernel> from_group = {};
  // The reasons why there are no slices and no persistent form; empty if there are.
  std::string no_slices = {};
  std::string no_persistent = {};
  // The blocks that the persistent form can run; why_not_persistent() looks at those of a launch.
  slice::BlockShape persistent_blocks = slice::BlockShape::any;
  // The kernel's PTX on CUDA, without twins, and its name there; empty if the PTX was not analysed.
  std::string ptx = {};
  std::string symbol = {};
  // True on CUDA if the kernel's results may depend on the order of its blocks (slice::KernelAnalysis).
  bool order_sensitive = false;

  // Returns the twin of this form; nullptr if there is none.
  backend::Kernel* twin(slice::TwinForm form) const;
};

// A kernel that is ready to be launched.
struct LoadedKernel {
  std::string name;
  std::shared_ptr<const KernelCode> code;
  backend::Geometry3 geometry;
  std::vector<backend::LaunchArgument> arguments;         // of a whole launch; they point into the buffers
  std::vector<std::shared_ptr<backend::Buffer>> buffers;  // by argument of the spec; nullptr if it is no buffer
  // By argument: the original contents of buffers that the kernel reads and writes; else nullptr.
  std::vector<std::shared_ptr<backend::Buffer>> pristine = {};
  Nanoseconds compile_time = {};  // for compiling and loading its code
};

// Returns why a launch of this kernel has no persistent form: its code has none, or none for such blocks. Empty if it
// has one.
std::string why_not_persistent(const LoadedKernel& kernel);

// Returns the number of blocks along each axis of the grid. Precondition: there are fewer than 2^32 along each.
slice::Grid grid_of(const backend::Geometry3& geometry);

class KernelBuffers;

struct LoadOptions {
  std::size_t copies = 1;
  bool with_twins = true;                             // if false, it has no twins and runs whole only
  Nanoseconds limit = nanoseconds_from_seconds(120);  // of compiling, and of loading the result
  // A pool of buffers that several configurations of the kernel share: existing ones are used and new ones added. With
  // nullptr each copy has its own. Precondition: one copy, and a pool of this spec and device.
  KernelBuffers* buffers = nullptr;
};

// Compiles a kernel; on CUDA to PTX, to which it adds twins. `geometry` is that of whole launches. Fails as
// Device::build() does. A kernel that cannot be cut is no error: the code says why.
Result<std::shared_ptr<const KernelCode>> load_code(backend::Device& device, const KernelSource& source,
                                                    std::span<const backend::Macro> macros,
                                                    const backend::Geometry3& geometry,
                                                    const LoadOptions& options = {});

// Loads the kernel of a spec with these values of its parameters, in the device's language, in as many copies as asked
// for. The contents of its arguments are those that tuning gives it; buffers that it only writes are poisoned. Fails
// with invalid_argument if the spec launches more than one kernel or one more than once, or if the configuration is
// beyond the device's limits. Errors of load_code(), of the spec's expressions and of its files are passed on.
Result<std::vector<std::shared_ptr<const LoadedKernel>>> load_kernel(backend::Device& device, const KernelSpec& spec,
                                                                     const Configuration& configuration,
                                                                     const LoadOptions& options = {});

// Returns a copy of the kernel with its own buffers for everything that it writes by its spec; everything else is
// shared. KernelOutputs::restore() fills them. Fails with unavailable if it writes pixels, and with errors of
// Device::create_buffer().
Result<std::shared_ptr<const LoadedKernel>> with_own_outputs(backend::Device& device, const KernelSpec& spec,
                                                             const LoadedKernel& kernel);

}  // namespace wattune::schedule
