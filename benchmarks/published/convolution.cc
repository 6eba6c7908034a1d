// An image filtered with 17 x 17 weights, for checking convolution.toml.
#include <cstddef>

namespace {

constexpr int kFilter = 17;
constexpr int kSize = 4096;  // of the image, in both directions
constexpr int kInput = kSize + kFilter - 1;

#pragma GCC optimize("O3")  // vectorises the loop over a row
void add_weighted(float* output, const float* input, float weight) {
  for (int x = 0; x < kSize; ++x) output[x] += weight * input[x];
}

}  // namespace

extern "C" void reference(void* const* arguments, const std::size_t*) {
  auto* output = static_cast<float*>(arguments[0]);
  const auto* input = static_cast<const float*>(arguments[1]);
  const auto* filter = static_cast<const float*>(arguments[2]);
  for (int y = 0; y < kSize; ++y) {
    float row[kSize] = {};
    for (int i = 0; i < kFilter; ++i)
      for (int j = 0; j < kFilter; ++j) add_weighted(row, input + (y + i) * kInput + j, filter[i * kFilter + j]);
    for (int x = 0; x < kSize; ++x) output[y * kSize + x] = row[x];
  }
}
