#include "forecast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>

namespace batched_gemm {

namespace {

constexpr std::int64_t kLanes = 32;  // lanes of a warp
constexpr std::int64_t kBanks = 32;  // banks of shared memory, one element wide
constexpr std::int64_t kSector = 8;  // elements
constexpr std::int64_t kLine = 32;
constexpr std::int64_t kMostWarps = 64;  // warps of a multiprocessor
constexpr std::int64_t kNone = -1;
using Places = std::array<std::int64_t, kLanes>;  // of elements, for each lane; kNone for a lane that does nothing

// Returns how many elements one vector load can take if such loads are `distance` elements apart.
std::int64_t width_of(std::int64_t distance) { return distance % 4 == 0 ? 4 : distance % 2 == 0 ? 2 : 1; }

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

// Counts how many different parts of memory, each of `elements` elements, the places fall into.
std::int64_t count_parts(const Places& places, std::int64_t elements) {
  std::int64_t parts = 0;
  std::int64_t last = kNone;  // the places ascend
  for (const std::int64_t place : places) {
    if (place == kNone || place / elements == last) continue;
    last = place / elements;
    ++parts;
  }
  return parts;
}

// Returns how many different elements the busiest bank of shared memory is asked for.
std::int64_t count_conflicts(std::span<const std::int64_t> places, std::int64_t width) {
  Places sorted;
  const auto end = std::ranges::copy_if(places, sorted.begin(), [](std::int64_t place) { return place != kNone; }).out;
  std::sort(sorted.begin(), end);
  std::array<std::int64_t, kBanks> asked{};
  for (auto place = sorted.begin(), last = std::unique(sorted.begin(), end); place != last; ++place)
    for (std::int64_t i = 0; i < width; ++i) ++asked[static_cast<std::size_t>((*place + i) % kBanks)];
  return *std::ranges::max_element(asked);
}

// Tells whether the lanes read the same places in pairs, of neighbours or of lanes two apart.
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

// Counts the passes in which lanes load vectors from shared memory. The two halves of the lanes are served one after
// the other, unless pairs of lanes read the same places.
std::int64_t count_passes_together(std::span<const std::int64_t> places, std::int64_t width) {
  if (width == 1 || is_paired(places)) return count_conflicts(places, width);
  const std::size_t half = places.size() / 2;
  return count_conflicts(places.first(half), width) + count_conflicts(places.last(half), width);
}

// Counts the passes in which a warp loads vectors from shared memory. The two halves of a warp load vectors of four
// elements separately.
std::int64_t count_passes(std::span<const std::int64_t> places, std::int64_t width) {
  if (width < 4) return count_passes_together(places, width);
  const std::size_t half = places.size() / 2;
  return count_passes_together(places.first(half), width) + count_passes_together(places.last(half), width);
}

// The resources and the work of a block, for one configuration of the kernel at one size of the matrices.
class Shape {
 public:
  Shape(const Sizes& sizes, const Way& way) : sizes_(sizes), way_(way) {}

  std::int64_t row() const { return sizes_.c + way_.pad_threads; }  // threads of a row
  std::int64_t threads() const { return row() * way_.share * way_.products; }
  std::int64_t warps() const { return divided_up(threads(), kLanes); }
  std::int64_t rows() const { return divided_up(sizes_.b, way_.share); }  // rows of a thread
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
  // Returns how many elements of A, B and C go through shared memory.
  std::int64_t copied() const { return of_a() + (shares_b() ? of_b() : 0) + (way_.direct ? 0 : of_c()); }

  bool is_possible() const {
    constexpr std::int64_t kMostShared = 12'288;
    return way_.share <= sizes_.b && threads() >= 32 && threads() <= 512 && shared_elements() < kMostShared;
  }
  // Returns how many elements of A one load takes from shared memory. steps() returns how many such loads make a row.
  std::int64_t step() const { return width_of(pitch()); }
  std::int64_t steps() const { return divided_up(sizes_.a, step()); }
  bool loops() const { return way_.in_registers && !way_.unrolled; }  // tells whether it loops along A

  // Returns the number of blocks that run at once on a multiprocessor.
  std::int64_t blocks_at_once() const {
    constexpr std::int64_t kShared = 233'472;
    constexpr std::int64_t kOfEachBlock = 1024;
    constexpr std::int64_t kRegisters = 65'536;
    // The number of registers that the compiler takes on average: for the sums, for a column of B or a step of it, and
    // for the rest.
    const std::int64_t registers = (way_.in_registers ? rows() : 8) + (loops() ? 8 : sizes_.a) + 20;
    const std::int64_t of_a_block = divided_up(std::max<std::int64_t>(32, registers), 8) * 8 * warps() * kLanes;
    const std::int64_t fitting = kShared / (4 * shared_elements() + kOfEachBlock);
    return std::max<std::int64_t>(1,
                                  std::min({std::int64_t{32}, kMostWarps / warps(), fitting, kRegisters / of_a_block}));
  }

