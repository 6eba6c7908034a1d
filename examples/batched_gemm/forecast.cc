#include "forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

namespace batched_gemm {

namespace {

constexpr std::int64_t kLanes = 32;  // of a warp
constexpr std::int64_t kBanks = 32;  // of shared memory, an element wide
constexpr std::int64_t kElementsOfASector = 8;
constexpr std::int64_t kNone = -1;
using Places = std::array<std::int64_t, kLanes>;  // of elements, for each lane; kNone: it does nothing

// Elements that one load takes where places are so many apart.
std::int64_t width_of(std::int64_t distance) { return distance % 4 == 0 ? 4 : distance % 2 == 0 ? 2 : 1; }

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

std::int64_t count_sectors(const Places& places) {
  std::int64_t sectors = 0;
  std::int64_t last = kNone;  // places ascend
  for (const std::int64_t place : places) {
    if (place == kNone || place / kElementsOfASector == last) continue;
    last = place / kElementsOfASector;
    ++sectors;
  }
  return sectors;
}

// How often the busiest bank of shared memory is asked for different elements.
std::int64_t count_conflicts(std::span<const std::int64_t> places, std::int64_t width) {
  Places sorted;
  const auto end = std::ranges::copy_if(places, sorted.begin(), [](std::int64_t place) { return place != kNone; }).out;
  std::sort(sorted.begin(), end);
  std::array<std::int64_t, kBanks> asked{};
  for (auto place = sorted.begin(), last = std::unique(sorted.begin(), end); place != last; ++place)
    for (std::int64_t i = 0; i < width; ++i) ++asked[static_cast<std::size_t>((*place + i) % kBanks)];
  return *std::ranges::max_element(asked);
}

// Whether lanes read the same in pairs, of neighbours or of those two apart.
bool is_paired(std::span<const std::int64_t> places) {
  const auto same_at = [&](std::size_t distance) {
    for (std::size_t lane = 0; lane < places.size(); ++lane) {
      const std::int64_t other = places[lane ^ distance];
      if (places[lane] != kNone && other != kNone && places[lane] != other) return false;
    }
    return true;
  };
  return same_at(1) || same_at(2);
}

// Of a warp that loads vectors from shared memory, which are served by halves and quarters unless pairs of lanes read
// the same.
std::int64_t count_wavefronts(std::span<const std::int64_t> places, std::int64_t width, std::int64_t parts) {
  if (parts == 1 || is_paired(places)) return count_conflicts(places, width);
  const std::size_t half = places.size() / 2;
  return count_wavefronts(places.first(half), width, parts / 2) + count_wavefronts(places.last(half), width, parts / 2);
}

// A way at a size: what a block has and does.
class Shape {
 public:
  Shape(const Sizes& sizes, const Way& way) : sizes_(sizes), way_(way) {}

  std::int64_t row() const { return sizes_.c + way_.pad_threads; }  // of threads
  std::int64_t threads() const { return row() * way_.share * way_.products; }
  std::int64_t warps() const { return divided_up(threads(), kLanes); }
  std::int64_t rows() const { return divided_up(sizes_.b, way_.share); }  // of a thread
  std::int64_t of_a() const { return sizes_.a * sizes_.b; }
  std::int64_t of_b() const { return sizes_.a * sizes_.c; }
  std::int64_t of_c() const { return sizes_.b * sizes_.c; }
  double elements() const { return static_cast<double>(way_.products * elements_of(sizes_)); }
  std::int64_t pitch() const { return sizes_.a + way_.pad_row; }
  std::int64_t matrix_a() const { return pitch() * (sizes_.b + way_.pad_matrix); }  // in shared memory
  bool shares_b() const { return !way_.in_registers || way_.share > 1; }
  std::int64_t shared_elements() const {
    return way_.products * (matrix_a() + (shares_b() ? of_b() : 0) + (way_.direct ? 0 : of_c()));
  }
  // Of A, B and C, elements that go through shared memory.
  std::int64_t copied() const { return of_a() + (shares_b() ? of_b() : 0) + (way_.direct ? 0 : of_c()); }

