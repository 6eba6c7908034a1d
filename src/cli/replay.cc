#include "cli/replay.h"

namespace wattune::cli {

std::optional<std::string> replayed_file(const std::string& device) {
  constexpr std::string_view kPrefix = "replay:";
  if (!device.starts_with(kPrefix)) return std::nullopt;
  return device.substr(kPrefix.size());
}

KernelSpec recorded_spec(const RunInfo& info) {
  KernelSpec spec;
  spec.name = info.kernel_name.empty() ? "recorded" : info.kernel_name;
  spec.parameters = info.parameters;
  return spec;
}

}  // namespace wattune::cli
