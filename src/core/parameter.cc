#include "wattune/core/parameter.h"

#include <algorithm>

namespace wattune::inline v0_1 {

std::string_view to_string(ParameterRole role) {
  switch (role) {
    case ParameterRole::code: return "code";
    case ParameterRole::launch: return "launch";
    case ParameterRole::graphics_clock: return "graphics_clock";
    case ParameterRole::memory_clock: return "memory_clock";
    case ParameterRole::power_limit: return "power_limit";
  }
  return "unknown";
}

std::optional<ParameterRole> parse_parameter_role(std::string_view name) {
  const auto* const found = std::ranges::find(kAllRoles, name, [](ParameterRole role) { return to_string(role); });
  return found == std::end(kAllRoles) ? std::nullopt : std::optional(*found);
}

ParameterRole usual_role(std::string_view parameter) {
  if (parameter == "nvml_gr_clock") return ParameterRole::graphics_clock;
  if (parameter == "nvml_mem_clock") return ParameterRole::memory_clock;
  if (parameter == "nvml_pwr_limit") return ParameterRole::power_limit;
  return ParameterRole::code;
}

}  // namespace wattune
