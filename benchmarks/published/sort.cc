// Sorted keys, for checking sort.toml. A radix sort is used, because the reference runs for every number of groups.
#include <cstddef>
#include <vector>

namespace {
constexpr unsigned kDigits = 1U << 11;

void sort_by_digit(const std::vector<unsigned>& from, std::vector<unsigned>& to, unsigned shift) {
  std::vector<std::size_t> next(kDigits + 1);
  for (const unsigned key : from) ++next[(key >> shift) % kDigits + 1];
  for (std::size_t i = 1; i <= kDigits; ++i) next[i] += next[i - 1];
  for (const unsigned key : from) to[next[(key >> shift) % kDigits]++] = key;
}
}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t* lengths) {
  auto* keys = static_cast<unsigned*>(arguments[0]);
  std::vector<unsigned> from(keys, keys + lengths[0]);
  std::vector<unsigned> to(from.size());
  for (unsigned shift = 0; shift < 33; shift += 11) {
    sort_by_digit(from, to, shift);
    from.swap(to);
  }
  for (const unsigned key : from) *keys++ = key;
}
