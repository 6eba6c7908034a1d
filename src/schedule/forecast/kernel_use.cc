#include "schedule/interface/kernel_use.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "power/interface/controls.h"
#include "simulate/interface/ptx_profile.h"
#include "wattune/backend/counters.h"
#include "wattune/core/observation.h"

namespace wattune::inline v0_1::schedule {

namespace {

// The counters that are read. All NVIDIA GPUs from Volta to Blackwell have them. Hopper needs two passes to read them.
constexpr const char* kCounters[] = {
    "smsp__issue_active",               // for the issue slots
    "sm__inst_executed_pipe_fma",       // for the pipe fp32
    "sm__inst_executed_pipe_alu",       // for the pipe integer
    "sm__inst_executed_pipe_xu",        // for the pipe special
    "sm__inst_executed_pipe_fp64",      // for the pipe fp64
    "sm__pipe_tensor_cycles_active",    // for the pipe tensor
    "l1tex__data_pipe_lsu_wavefronts",  // for the pipe memory
    "lts__t_sectors",                   // for L2
    "dram__throughput",                 // for DRAM
};
static_assert(std::size(kCounters) == simulate::kResources);

// Adds the kernel to the stream, after copies of the original contents of the buffers that it reads and writes. The
// contents must be copied again because each pass runs the kernel.
Result<void> queue_run(backend::Stream& stream, const LoadedKernel& kernel) {
  for (std::size_t i = 0; i < kernel.pristine.size(); ++i)
    if (kernel.pristine[i] != nullptr) WATTUNE_TRY(stream.copy(*kernel.pristine[i], *kernel.buffers[i]));
  for (std::size_t place = 0; place < launches_in(kernel); ++place) {
    const LoadedKernel& launch = launch_at(kernel, place);
    WATTUNE_TRY(stream.launch(*launch.code->whole, launch.geometry, launch.arguments));
  }
  return {};
}

std::optional<double> share_of(const std::string& counter, const std::vector<Metric>& values) {
  const auto found = std::ranges::find(values, counter, &Metric::name);
  return found == values.end() ? std::nullopt : std::optional(std::clamp(found->value / 100.0, 0.0, 1.0));
}

std::optional<double> known_share(const KernelTraits& kernel, std::size_t resource) {
  if (resource < kernel.use_by_counters.size() && kernel.use_by_counters[resource])
    return kernel.use_by_counters[resource];
  return resource < kernel.use.size() ? std::optional(kernel.use[resource]) : std::nullopt;
}

}  // namespace

std::vector<std::string> counters_of_use() {
  std::vector<std::string> names;
  for (const char* counter : kCounters) names.push_back(counter + std::string(".avg.pct_of_peak_sustained_elapsed"));
  return names;
}

std::string why_no_counters(std::istream& settings, std::istream& status, std::istream& uid_map) {
  bool is_reserved = false;
  for (std::string line; std::getline(settings, line);) is_reserved = is_reserved || line == "RmProfilingAdminOnly: 1";
  if (!is_reserved || power::is_administrator(status, uid_map)) return {};
  return "the driver reserves them for administrators (RmProfilingAdminOnly in /proc/driver/nvidia/params); load "
         "NVIDIA's kernel module with NVreg_RestrictProfilingToAdminUsers=0, or give the process CAP_SYS_ADMIN";
}

Result<std::vector<std::optional<double>>> read_use(backend::Device& device, const LoadedKernel& kernel,
                                                    Nanoseconds limit) {
  WATTUNE_ASSIGN(backend::Counters* const counters, device.counters());
  WATTUNE_ASSIGN(const auto stream, device.create_stream());
  WATTUNE_TRY(queue_run(*stream, kernel));
  const std::vector<std::string> names = counters_of_use();
  WATTUNE_ASSIGN(const std::vector<Metric> values, counters->count(*stream, names, limit));
  std::vector<std::optional<double>> use;
  for (const std::string& name : names) use.push_back(share_of(name, values));
  return use;
}

std::vector<double> known_use(const KernelTraits& kernel) {
  std::vector<double> use;
  for (std::size_t i = 0; i < std::max(kernel.use.size(), kernel.use_by_counters.size()); ++i) {
    const std::optional<double> share = known_share(kernel, i);
    if (!share) return {};
    use.push_back(*share);
  }
  return use;
}

std::optional<model::Utilisation> known_utilisation(const KernelTraits& kernel) {
  const std::optional<double> pipeline = known_share(kernel, 0);
  const std::optional<double> memory = known_share(kernel, simulate::kResources - 1);
  if (!pipeline || !memory) return std::nullopt;
  return model::Utilisation{.pipeline = *pipeline, .memory = *memory};
}

}  // namespace wattune::schedule
