#include <algorithm>
#include <cstddef>

// The arguments in their order: score, similarity, length, penalty.
extern "C" void reference(void* const* arguments, const std::size_t*) {
  int* score = static_cast<int*>(arguments[0]);
  const int* similarity = static_cast<const int*>(arguments[1]);
  const int length = *static_cast<const int*>(arguments[2]);
  const int penalty = *static_cast<const int*>(arguments[3]);
  for (int y = 0; y < length; ++y) {
    int* above = score + y * (length + 1);
    int* here = above + length + 1;
    for (int x = 0; x < length; ++x)
      here[x + 1] = std::max(above[x] + similarity[y * length + x], std::max(above[x + 1], here[x]) - penalty);
  }
}
