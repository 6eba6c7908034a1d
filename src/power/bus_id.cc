#include "power/bus_id.h"

#include <fmt/format.h>

#include <cstdio>

namespace wattune::inline v0_1::power {

std::string plain_bus_id(const std::string& id) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned function = 0;
  int end = 0;
  const auto all_of_it = [&] { return end == static_cast<int>(id.size()); };
  if (std::sscanf(id.c_str(), "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) == 4 && all_of_it())
    return fmt::format("{:04X}:{:02X}:{:02X}.{:X}", domain, bus, device, function);
  if (std::sscanf(id.c_str(), "%2x:%2x.%1x%n", &bus, &device, &function, &end) == 3 && all_of_it())
    return fmt::format("0000:{:02X}:{:02X}.{:X}", bus, device, function);
  return id;
}

}  // namespace wattune::power
