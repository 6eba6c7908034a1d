#include "cli/corun_stage.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::cli {

namespace {

constexpr std::string_view kSimulated = "simulated:";

}  // namespace

Nanoseconds power_window(const CorunStage& stage) {
  return stage.is_simulated() ? nanoseconds_from_ms(20) : nanoseconds_from_seconds(3);
}

std::optional<Joules> known_energy(const CorunStage& stage, Joules energy, Nanoseconds time) {
  if (!(energy > Joules(0)) || (!stage.is_simulated() && time < nanoseconds_from_seconds(1))) return std::nullopt;
  return energy;
}

Result<const schedule::ProfileRecord*> find_profile(std::span<const schedule::ProfileRecord> records,
                                                    const std::string& name, const Identity& identity) {
  for (const schedule::ProfileRecord& record : records)
    if (record.identity == identity) return &record;
  for (const schedule::ProfileRecord& record : records)
    if (record.traits.name == name) WATTUNE_TRY(schedule::check_profile(record, identity));
  return nullptr;
}

std::string name_of_place(std::span<const std::string> names, std::size_t place) {
  const auto same = std::ranges::count(names.first(place), names[place]);
  return same == 0 ? names[place] : fmt::format("{}#{}", names[place], same + 1);
}

Result<std::unique_ptr<CorunStage>> open_stage(const std::string& device, const CorunKernels& kernels) {
  if (device.starts_with(kSimulated)) return open_simulated_stage(device.substr(kSimulated.size()), kernels);
  if (!kernels.names.empty())
    return Error(ErrorCode::invalid_argument, "--kernels names kernels of simulated GPUs")
        .about(kernels.names.front())
        .hint("--device simulated:H100, or specs instead");
  return open_device_stage(device, kernels);
}

}  // namespace wattune::cli
