#include "cli/corun/corun_kernels.h"

#include <CLI/CLI.hpp>

#include <utility>

#include "cli/corun/chosen_kernel.h"
#include "cli/program/options.h"
#include "cli/program/text.h"

namespace wattune::cli {

namespace {

constexpr std::string_view kSimulated = "simulated:";

Error do_not_go_together(std::string what, const std::string& about, std::string advice) {
  return Error(ErrorCode::invalid_argument, std::move(what)).about(about).hint(std::move(advice));
}

Result<std::unique_ptr<schedule::CorunSession>> open_published(const CorunKernels& kernels,
                                                               const schedule::CorunOptions& options) {
  if (!kernels.specs.empty())
    return do_not_go_together("a simulated GPU runs published kernels, no specs", kernels.specs.front(),
                              "name them: --kernels C,L,M");
  if (!kernels.sizes.empty())
    return do_not_go_together("--problem-size needs specs", kernels.sizes.front(), "--waves sizes published kernels");
  return schedule::open_simulated(kernels.names, kernels.waves, options);
}

}  // namespace

void declare_corun_kernels(CLI::App& app, CorunKernels& kernels, std::string& device) {
  app.option_defaults()->group("Kernels and device");
  app.add_option("SPEC", kernels.specs,
                 "SPEC@RESULTS runs the best configuration of a journal or another result file, SPEC@NAME=VALUE,... "
                 "this one; else the default one runs. A spec of several launches runs as one kernel")
      ->type_name("FILE");
  app.add_option(
         "--problem-size,-p", kernels.sizes,
         "Replace a problem size of one kernel. The second kernel of the same name is called gemm#2. May be repeated")
      ->type_name("KERNEL.SIZE=VALUE")
      ->allow_extra_args(false);
  app.add_option("--device,-d", device,
                 "auto, a selector, a backend, part of a device's name, or simulated:GPU (H100, A100, C2050 ...)")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option(
         "--kernels", kernels.names,
         "Kernels of a simulated GPU: an H100's probes C (FMA), L (random reads), M (copy), Kernelet's PC, SAD, SPMV, "
         "ST, MM, MRIQ, BS, TEA, and those that Jiao et al. ran on a GT 640: Pathfinder, Bitonic, Bt, Hotspot, Layer, "
         "Samplerank, Srad, Matrix, Time_step, Mergehist, Transpose; C+L launches both, one after the other")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_parsed(app, "--waves", kernels.waves, parse_count, "N",
             "How often the blocks of each of these kernels fill the GPU")
      ->default_str("8");
}

Result<std::unique_ptr<schedule::CorunSession>> open_corun(const std::string& device, const CorunKernels& kernels,
                                                           schedule::CorunOptions options) {
  options.device = device;
  if (device.starts_with(kSimulated)) {
    options.device = device.substr(kSimulated.size());
    return open_published(kernels, options);
  }
  if (!kernels.names.empty())
    return do_not_go_together("--kernels names kernels of simulated GPUs", kernels.names.front(),
                              "--device simulated:H100, or specs instead");
  WATTUNE_ASSIGN(std::vector<ChosenKernel> chosen, choose_kernels(kernels.specs, kernels.sizes));
  std::vector<schedule::CorunKernel> run;
  for (ChosenKernel& each : chosen) run.push_back({std::move(each.spec), std::move(each.configuration), each.name});
  return schedule::open(std::move(run), options);
}

}  // namespace wattune::cli