  // The places of the first elements that the lanes of a warp read in A and in B, and of the first that they write in
  // C.
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

// The costs of the first access of each warp of a block to A, B and C.
struct Access {
  double passes_a = 0.0;
  double passes_b = 0.0;
  double passes_c = 0.0;
  double lines_b = 0.0;
  double lines_c = 0.0;
  double sectors_c = 0.0;
};

// Counts the costs for the first warps of a block, which the others resemble, and scales them to the whole block.
Access count_access(const Way& way, const Shape& shape) {
  constexpr std::int64_t kCounted = 4;
  const std::int64_t counted = std::min(kCounted, shape.warps());
  const double scale = static_cast<double>(shape.warps()) / static_cast<double>(counted);
  Access access;
  const auto add = [scale](double& sum, std::int64_t count) { sum += scale * static_cast<double>(count); };
  for (std::int64_t warp = 0; warp < counted; ++warp) {
    const auto [a, b, c] = shape.places(warp);
    add(access.passes_a, count_passes(a, shape.step()));
    if (shape.shares_b())
      add(access.passes_b, count_conflicts(b, 1));
    else
      add(access.lines_b, count_parts(b, kLine));
    if (way.direct) {
      add(access.lines_c, count_parts(c, kLine));
      add(access.sectors_c, count_parts(c, kSector));
    } else {
      add(access.passes_c, count_conflicts(c, 1));
    }
  }
  return access;
}

// Counts the copy instructions of a thread, if each product has `elements` elements that are copied as vectors of
// `width`.
std::int64_t count_copies(const Way& way, const Shape& shape, std::int64_t elements, std::int64_t width) {
  return divided_up(way.products * elements, shape.threads() * width);
}

// Adds the memory work of a block. Each element of B is read once, into registers.
void add_memory(Work& work, const Sizes& sizes, const Way& way, const Shape& shape) {
  const Access access = count_access(way, shape);
  const auto rows = static_cast<double>(shape.rows());
  const auto steps = static_cast<double>(shape.steps());
  const auto columns = static_cast<double>(sizes.a);
  work.passes = rows * (steps * access.passes_a + access.passes_c) + columns * access.passes_b +
                static_cast<double>(way.products * shape.copied()) / kBanks;
  work.lines_read = columns * access.lines_b;
  work.lines_written = rows * access.lines_c;
  if (way.direct)
    work.written_again = rows * access.sectors_c * kSector - static_cast<double>(way.products * shape.of_c());
}

// Adds the instructions of a block.
void add_instructions(Work& work, const Sizes& sizes, const Way& way, const Shape& shape) {
  const bool is_padded = way.pad_row + way.pad_matrix > 0;
  const auto width = [&](std::int64_t elements) { return width_of(way.products * elements); };
  const std::int64_t width_a = way.pad_row > 0 ? 1 : is_padded ? width_of(sizes.a) : width(shape.of_a());
  const std::int64_t copies_a = count_copies(way, shape, shape.of_a(), width_a);
  std::int64_t copies = copies_a;
  if (shape.shares_b()) copies += count_copies(way, shape, shape.of_b(), width(shape.of_b()));
  if (!way.direct) copies += count_copies(way, shape, shape.of_c(), width(shape.of_c()));
  const auto of_warps = [&](std::int64_t count) { return static_cast<double>(shape.warps() * count); };
  constexpr std::int64_t kOfARow = 2;   // computes its place, and writes it
  constexpr std::int64_t kOfALoop = 4;  // counts, compares, branches, and moves on
  work.multiplying = of_warps(shape.rows() * (sizes.a + shape.steps() + kOfARow) + sizes.a +
                              (shape.loops() ? kOfALoop * shape.steps() : 0));
  work.copying = of_warps(copies);
  if (is_padded) work.scattering = of_warps(copies_a);
  if (sizes.b % way.share != 0) work.uneven = of_warps(shape.rows() * shape.steps());
  if (shape.loops() && sizes.a % shape.step() != 0) work.ragged = of_warps(shape.rows() * sizes.a);
  work.warps = of_warps(1);
}

void add_occupancy(Work& work, const Way& way, const Shape& shape) {
  constexpr double kUsualThreads = 160.0;
  constexpr double kEnough = 60.0;  // kilobytes
  constexpr double kTooMuch = 150.0;
  const auto blocks = static_cast<double>(shape.blocks_at_once());
  const double kilobytes = blocks * shape.elements() * sizeof(float) / 1e3;
  const double unlike = std::log(static_cast<double>(shape.threads()) / kUsualThreads);
  work.solitude = 1.0 / blocks;
  if (!way.direct) work.gathering = 1.0 / kilobytes;
  work.idleness = std::log(kMostWarps / (blocks * static_cast<double>(shape.warps())));
  work.unusual = unlike * unlike;
  work.waiting = shape.warps() > 1 ? 1.0 : 0.0;
  work.drought = std::max(0.0, std::log(kEnough / kilobytes));
  // Copies with few wide vectors request all their data at once, which floods the memory.
  if (way.pad_row + way.pad_matrix == 0) work.flood = std::max(0.0, std::log(kilobytes / kTooMuch));
}

}  // namespace

Work work_of(const Sizes& sizes, const Way& way) {
  const Shape shape(sizes, way);
  Work work;
  add_memory(work, sizes, way, shape);
  add_instructions(work, sizes, way, shape);
  for (double* const each :
       {&work.written_again, &work.lines_written, &work.passes, &work.lines_read, &work.multiplying, &work.copying,
        &work.scattering, &work.uneven, &work.ragged, &work.warps})
    *each /= shape.elements();
  add_occupancy(work, way, shape);
  return work;
}

// Returns the logarithm of the forecast time; the time of moving the elements is 1. Memory, shared memory and
// instructions overlap.
double forecast_time(const Work& work, const Weights& weights) {
  const double memory = 1.0 + weights.written_again * work.written_again + weights.lines_written * work.lines_written;
  const double shared = weights.pass * (work.passes + weights.line_read * work.lines_read);
  const double instructions =
      weights.instruction * (work.multiplying + weights.copying * work.copying + weights.scattering * work.scattering +
                             weights.uneven * work.uneven + weights.ragged * work.ragged + weights.warp * work.warps);
  const auto part = [&](double time) { return std::pow(time, weights.overlap); };
  return std::log(part(memory) + part(shared) + part(instructions)) / weights.overlap +
         weights.solitude * work.solitude + weights.gathering * work.gathering + weights.idleness * work.idleness +
         weights.unusual * work.unusual + weights.waiting * work.waiting + weights.drought * work.drought +
         weights.flood * work.flood;
}

namespace {

// Returns the kinds of configurations, which differ in what a thread computes. It computes a whole column element by
// element, a whole column at once with the loop along A unrolled, or a part of a column at once.
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

namespace {

// A configuration with its forecast time. NVRTC takes 0.1 s to compile it, and 0.1 s more for each hundred loads of the
// unrolled loop body.
struct Forecast {
  double time = 0.0;
  std::int64_t body = 0;  // loads from shared memory in loops that the compiler unrolls
  Way way;

