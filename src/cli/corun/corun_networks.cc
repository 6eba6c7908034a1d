#include "cli/corun/corun_networks.h"

#include <CLI/CLI.hpp>

#include "cli/program/options.h"

namespace wattune::cli {

void declare_networks(CLI::App& app, schedule::NetworkChoice& networks) {
  app.option_defaults()->group("Networks of queues");
  add_choice(app, "--forecast", networks.decide, Choices<bool>{{"runs", false}, {"networks", true}},
             "The source of greedy's forecasts for --objective energy: runs, or networks that know the features of "
             "each kernel alone, as in Jiao et al. With --clocks auto networks choose among all clocks that they know");
  app.add_option("--networks", networks.file,
                 "File of the networks of this board. It is read if it exists; else networks are trained and kept "
                 "there. Without this option they are trained anew, on kernels of the simulated GPU or on --recordings")
      ->type_name("FILE");
  app.add_option("--recordings", networks.recordings,
                 "Train the networks on these result files instead, whose kernels have energies at several clocks, and "
                 "features in --profiles; 16 kernels at least")
      ->type_name("FILE,...")
      ->delimiter(',')
      ->allow_extra_args(false);
}

Result<void> check_networks(const schedule::NetworkChoice& networks, const std::vector<std::string>& policies,
                            const schedule::Objective& objective) {
  if (networks.decide) return schedule::check_networks(policies, objective);
  if (networks.file.empty() && networks.recordings.empty()) return {};
  return Error(ErrorCode::invalid_argument, "--networks and --recordings need networks that decide")
      .about(networks.file.empty() ? networks.recordings.front() : networks.file)
      .hint("--forecast networks");
}

}  // namespace wattune::cli
