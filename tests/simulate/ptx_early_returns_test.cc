// Persistent twins of kernels whose warps return early, compared with the whole kernels in blocks of many shapes.
#include <gtest/gtest.h>

#include <array>

#include "simulate/ptx_harness.h"
#include "slice/early_return_samples.h"
#include "slice/interface/slice_words.h"
#include "slice/interface/twins.h"

namespace wattune::inline v0_1::simulate {
namespace {

using slice::TwinForm;
using Block = std::array<std::size_t, 3>;

constexpr std::size_t kGrid = 7;
constexpr std::uint32_t kRows = 11;
constexpr std::uint32_t kNumber = 100;

template <class T>
void append_bytes(std::vector<std::byte>& bytes, const T& value) {
  bytes.resize((bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T));
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

std::size_t threads_of(const Block& block) { return block[0] * block[1] * block[2]; }

// A module, and the sums that its kernel makes.
class Sums {
 public:
  Sums(const std::string& text, const Block& block) : program_(text), block_(block) {
    sums_ = program_.upload(std::vector<std::uint32_t>(kGrid * threads_of(block)), "sums");
    counter_ = program_.upload(std::vector<std::uint64_t>(1), "counter");
    stop_ = program_.upload(std::vector<std::uint32_t>(1), "stop");
  }

  template <class... Words>
  std::vector<std::uint32_t> of(const std::string& kernel, std::size_t blocks, const PtxRunOptions& options,
                                const Words&... words) {
    std::vector<std::byte> bytes;
    append_bytes(bytes, sums_);
    append_bytes(bytes, kRows);
    append_bytes(bytes, kNumber);
    (append_bytes(bytes, words), ...);
    const backend::Geometry3 geometry{.groups = {blocks, 1, 1}, .group_size = block_};
    PtxRun run = PtxRun::start(program_.module, kernel, geometry, bytes, program_.memory, options).value();
    run.finish().value();
    return program_.download<std::uint32_t>(sums_, kGrid * threads_of(block_));
  }

  slice::Progress progress() const { return {.counter = counter_, .stop = stop_, .chunk = 2, .ahead = true}; }

 private:
  PtxProgram program_;
  Block block_;
  std::uint64_t sums_ = 0;
  std::uint64_t counter_ = 0;
  std::uint64_t stop_ = 0;
};

TEST(PtxEarlyReturns, LeaveTwinsTheSumsOfTheWholeKernel) {
  std::size_t compared = 0;
  for (const slice::EarlyReturn& kernel : slice::kEarlyReturns) {
    const std::string text = slice::text_of(kernel);
    const slice::PtxTree tree = slice::parse_ptx(text, "k.ptx").value();
    const slice::KernelAnalysis analysis = slice::analyse(tree).at(0);
    if (analysis.obstacle_to(TwinForm::persistent) != nullptr) continue;
    const slice::TwinModule twins = slice::add_twins(tree, {TwinForm::persistent}).value();
    for (const Block& block : {Block{256, 1, 1}, Block{32, 3, 1}, Block{64, 2, 2}, Block{40, 1, 1}, Block{48, 2, 1}}) {
      if (!slice::has_shape(block, analysis.persistent_blocks)) continue;
      Sums twin(twins.text, block);
      const auto words = slice::persistent_words({kGrid, 1, 1}, twin.progress()).value();
      EXPECT_EQ(
          twin.of(slice::twin_name("k", TwinForm::persistent), 2, {.resident_blocks = 2, .seed = 5, .turn = 40}, words),
          Sums(text, block).of("k", kGrid, {}))
          << kernel.name << " in " << block[0] << " x " << block[1] << " x " << block[2];
      ++compared;
    }
  }
  EXPECT_GT(compared, 60U);
}

}  // namespace
}  // namespace wattune::simulate
