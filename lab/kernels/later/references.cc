// Functions that compute the outputs of this folder's kernels on the host, for comparison.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "../arguments.h"

namespace {

using lab::Arguments;

std::uint32_t scattered(std::uint32_t key) {
  key = (key ^ (key >> 16)) * 0x45d9f3bU;
  key = (key ^ (key >> 16)) * 0x45d9f3bU;
  return key ^ (key >> 16);
}

// Returns the first word of the MD5 digest (RFC 1321) of a text that fills one block.
std::uint32_t first_word(const std::array<std::uint32_t, 16>& text) {
  constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  constexpr std::uint32_t kBegin = 0x67452301U;
  std::uint32_t a = kBegin, b = 0xefcdab89U, c = 0x98badcfeU, d = 0x10325476U;
  for (int step = 0; step < 64; ++step) {
    const std::uint32_t mixed[4] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
    const int places[4] = {step, 5 * step + 1, 3 * step + 5, 7 * step};
    const int round = step / 16;
    const auto sine = static_cast<std::uint32_t>(std::floor(std::ldexp(std::abs(std::sin(step + 1.0)), 32)));
    const std::uint32_t turned = std::rotl(a + mixed[round] + sine + text[places[round] % 16], kTurns[round][step % 4]);
    a = d;
    d = c;
    c = b;
    b += turned;
  }
  return kBegin + a;
}

// Returns the value at a place between four pixels of a square image. `column` and `row` count in pixels.
double interpolated(const float* image, int pixels, double column, double row) {
  const int left = std::min(static_cast<int>(column), pixels - 2), top = std::min(static_cast<int>(row), pixels - 2);
  const auto at = [&](int x, int y) -> double { return image[static_cast<std::size_t>(y) * pixels + x]; };
  const double upper = std::lerp(at(left, top), at(left + 1, top), column - left);
  return std::lerp(upper, std::lerp(at(left, top + 1), at(left + 1, top + 1), column - left), row - top);
}

}  // namespace

extern "C" void hash_join(void* const* arguments, const std::size_t* lengths) {
  const Arguments given(arguments);
  const auto *keys = given.buffer<std::uint32_t>(0), *buckets = given.buffer<std::uint32_t>(1);
  const auto* nodes = given.buffer<std::uint32_t>(2);
  const auto bucket_count = given.value<std::uint32_t>(5), node_count = given.value<std::uint32_t>(6);
  for (std::size_t i = 0; i < lengths[3]; ++i) {
    std::uint32_t sum = 0, place = buckets[scattered(keys[i]) % bucket_count] % (2 * node_count);
    for (int step = 0; step < 16 && place < node_count; ++step) {
      const std::uint32_t key = nodes[2 * std::size_t{place}];
      if (key % 16 == keys[i] % 16) sum += key / 16;
      place = nodes[2 * std::size_t{place} + 1] % (2 * node_count);
    }
    given.buffer<std::uint32_t>(3)[i] = sum;
  }
}

extern "C" void heat3d(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto* heat = given.buffer<double>(0);
  const std::array<int, 3> sides = {given.value<int>(2), given.value<int>(3), given.value<int>(4)};
  const std::array<std::ptrdiff_t, 3> steps = {1, sides[0], static_cast<std::ptrdiff_t>(sides[0]) * sides[1]};
  for (std::ptrdiff_t at = 0; at < steps[2] * sides[2]; ++at) {
    double next = heat[at];
    bool is_inner = true;
    for (int axis = 0; axis < 3; ++axis) {
      const std::ptrdiff_t place = at / steps[axis] % sides[axis];
      is_inner = is_inner && place > 0 && place + 1 < sides[axis];
    }
    for (int axis = 0; axis < 3 && is_inner; ++axis)
      next += (heat[at - steps[axis]] - 2.0 * heat[at] + heat[at + steps[axis]]) / 8.0;
    given.buffer<double>(1)[at] = next;
  }
}

