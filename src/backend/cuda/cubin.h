// Reads facts about kernels from a cubin, which is an ELF file, without a device.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wattune::inline v0_1::backend::cuda {

struct CubinFacts {
  std::map<std::string, std::vector<std::size_t>> parameters;  // bytes of each parameter, by symbol of the kernel
  std::map<std::string, std::size_t> constants;                // bytes of each symbol in constant memory
};

// Reads the facts. They are empty if the code is no cubin or is incomplete.
CubinFacts facts_of_cubin(std::string_view code);

}  // namespace wattune::backend::cuda