  bool is_possible() const {
    constexpr std::int64_t kMostShared = 12'288;
    return way_.share <= sizes_.b && threads() >= 32 && threads() <= 512 && shared_elements() < kMostShared;
  }
  // On a multiprocessor.
  std::int64_t blocks_at_once() const {
    constexpr std::int64_t kShared = 233'472;
    constexpr std::int64_t kOfEachBlock = 1024;
    constexpr std::int64_t kRegisters = 65'536;
    const std::int64_t column = !way_.in_registers || way_.unrolled ? sizes_.a : 0;
    const std::int64_t registers = std::max<std::int64_t>(36, (way_.in_registers ? rows() : 1) + column + 20);
    const std::int64_t of_a_block = divided_up(registers, 8) * 8 * warps() * kLanes;
    const std::int64_t fitting = kShared / (4 * shared_elements() + kOfEachBlock);
    return std::max<std::int64_t>(1, std::min({std::int64_t{32}, 64 / warps(), fitting, kRegisters / of_a_block}));
  }

  // What the lanes of a warp read first of A and B, and write first of C.
  struct OfAWarp {
    Places a, b, c;
  };
  OfAWarp places(std::int64_t warp) const {
    OfAWarp places;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t thread = warp * kLanes + lane;
      const std::int64_t x = thread % row();
      const std::int64_t y = thread / row() % way_.share;
      const std::int64_t product = thread / row() / way_.share;
      const bool works = thread < threads() && x < sizes_.c;
      const auto at = static_cast<std::size_t>(lane);
      places.a[at] = works ? product * matrix_a() + y * pitch() : kNone;
      places.b[at] = works ? product * of_b() + x : kNone;
      places.c[at] = works ? product * of_c() + y * sizes_.c + x : kNone;
    }
    return places;
  }

 private:
  const Sizes& sizes_;
  const Way& way_;
};

// Of a block.
struct Traffic {
  double wavefronts = 0.0;  // of shared memory
  double sectors = 0.0;     // of the device's, that threads write C to
};

// As the first warps do it, which are like the others.
Traffic count_traffic(const Sizes& sizes, const Way& way, const Shape& shape) {
  constexpr std::int64_t kCounted = 4;
  const std::int64_t counted = std::min(kCounted, shape.warps());
  const std::int64_t width = width_of(shape.pitch());
  std::int64_t of_a = 0;
  std::int64_t of_b = 0;
  std::int64_t of_c = 0;
  std::int64_t sectors = 0;
  for (std::int64_t warp = 0; warp < counted; ++warp) {
    const auto [a, b, c] = shape.places(warp);
    of_a += count_wavefronts(a, width, width);
    if (shape.shares_b()) of_b += count_conflicts(b, 1);
    (way.direct ? sectors : of_c) += way.direct ? count_sectors(c) : count_conflicts(c, 1);
  }
  const std::int64_t computing =
      shape.rows() * (divided_up(sizes.a, width) * of_a + of_c) + sizes.a * of_b;  // B is read once, into registers
  const double scale = static_cast<double>(shape.warps()) / static_cast<double>(counted);
  const double copying = static_cast<double>(way.products * shape.copied()) / kBanks;
  return {.wavefronts = static_cast<double>(computing) * scale + copying,
          .sectors = static_cast<double>(shape.rows() * sectors) * scale};
}

// What shared memory takes, in the time that the device's does, beyond half of that: less is hidden behind it.
double busy(const Shape& shape, const Traffic& traffic) {
  constexpr double kAWavefront = 4.75;  // in the time that an element of the device's memory takes
  return std::max(0.0, kAWavefront * traffic.wavefronts / shape.elements() - 0.5);
}

// By how much too few bytes are under way to keep the device's memory busy.
double lacking(const Shape& shape) {
  constexpr double kEnough = 90e3;  // of a multiprocessor
  const double bytes = static_cast<double>(shape.blocks_at_once()) * shape.elements() * sizeof(float);
  return std::max(0.0, std::log(kEnough / bytes));
}

// The sectors of C that are written more than once, in parts of all that is moved.
double written_again(const Sizes& sizes, const Way& way, const Shape& shape, const Traffic& traffic) {
  if (!way.direct) return 0.0;
  const double least = static_cast<double>(way.products * shape.of_c()) / kElementsOfASector;
  return (traffic.sectors / least - 1.0) * static_cast<double>(shape.of_c()) / static_cast<double>(elements_of(sizes));
}

// The vectors of A whose place is computed for each, in parts of all elements.
double scattered(const Sizes& sizes, const Way& way, const Shape& shape) {
  if (way.pad_row + way.pad_matrix == 0) return 0.0;
  const std::int64_t width = way.pad_row > 0 ? 1 : width_of(sizes.a);
  return static_cast<double>(shape.of_a()) / static_cast<double>(elements_of(sizes) * width);
}

}  // namespace