// Computes each frequency by the definition of the Fourier transform, as a sum over the signal.
extern "C" void spectra(void* const* arguments, const std::size_t* lengths) {
  constexpr int kLength = 512;
  const Arguments given(arguments);
  const auto* signals = given.buffer<float>(0);
  auto* out = given.buffer<float>(1);
  for (std::size_t signal = 0; signal < lengths[0] / (2 * kLength); ++signal, signals += 2 * kLength)
    for (int frequency = 0; frequency < kLength; ++frequency) {
      std::complex<double> sum;
      for (int i = 0; i < kLength; ++i)
        sum += std::complex<double>(signals[2 * i], signals[2 * i + 1]) *
               std::polar(1.0, -2.0 * std::numbers::pi * (i * frequency % kLength) / kLength);
      *out++ = static_cast<float>(sum.real());
      *out++ = static_cast<float>(sum.imag());
    }
}

extern "C" void digests(void* const* arguments, const std::size_t* lengths) {
  const Arguments given(arguments);
  const auto count = static_cast<std::uint32_t>(given.value<int>(1));
  for (std::uint32_t thread = 0; thread < lengths[0]; ++thread) {
    std::uint32_t least = ~0U;
    for (std::uint32_t number = thread * count; number < (thread + 1) * count; ++number)
      least = std::min(least, first_word({number, 0x80U, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32U, 0}));
    given.buffer<std::uint32_t>(0)[thread] = least;
  }
}

extern "C" void sorted_tiles(void* const* arguments, const std::size_t* lengths) {
  constexpr std::size_t kTile = 1024;
  const Arguments given(arguments);
  auto* sorted = given.buffer<std::uint32_t>(1);
  std::copy_n(given.buffer<std::uint32_t>(0), lengths[0], sorted);
  for (std::size_t first = 0; first < lengths[0]; first += kTile) std::sort(sorted + first, sorted + first + kTile);
}

extern "C" void back_projection(void* const* arguments, const std::size_t* /*lengths*/) {
  constexpr double kSource = 3.0, kReach = 2.0;
  const Arguments given(arguments);
  const auto* images = given.buffer<float>(0);
  auto* body = given.buffer<float>(1);
  const int side = given.value<int>(2), count = given.value<int>(3), pixels = given.value<int>(4);
  const auto coordinate = [side](int place) { return (2.0 * place + 1.0) / side - 1.0; };
  const auto shown = [&](double at) { return std::clamp((at / kReach + 1.0) / 2.0 * (pixels - 1), 0.0, pixels - 1.0); };
  for (int cell = 0; cell < side * side * side; ++cell) {
    const double x = coordinate(cell % side), y = coordinate(cell / side % side), z = coordinate(cell / (side * side));
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / count;
      const double scale = kSource / (kSource - x * std::cos(angle) - y * std::sin(angle));
      const double across = (y * std::cos(angle) - x * std::sin(angle)) * scale;
      const float* image = images + static_cast<std::size_t>(i) * pixels * pixels;
      sum += scale * scale * interpolated(image, pixels, shown(across), shown(z * scale));
    }
    body[cell] = static_cast<float>(sum);
  }
}

extern "C" void aggregate(void* const* arguments, const std::size_t* /*lengths*/) {
  constexpr int kFeatures = 64;
  const Arguments given(arguments);
  const auto *row_starts = given.buffer<int>(0), *edges = given.buffer<int>(1);
  const auto* features = given.buffer<float>(2);
  auto* means = given.buffer<float>(3);
  const int vertices = given.value<int>(4);
  for (int vertex = 0; vertex < vertices; ++vertex)
    for (int feature = 0; feature < kFeatures; ++feature) {
      double sum = 0.0;
      for (int edge = row_starts[vertex]; edge < row_starts[vertex + 1]; ++edge)
        sum += features[static_cast<std::size_t>(edges[edge] % vertices) * kFeatures + feature];
      *means++ = static_cast<float>(sum / std::max(1, row_starts[vertex + 1] - row_starts[vertex]));
    }
}

extern "C" void recurrence(void* const* arguments, const std::size_t* /*lengths*/) {
  const Arguments given(arguments);
  const auto *rates = given.buffer<float>(0), *inputs = given.buffer<float>(1);
  const int steps = given.value<int>(3), channels = given.value<int>(4);
  for (int channel = 0; channel < channels; ++channel) {
    double state = 0.0;
    for (int step = 0; step < steps; ++step) {
      const std::size_t at = static_cast<std::size_t>(step) * channels + channel;
      state += (1.0 - std::exp(-static_cast<double>(rates[at]))) * (inputs[at] - state);
      given.buffer<float>(2)[at] = static_cast<float>(state);
    }
  }
}
