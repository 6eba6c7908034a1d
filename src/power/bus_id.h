// Normalises places on the PCI bus, which every library writes in its own way.
#pragma once

#include <string>

namespace wattune::inline v0_1::power {

// Returns "0000:3B:00.0" for "00000000:3b:00.0" and "3B:00.0"; returns other texts as they are.
std::string plain_bus_id(const std::string& id);

}  // namespace wattune::power
