// The elements at which chains through an array end, for checking pointer_chasing.cl and pointer_chasing.cu.
#include <cstddef>
#include <cstdint>

extern "C" void reference(void* const* arguments, const std::size_t*) {
  const auto* next = static_cast<const std::uint32_t*>(arguments[0]);
  auto* ends = static_cast<std::uint32_t*>(arguments[1]);
  const std::uint32_t n = *static_cast<const std::uint32_t*>(arguments[2]);
  const std::uint32_t chains = *static_cast<const std::uint32_t*>(arguments[3]);
  const int steps = *static_cast<const int*>(arguments[4]);
  for (std::uint32_t chain = 0; chain < chains; ++chain) ends[chain] = chain * 2654435761u & (n - 1);
  // Every chain takes a step before any takes the next one, so that the reads of the chains overlap.
  for (int step = 0; step < steps; ++step)
    for (std::uint32_t chain = 0; chain < chains; ++chain) ends[chain] = next[ends[chain]];
}