Burdens burdens_of(const Sizes& sizes, const Way& way) {
  constexpr double kUsualThreads = 160.0;
  constexpr double kLongBody = 200.0;  // multiplications
  const Shape shape(sizes, way);
  const Traffic traffic = count_traffic(sizes, way, shape);
  const double unlike = std::log(static_cast<double>(shape.threads()) / kUsualThreads);
  const auto rows = static_cast<double>(way.in_registers ? shape.rows() : 1);
  const double body = way.unrolled ? rows * static_cast<double>(sizes.a) : 0.0;
  return {busy(shape, traffic), lacking(shape), written_again(sizes, way, shape, traffic), scattered(sizes, way, shape),
          unlike * unlike,      std::log(rows), std::max(0.0, body - kLongBody) / 500.0};
}

namespace {

// A thread computes element after element of a whole column, or all of one with the loop along A unrolled, or all of
// its part of one.
std::vector<Way> kinds() {
  std::vector<Way> kinds{{.share = 1}, {.share = 1, .in_registers = true, .unrolled = true}};
  for (const std::int64_t share : {2, 4, 8}) kinds.push_back({.share = share, .in_registers = true});
  return kinds;
}

}  // namespace

std::vector<Way> ways_for(const Sizes& sizes) {
  std::vector<std::int64_t> pads{0};
  if (sizes.c % 4 > 0) pads.push_back(sizes.c % 4);
  std::vector<Way> ways;
  for (Way way : kinds())
    for (way.products = 1; way.products <= 64; way.products *= 2)
      for (const std::int64_t pad : pads)
        for (int bits = 0; bits < 8; ++bits) {
          way.pad_threads = pad;
          way.pad_row = bits & 1;
          way.pad_matrix = bits >> 1 & 1;
          way.direct = (bits & 4) == 0;
          if (Shape(sizes, way).is_possible()) ways.push_back(way);
        }
  return ways;
}

Values values_of(const Way& way) {
  return {{"GROUP_SIZE_Y", way.share},
          {"GROUP_SIZE_Z", way.products},
          {"CACHING_STRATEGY", way.in_registers ? 2 : 1},
          {"PADD_AA", way.pad_row},
          {"PADD_AB", way.pad_matrix},
          {"PADD_C", way.pad_threads},
          {"DIRECT_WRITE", way.direct ? 1 : 0},
          {"UNROLL_K", way.unrolled ? 1 : 0}};
}

std::vector<Values> likely_values(const Sizes& sizes, std::size_t count) {
  std::vector<std::pair<double, Way>> ways;
  for (const Way& way : ways_for(sizes)) {
    const Burdens burdens = burdens_of(sizes, way);
    ways.emplace_back(std::inner_product(burdens.begin(), burdens.end(), kWeights.begin(), 0.0), way);
  }
  const auto end = ways.begin() + static_cast<std::ptrdiff_t>(std::min(count, ways.size()));
  std::ranges::stable_sort(ways, {}, [](const auto& each) { return each.first; });
  std::vector<Values> likely;
  for (auto way = ways.begin(); way != end; ++way) likely.push_back(values_of(way->second));
  return likely;
}

}  // namespace batched_gemm
