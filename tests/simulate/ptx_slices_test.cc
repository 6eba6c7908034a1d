// Twins compared with their originals: for random grids, plans and orders, the slices of a grid give the result of the
// whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "simulate/ptx_harness.h"
#include "slice/interface/slice_words.h"
#include "slice/interface/twins.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {
namespace {

using slice::TwinForm;

constexpr std::size_t kThreads = 40;  // more than a warp, and no multiple of one
constexpr std::size_t kCounts = 7;

// Each thread adds a value that depends on its place to a word of its own, so that a block that runs twice, or not at
// all, shows. Blocks synchronise their threads twice, then every other thread leaves early.
const std::string kBlocks = kPtxHead + R"(
.func (.reg .b32 r) mixed(.reg .b32 a)
{
  .reg .b32 %x, %y, %z;
  mov.u32 %x, %ctaid.y;
  mov.u32 %y, %nctaid.z;
  mov.u32 %z, %ctaid.z;
  mad.lo.u32 r, %x, 1000, a;
  mad.lo.u32 r, %y, 77, r;
  mad.lo.u32 r, %z, 5, r;
  ret;
}
.visible .entry k(.param .u64 sums, .param .u64 counts, .param .u32 scale)
{
  .reg .pred %p;
  .reg .b32 %x, %y, %gx, %t, %l, %r<6>;
  .reg .b64 %to, %at;
  .shared .align 4 .u32 total;
  mov.u32 %x, %ctaid.x;
  mov.u32 %y, %ctaid.y;
  mov.u32 %gx, %nctaid.x;
  mov.u32 %l, %ctaid.z;
  mov.u32 %r0, %nctaid.y;
  mad.lo.u32 %l, %l, %r0, %y;
  mad.lo.u32 %l, %l, %gx, %x;
  mov.u32 %t, %tid.x;
  setp.eq.u32 %p, %t, 0;
  @%p st.shared.u32 [total], %l;
  bar.sync 0;
  red.shared.add.u32 [total], %t;
  bar.sync 0;
  ld.shared.u32 %r1, [total];
  and.b32 %r2, %t, 1;
  setp.eq.u32 %p, %r2, 1;
  @%p ret;
  ld.param.u32 %r3, [scale];
  mul.lo.u32 %r1, %r1, %r3;
  call (%r1), mixed, (%r1);
  mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r5, %l, %r4, %t;
  ld.param.u64 %to, [sums];
  mul.wide.u32 %at, %r5, 4;
  add.u64 %to, %to, %at;
  red.global.add.u32 [%to], %r1;
  rem.u32 %r5, %l, 7;
  ld.param.u64 %to, [counts];
  mul.wide.u32 %at, %r5, 4;
  add.u64 %to, %to, %at;
  red.global.add.u32 [%to], 1;
}
)";

slice::Grid random_grid(Random& random) {
  const auto extent = [&] { return static_cast<std::uint32_t>(1 + random.below(6)); };
  return {extent(), extent(), extent()};
}

std::uint64_t blocks_of(const slice::Grid& grid) { return std::uint64_t{grid.x} * grid.y * grid.z; }

// A module, its buffers and launches of kernel `k` or of a twin of it.
class TwinLaunches {
 public:
  TwinLaunches(const std::string& text, const slice::Grid& grid) : program_(text) {
    sums_ = program_.upload(std::vector<std::uint32_t>(blocks_of(grid) * kThreads), "sums");
    counts_ = program_.upload(std::vector<std::uint32_t>(kCounts), "counts");
    counter_ = program_.upload(std::vector<std::uint64_t>(1), "counter");
    stop_ = program_.upload(std::vector<std::uint32_t>(1), "stop");
  }

  // Returns everything that the kernel wrote.
  std::vector<std::uint32_t> written(const slice::Grid& grid) {
    std::vector<std::uint32_t> all = program_.download<std::uint32_t>(sums_, blocks_of(grid) * kThreads);
    const auto counts = program_.download<std::uint32_t>(counts_, kCounts);
    all.insert(all.end(), counts.begin(), counts.end());
    return all;
  }

  template <class... Words>
  PtxRun start(const std::string& kernel, const slice::Grid& grid, const PtxRunOptions& options,
               const Words&... words) {
    std::vector<std::byte> bytes;
    append(bytes, sums_);
    append(bytes, counts_);
    append(bytes, std::uint32_t{3});
    (append(bytes, words), ...);
    const backend::Geometry3 geometry{.groups = {grid.x, grid.y, grid.z}, .group_size = {kThreads, 1, 1}};
    return PtxRun::start(program_.module, kernel, geometry, bytes, program_.memory, options).value();
  }

  slice::Progress progress(std::uint32_t chunk, bool ahead) const {
    return {.counter = counter_, .stop = stop_, .chunk = chunk, .ahead = ahead};
  }
  void set_stop(std::uint32_t value) { std::memcpy(program_.memory.find(stop_, 4), &value, 4); }
  std::uint64_t counter() { return program_.download<std::uint64_t>(counter_, 1).front(); }

