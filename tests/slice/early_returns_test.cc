// Kernels whose threads return early: the blocks for which each has a persistent twin.
#include <gtest/gtest.h>

#include <string>

#include "slice/early_return_samples.h"
#include "slice/interface/analysis.h"

namespace wattune::inline v0_1::slice {
namespace {

std::string blocks_of(const EarlyReturn& kernel) {
  const PtxTree tree = parse_ptx(text_of(kernel), "k.ptx").value();
  const KernelAnalysis analysis = analyse(tree).at(0);
  if (analysis.obstacle_to(TwinForm::persistent) != nullptr) return "refused";
  return std::string(to_string(analysis.persistent_blocks));
}

TEST(EarlyReturn, IsAllowedInBlocksWhoseWarpsReturnWhole) {
  for (const EarlyReturn& kernel : kEarlyReturns) EXPECT_EQ(blocks_of(kernel), kernel.blocks) << kernel.name;
}

// The other forms keep returns as they are.
TEST(EarlyReturn, ForbidsTheOtherFormsNothing) {
  for (const EarlyReturn& kernel : kEarlyReturns) {
    const PtxTree tree = parse_ptx(text_of(kernel), "k.ptx").value();
    for (const TwinForm form : {TwinForm::add, TwinForm::linear, TwinForm::guard})
      EXPECT_EQ(analyse(tree).at(0).obstacle_to(form), nullptr) << kernel.name;
  }
}

TEST(BlockShape, IsAskedOfEachBlock) {
  const auto shapes = [](std::size_t x, std::size_t y, std::size_t z) {
    std::string fitting;
    for (const BlockShape shape : {BlockShape::any, BlockShape::one_row, BlockShape::whole_warps})
      if (has_shape({x, y, z}, shape)) fitting += std::string(to_string(shape)) + " ";
    return fitting;
  };
  EXPECT_EQ(shapes(256, 1, 1), "any one_row whole_warps ");
  EXPECT_EQ(shapes(32, 3, 2), "any one_row whole_warps ");
  EXPECT_EQ(shapes(48, 1, 1), "any one_row ");
  EXPECT_EQ(shapes(48, 2, 1), "any ");
  EXPECT_EQ(shapes(16, 1, 2), "any ");
}

TEST(BlockShape, IsSaidInWords) {
  EXPECT_EQ(words_for(BlockShape::any), "");
  EXPECT_EQ(words_for(BlockShape::one_row), "block.x is a multiple of 32, or block.y and block.z are 1");
  EXPECT_EQ(words_for(BlockShape::whole_warps), "block.x is a multiple of 32");
}

}  // namespace
}  // namespace wattune::slice
