// Functions that compute the outputs of this folder's kernels on the host, for comparison.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../arguments.h"

namespace {

using lab::Arguments;

std::uint32_t scattered(std::uint32_t number) {
  number ^= number >> 16;
  number *= 0x7feb352dU;
  number ^= number >> 15;
  number *= 0x846ca68bU;
  return number ^ (number >> 16);
}

double gated(double x, double gate) { return x * std::clamp(gate + 3.0, 0.0, 6.0) / 6.0; }

}  // namespace

extern "C" void mandel(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  auto* steps = given.buffer<int>(0);
  const int width = given.value<int>(1), height = given.value<int>(2), most = given.value<int>(6);
  const float left = given.value<float>(3), top = given.value<float>(4), pitch = given.value<float>(5);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double real = left + x * pitch, imaginary = top - y * pitch;
      double a = 0.0, b = 0.0;
      int step = 0;
      for (; step < most && a * a + b * b <= 4.0; ++step) {
        const double next = a * a - b * b + real;
        b = 2.0 * a * b + imaginary;
        a = next;
      }
      *steps++ = step;
    }
}

extern "C" void row_norm(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto *in = given.buffer<float>(0), *gain = given.buffer<float>(1);
  auto* out = given.buffer<float>(2);
  const int rows = given.value<int>(3), columns = given.value<int>(4);
  for (int row = 0; row < rows; ++row, in += columns, out += columns) {
    double sum = 0.0;
    for (int column = 0; column < columns; ++column) sum += static_cast<double>(in[column]) * in[column];
    const double scale = 1.0 / std::sqrt(sum / columns + 1e-5);
    for (int column = 0; column < columns; ++column)
      out[column] = static_cast<float>(in[column] * scale * gain[column]);
  }
}

extern "C" void gather(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto* table = given.buffer<float>(0);
  auto* sums = given.buffer<float>(1);
  const auto places = given.value<std::uint32_t>(2), n = given.value<std::uint32_t>(3);
  for (std::uint32_t i = 0; i < n; ++i) {
    float sum = 0.0F;
    for (std::uint32_t k = 0; k < 8; ++k) sum += table[scattered(i * 8 + k) & (places - 1)];
    sums[i] = sum;
  }
}

extern "C" void lattice(void* const* arguments, const std::size_t* /*lengths*/) {
  constexpr int kX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  constexpr int kY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const Arguments given(arguments);
  const auto* from = given.buffer<double>(0);
  auto* to = given.buffer<double>(1);
  const int width = given.value<int>(2), height = given.value<int>(3);
  const auto rate = given.value<double>(4);
  const auto plane = static_cast<std::size_t>(width) * height;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double flow[9], density = 0.0, right = 0.0, up = 0.0;
      for (int k = 0; k < 9; ++k) {
        const int source_x = (x - kX[k] + width) % width, source_y = (y - kY[k] + height) % height;
        flow[k] = from[k * plane + static_cast<std::size_t>(source_y) * width + source_x];
        density += flow[k];
        right += kX[k] * flow[k];
        up += kY[k] * flow[k];
      }
      right /= density;
      up /= density;
      for (int k = 0; k < 9; ++k) {
        const double along = kX[k] * right + kY[k] * up;
        const double weight = k == 0 ? 4.0 / 9 : (k < 5 ? 1.0 / 9 : 1.0 / 36);
        const double balance =
            weight * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (right * right + up * up));
        to[k * plane + static_cast<std::size_t>(y) * width + x] = flow[k] + rate * (balance - flow[k]);
      }
    }
}

extern "C" void gated_stream(void* const* arguments, const std::size_t* lengths) {
  const Arguments given(arguments);
  const auto *x = given.buffer<double>(0), *gate = given.buffer<double>(1);
  for (std::size_t i = 0; i < lengths[2]; ++i) given.buffer<double>(2)[i] = gated(x[i], gate[i]);
}

// Solves E - e sin E = M by halving an interval, unlike the kernel's Newton steps. The left side rises with E.
extern "C" void kepler(void* const* arguments, const std::size_t* lengths) {
  const Arguments given(arguments);
  for (std::size_t i = 0; i < lengths[2]; ++i) {
    const double mean = given.buffer<double>(0)[i], eccentricity = given.buffer<double>(1)[i];
    double low = 0.0, high = 4.2;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (middle - eccentricity * std::sin(middle) < mean ? low : high) = middle;
    }
    given.buffer<double>(2)[i] = low;
  }
}