 private:
  template <class T>
  static void append(std::vector<std::byte>& bytes, const T& value) {
    bytes.resize((bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(T));
  }

  PtxProgram program_;
  std::uint64_t sums_ = 0;
  std::uint64_t counts_ = 0;
  std::uint64_t counter_ = 0;
  std::uint64_t stop_ = 0;
};

PtxRunOptions random_options(Random& random) {
  return {.resident_blocks = 1 + random.below(5), .seed = random.bits(), .turn = 1 + random.below(60)};
}

std::vector<std::uint32_t> whole(const slice::Grid& grid) {
  TwinLaunches launches(kBlocks, grid);
  launches.start("k", grid, {}).finish().value();
  return launches.written(grid);
}

std::string with_twin(TwinForm form) {
  return slice::add_twins(slice::parse_ptx(kBlocks, "k.ptx").value(), {form}).value().text;
}

// Cuts [0, blocks) at random places, in random order.
std::vector<std::pair<std::uint64_t, std::uint64_t>> random_ranges(Random& random, std::uint64_t blocks) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (std::uint64_t first = 0; first < blocks;) {
    const std::uint64_t end = std::min(blocks, first + 1 + random.below(blocks));
    ranges.emplace_back(first, end);
    first = end;
  }
  for (std::size_t left = ranges.size(); left > 1; --left) std::swap(ranges[left - 1], ranges[random.below(left)]);
  return ranges;
}

constexpr int kRounds = 25;

TEST(PtxSlices, BoxesAreTheWholeGrid) {
  Random random(21);
  const std::string text = with_twin(TwinForm::add);
  for (int round = 0; round < kRounds; ++round) {
    const slice::Grid grid = random_grid(random);
    TwinLaunches launches(text, grid);
    const auto boxes = slice::boxes(grid, 1 + random.below(blocks_of(grid))).value();
    for (auto box = boxes.rbegin(); box != boxes.rend(); ++box)
      launches
          .start(slice::twin_name("k", TwinForm::add), box->size, random_options(random), slice::add_words(grid, *box))
          .finish()
          .value();
    ASSERT_EQ(launches.written(grid), whole(grid)) << grid.x << " x " << grid.y << " x " << grid.z;
  }
}

TEST(PtxSlices, RangesOfNumbersAreTheWholeGrid) {
  Random random(22);
  const std::string text = with_twin(TwinForm::linear);
  for (int round = 0; round < kRounds; ++round) {
    const slice::Grid grid = random_grid(random);
    TwinLaunches launches(text, grid);
    for (const auto& [first, end] : random_ranges(random, blocks_of(grid)))
      launches
          .start(slice::twin_name("k", TwinForm::linear), {static_cast<std::uint32_t>(end - first), 1, 1},
                 random_options(random), slice::linear_words(grid, first).value())
          .finish()
          .value();
    ASSERT_EQ(launches.written(grid), whole(grid)) << grid.x << " x " << grid.y << " x " << grid.z;
  }
}

TEST(PtxSlices, GuardedRangesAreTheWholeGrid) {
  Random random(23);
  const std::string text = with_twin(TwinForm::guard);
  for (int round = 0; round < kRounds; ++round) {
    const slice::Grid grid = random_grid(random);
    TwinLaunches launches(text, grid);
    for (const auto& [first, end] : random_ranges(random, blocks_of(grid)))
      launches
          .start(slice::twin_name("k", TwinForm::guard), grid, random_options(random),
                 slice::guard_words(grid, first, end).value())
          .finish()
          .value();
    ASSERT_EQ(launches.written(grid), whole(grid)) << grid.x << " x " << grid.y << " x " << grid.z;
  }
}

// Launches follow each other, each stopped somewhere, until no block is left.
TEST(PtxSlices, PersistentBlocksThatAreStoppedAndResumedAreTheWholeGrid) {
  Random random(24);
  const std::string text = with_twin(TwinForm::persistent);
  int stopped_early = 0;
  for (int round = 0; round < kRounds; ++round) {
    const slice::Grid grid = random_grid(random);
    TwinLaunches launches(text, grid);
    const auto words = slice::persistent_words(grid, launches.progress(static_cast<std::uint32_t>(1 + random.below(3)),
                                                                       random.below(2) == 1))
                           .value();
    while (launches.counter() < blocks_of(grid)) {
      PtxRunOptions options = random_options(random);
      launches.set_stop(0);
      PtxRun run = launches.start(slice::twin_name("k", TwinForm::persistent),
                                  {static_cast<std::uint32_t>(options.resident_blocks), 1, 1}, options, words);
      run.advance(1 + random.below(4000)).value();
      launches.set_stop(1);
      run.finish().value();
      if (launches.counter() < blocks_of(grid)) ++stopped_early;
    }
    ASSERT_EQ(launches.written(grid), whole(grid)) << grid.x << " x " << grid.y << " x " << grid.z;
  }
  EXPECT_GT(stopped_early, kRounds);
}

// At most three chunks are taken: the one that runs, the one after it, and one that was taken before the stop word was
// seen.
TEST(PtxSlices, PersistentBlocksThatFetchAheadEndWithinThreeChunks) {
  const std::string text = with_twin(TwinForm::persistent);
  const slice::Grid grid{64, 1, 1};
  for (const bool ahead : {false, true}) {
    TwinLaunches launches(text, grid);
    const auto words = slice::persistent_words(grid, launches.progress(2, ahead)).value();
    PtxRun run = launches.start(slice::twin_name("k", TwinForm::persistent), {1, 1, 1}, {.resident_blocks = 1}, words);
    while (launches.counter() < 8) run.advance(1).value();
    const std::uint64_t taken = launches.counter();
    launches.set_stop(1);
    run.finish().value();
    EXPECT_LE(launches.counter(), taken + (ahead ? 4 : 0));
  }
}

}  // namespace
}  // namespace wattune::simulate
