// LoadedKernel: a kernel on a device with its grid, its arguments and its twins, ready to be launched whole or in
// parts. A twin is a copy of the kernel that runs a part of the grid (slice/twins.h). A spec with several launches
// gives a sequence: one such kernel, with the further launches behind it. The blocks of a sequence are numbered through
// all launches.
//
// It owns its buffers, alone or with others; copies share the code. The device must outlive the kernel, and the kernel
// must not be destroyed while it runs. The DeviceMachine that launches it keeps it alive. It is made on a thread that
// may use the device. Launches do not restore inputs that they overwrite.
//
//   WATTUNE_ASSIGN(const auto copies, schedule::load_kernel(*device, spec, configuration, {.copies = 2}));
//   WATTUNE_ASSIGN(const auto traits, machine->traits_of(*copies.front()));
//   WATTUNE_ASSIGN(const auto id, machine->add(copies.front(), traits));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
  // arguments and one more: words in memory that tell which blocks to run.
  std::map<slice::TwinForm, std::unique_ptr<backend::Kernel>> twins = {};
  // The OpenCL kernel that can be launched from any group on; nullptr if there is none.
  std::unique_ptr<backend::Kernel> from_group = {};
  // The reasons why there are no slices and no persistent form; empty if there are both.
  std::string no_slices = {};
  std::string no_persistent = {};
  // The shapes of blocks that the persistent form can run. why_not_persistent() compares them with the blocks of a
  // launch.
  slice::BlockShape persistent_blocks = slice::BlockShape::any;
  // The kernel's PTX on CUDA, without twins, and its name there; empty if the PTX was not analysed.
  std::string ptx = {};
  std::string symbol = {};
  // True on CUDA if the kernel's results may depend on the order of its blocks (slice::KernelAnalysis).
  bool order_sensitive = false;

  // Returns the twin of this form; nullptr if there is none.
  backend::Kernel* twin(slice::TwinForm form) const;
};

// A kernel that is ready to be launched, or the launches of a sequence.
struct LoadedKernel {
  std::string name;
  std::shared_ptr<const KernelCode> code;
  backend::Geometry3 geometry;
  std::vector<backend::LaunchArgument> arguments;         // arguments of a whole launch; they point into the buffers
  std::vector<std::shared_ptr<backend::Buffer>> buffers;  // by argument of the spec; nullptr unless it is a buffer
  // By argument: the original contents of a buffer that the kernel reads and writes; nullptr for any other.
  std::vector<std::shared_ptr<backend::Buffer>> pristine = {};
  Nanoseconds compile_time = {};  // time for compiling and loading the kernel's code
  // By argument of a launch: the position of the spec's argument; nullopt if the launch has a value of its own. The
  // list is empty if the kernel does not come from a spec.
  std::vector<std::optional<std::size_t>> sources = {};
  // By argument of the spec: the argument whose buffer has its contents after the last launch. The list is empty if no
  // buffers change places.
  std::vector<std::size_t> holders = {};
  // The launches that follow in a sequence, one after another. They use these buffers and have none of their own.
  std::vector<std::shared_ptr<const LoadedKernel>> then = {};
};

// Returns how many launches a sequence has; 1 for a single kernel.
inline std::size_t launches_in(const LoadedKernel& kernel) { return 1 + kernel.then.size(); }
// Returns the launch at a place of a sequence, where the first one is the kernel itself.
inline const LoadedKernel& launch_at(const LoadedKernel& kernel, std::size_t place) {
  return place == 0 ? kernel : *kernel.then[place - 1];
}

// Returns why the kernel has no slices, or no persistent form; empty if it has them. The reason is that its code does
// not have the form at all, or not for blocks of this shape. A sequence has a form only if each of its launches has it.
std::string why_no_slices(const LoadedKernel& kernel);
std::string why_not_persistent(const LoadedKernel& kernel);
// Tells whether the results may depend on the order of blocks (KernelCode::order_sensitive).
bool is_order_sensitive(const LoadedKernel& kernel);

// Returns the number of blocks along each axis of the grid. Precondition: there are fewer than 2^32 along each.
slice::Grid grid_of(const backend::Geometry3& geometry);
// Returns the number of blocks; for a sequence, that of all its launches together.
std::uint64_t blocks_of(const LoadedKernel& kernel);

class KernelBuffers;

struct LoadOptions {
  std::size_t copies = 1;
  bool with_twins = true;                                     // false for a kernel without twins, which runs whole
  std::string why_whole = "it was loaded to run whole only";  // the reason that is given if `with_twins` is false
  Nanoseconds limit = nanoseconds_from_seconds(120);          // time limit of compiling, and of loading the result
  // A pool of buffers that several configurations of the kernel share: existing buffers are used and new ones added.
  // With nullptr each copy has buffers of its own. Precondition: one copy, and a pool of this spec and device.
  KernelBuffers* buffers = nullptr;
};

// Compiles a kernel. On CUDA it compiles to PTX, and adds twins to the PTX. `geometry` is that of whole launches. Fails
// as Device::build() does. A kernel that cannot be cut into parts is no error: KernelCode::no_slices says why.
Result<std::shared_ptr<const KernelCode>> load_code(backend::Device& device, const KernelSource& source,
                                                    std::span<const backend::Macro> macros,
                                                    const backend::Geometry3& geometry,
                                                    const LoadOptions& options = {});

// Loads the kernel or the sequence of a spec with these values of its parameters, in the device's language, in as many
// copies as asked for. The arguments get the same contents as in tuning; buffers that the kernel only writes are
// poisoned. Fails with invalid_argument if a sequence has too many launches, or if the configuration is beyond the
// device's limits. Errors of load_code(), of the spec's expressions and of its files are passed on.
Result<std::vector<std::shared_ptr<const LoadedKernel>>> load_kernel(backend::Device& device, const KernelSpec& spec,
                                                                     const Configuration& configuration,
                                                                     const LoadOptions& options = {});

// Returns a copy of the kernel with its own buffers for everything that it writes by its spec; everything else is
// shared. KernelOutputs::restore() fills them. Fails with unavailable if it writes pixels, and with errors of
// Device::create_buffer().
Result<std::shared_ptr<const LoadedKernel>> with_own_outputs(backend::Device& device, const KernelSpec& spec,
                                                             const LoadedKernel& kernel);

// A function that may replace an argument of a launch. It also gets the argument's source, as in LoadedKernel.
using ReplaceArgument = std::function<void(backend::LaunchArgument&, const std::optional<std::size_t>& source)>;
// Calls the function with each argument of all launches.
void replace_arguments(LoadedKernel& kernel, const ReplaceArgument& replace);

}  // namespace wattune::schedule
