#include <CLI/CLI.hpp>

#include "cli/corun_stage.h"
#include "cli/options.h"
#include "cli/text.h"

namespace wattune::cli {

void declare_corun_kernels(CLI::App& app, CorunKernels& kernels, std::string& device) {
  app.option_defaults()->group("Kernels and device");
  app.add_option("SPEC", kernels.specs,
                 "SPEC@RESULTS runs the best configuration of a journal or another result file, SPEC@NAME=VALUE,... "
                 "this one; else the default one runs")
      ->type_name("FILE");
  app.add_option("--problem-size,-p", kernels.sizes,
                 "Replace a size of the problem of one kernel, the second of the same being gemm#2; may be repeated")
      ->type_name("KERNEL.SIZE=VALUE")
      ->allow_extra_args(false);
  app.add_option("--device,-d", device,
                 "auto, a selector, a backend, part of a device's name, or simulated:GPU (H100, A100, C2050 ...)")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--kernels", kernels.names,
                 "Of a simulated GPU: an H100's probes C (FMA), L (random reads), M (copy), Kernelet's PC, SAD, SPMV, "
                 "ST, MM, MRIQ, BS, TEA, and those that Jiao et al. ran on a GT 640: Pathfinder, Bitonic, Bt, Hotspot, "
                 "Layer, Samplerank, Srad, Matrix, Time_step, Mergehist, Transpose")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_parsed(app, "--waves", kernels.waves, parse_count, "N", "How often each of these fills the GPU")
      ->default_str("8");
}

}  // namespace wattune::cli
