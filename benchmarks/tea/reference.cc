// The Tiny Encryption Algorithm, for checking tea.cl and tea.cu.
#include <cstddef>
#include <cstdint>

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  const auto* plain = static_cast<const std::uint32_t*>(arguments[0]);
  auto* cipher = static_cast<std::uint32_t*>(arguments[1]);
  std::uint32_t key[4];
  for (int i = 0; i < 4; ++i) key[i] = *static_cast<const std::uint32_t*>(arguments[3 + i]);
  for (std::size_t i = 0; i < lengths[0]; i += 2) {
    std::uint32_t left = plain[i];
    std::uint32_t right = plain[i + 1];
    std::uint32_t sum = 0;
    for (int cycle = 0; cycle < 32; ++cycle) {
      sum += 0x9e3779b9;
      left += ((right << 4) + key[0]) ^ (right + sum) ^ ((right >> 5) + key[1]);
      right += ((left << 4) + key[2]) ^ (left + sum) ^ ((left >> 5) + key[3]);
    }
    cipher[i] = left;
    cipher[i + 1] = right;
  }
}
