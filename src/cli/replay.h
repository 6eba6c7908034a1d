// What `--device replay:FILE` needs: the recorded results, and a problem to search when there is no spec.
#pragma once

#include <optional>
#include <string>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/trial.h"

namespace wattune::cli {

// The file of "replay:FILE"; nothing for another device.
std::optional<std::string> replayed_file(const std::string& device);

// The problem of results that come without a spec: its name and parameters. There is no kernel to run.
KernelSpec recorded_spec(const RunInfo& info);

}  // namespace wattune::cli