  bool is_quick() const { return body <= 75; }
  bool is_slow() const { return body > kPatience; }

  static constexpr std::int64_t kPatience = 300;  // a third of a second
};

Forecast forecast_of(const Sizes& sizes, const Way& way, const Weights& weights) {
  constexpr double kCost = 0.03 / Forecast::kPatience;  // for each load
  const Shape shape(sizes, way);
  Forecast forecast{forecast_time(work_of(sizes, way), weights), way.unrolled ? shape.rows() * shape.steps() : 0, way};
  if (forecast.is_slow()) forecast.time += kCost * static_cast<double>(forecast.body);
  return forecast;
}

// Moves configurations that compile quickly to the front, until the first four have two of them. There may be too few.
void bring_quick_ones_forward(std::vector<Forecast>& forecasts) {
  constexpr std::ptrdiff_t kFirst = 4;
  std::ptrdiff_t wanted = 2;
  const auto first = forecasts.begin();
  for (auto next = first; next != forecasts.end() && next - first < kFirst && wanted > 0; ++next) {
    if (wanted == kFirst - (next - first)) {
      const auto found = std::find_if(next, forecasts.end(), std::mem_fn(&Forecast::is_quick));
      if (found == forecasts.end()) return;
      std::rotate(next, found, found + 1);
    }
    if (next->is_quick()) --wanted;
  }
}

}  // namespace

std::vector<Way> likely_ways(const Sizes& sizes, const Weights& weights) {
  std::vector<Forecast> forecasts;
  for (const Way& way : ways_for(sizes)) forecasts.push_back(forecast_of(sizes, way, weights));
  std::ranges::stable_sort(forecasts, {}, &Forecast::time);
  bring_quick_ones_forward(forecasts);
  std::vector<Way> likely;
  for (const Forecast& each : forecasts) likely.push_back(each.way);
  return likely;
}

std::vector<Values> likely_values(const Sizes& sizes, std::size_t count) {
  std::vector<Way> likely = likely_ways(sizes);
  likely.resize(std::min(count, likely.size()));
  std::vector<Values> values;
  for (const Way& way : likely) values.push_back(values_of(way));
  return values;
}

}  // namespace batched_gemm
