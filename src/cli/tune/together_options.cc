// Declares the options of `wattune tune` for kernels that run together.
#include <CLI/CLI.hpp>

#include "cli/program/options.h"
#include "cli/program/text.h"
#include "cli/tune/tune_options.h"

namespace wattune::cli {

void declare_together_options(CLI::App& app, TogetherOptions& options) {
  app.option_defaults()->group("Kernels together");
  app.add_option(
         "--together", options.specs,
         "In the place of SPEC: kernels that run at the same time, tuned as one for the least makespan, or with "
         "--minimize energy for the least energy; --strategy walk (the default), paper-walk, walk+STRATEGY or a "
         "strategy over all their configurations (docs/tune.md)")
      ->type_name("SPEC SPEC ...");
  app.add_option("--partner", options.partner,
                 "Tune SPEC for running beside this: SPEC, SPEC@RESULTS, SPEC@NAME=VALUE,..., or a stand-in that "
                 "computes, streams memory or waits for it")
      ->type_name("compute|memory|latency|SPEC");
  app.add_option("--launch-order", options.launch_order,
                 "Kernels by name in the order of their launches; by default as they are given")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--steady", options.steady,
               "Launch each kernel again until all have run about as long as the longest does alone");
  app.add_option("--launches", options.launches,
                 "How often these kernels are launched in each run, in place of the numbers that --steady finds; "
                 "others are launched once")
      ->type_name("NAME=N,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--resident-blocks", options.resident_blocks,
                 "A further parameter of each kernel: how many of its blocks stay on each multiprocessor and share out "
                 "its grid, beside 0, which leaves that to the GPU (CUDA; --strategy is walk+auto by default)")
      ->type_name("N,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        const auto count = parse_count(text);
        return count ? std::string() : count.error().to_string();
      });
  add_parsed(app, "--indifference", options.indifference, parse_percent, "PERCENT",
             "Share by which costs may differ while a walk still takes them for equal")
      ->default_str("1");
}

}  // namespace wattune::cli
