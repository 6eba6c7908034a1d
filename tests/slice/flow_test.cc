#include "slice/flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slice/ptx_samples.h"

namespace wattune::inline v0_1::slice {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PtxFunction function_of(const std::string& body) {
  static std::vector<PtxTree> trees;  // functions point into their texts
  trees.push_back(parse_ptx(entry_with(body), "k.ptx").value());
  return trees.back().functions.at(0);
}

// Two ways and their blocks: 0 the branch, 1 one way, 2 the other, 3 the ret, 4 the exit.
constexpr char kDiamond[] = R"(
  @%p1 bra $other;
  mov.u32 %r1, 1;
  bra $end;
$other:
  mov.u32 %r1, 2;
$end:
  ret;
)";

// A loop and its blocks: 0 before, 1 the loop, 2 the ret, 3 the exit.
constexpr char kLoop[] = R"(
  mov.u32 %r1, 0;
$again:
  add.u32 %r1, %r1, 1;
  @%p1 bra $again;
  ret;
)";

TEST(Flow, SplitsAtBranchesAndLabels) {
  const Flow flow = flow_of(function_of(kDiamond));
  ASSERT_EQ(flow.blocks.size(), 5u);
  EXPECT_EQ(flow.exit, 4u);
  EXPECT_THAT(flow.blocks[0].successors, ElementsAre(2, 1));
  EXPECT_THAT(flow.blocks[1].successors, ElementsAre(3));
  EXPECT_THAT(flow.blocks[2].successors, ElementsAre(3));
  EXPECT_THAT(flow.blocks[3].successors, ElementsAre(4));
  EXPECT_EQ(flow.block_of(3), 2u);
}

TEST(Flow, KnowsWhereWaysMeet) {
  EXPECT_THAT(post_dominators(flow_of(function_of(kDiamond))), ElementsAre(3, 3, 3, 4, 4));
  EXPECT_THAT(post_dominators(flow_of(function_of(kLoop))), ElementsAre(1, 2, 3, 3));
}

TEST(Flow, KnowsLoops) {
  const std::vector<Loop> loops = loops_of(flow_of(function_of(kLoop)));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops[0].blocks, ElementsAre(1));
}

// The blocks are: 0 before, 1 the head of the outer loop, 2 the inner one, 3 the end of the outer one.
TEST(Flow, KnowsLoopsInsideLoops) {
  const Flow flow = flow_of(
      function_of("mov.u32 %r1, 0; $o: add.u32 %r1, %r1, 1; $i: add.u32 %r2, %r2, 1; @%p1 bra $i; @%p2 bra $o; ret;"));
  const std::vector<Loop> loops = loops_of(flow);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_THAT(loops[0].blocks, ElementsAre(1, 2, 3));
  EXPECT_EQ(loops[0].head, 1u);
  EXPECT_THAT(loops[1].blocks, ElementsAre(2));
}

TEST(Flow, FollowsGuardedReturnsAndTables) {
  const Flow flow = flow_of(function_of("@%p1 ret; t: .branchtargets $a, $b; brx.idx %r1, t; $a: ret; $b: ret;"));
  EXPECT_THAT(flow.blocks[0].successors, ElementsAre(flow.exit, 1));
  EXPECT_THAT(flow.blocks[1].successors, ElementsAre(2, 3));
}

TEST(Flow, TakesTheInnermostLabelOfAName) {
  const Flow flow = flow_of(function_of("{ L: @%p1 bra L; } { L: @%p2 bra L; } ret;"));
  EXPECT_THAT(flow.blocks[0].successors, ElementsAre(0, 1));
  EXPECT_THAT(flow.blocks[1].successors, ElementsAre(1, 2));
}

TEST(Flow, LeavesAtTheEndOfABodyAndNeverAtATrap) {
  EXPECT_THAT(flow_of(function_of("mov.u32 %r1, 1;")).blocks[0].successors, ElementsAre(1));
  EXPECT_THAT(flow_of(function_of("trap;")).blocks[0].successors, IsEmpty());
  EXPECT_THAT(flow_of(function_of("bra $nowhere;")).blocks[0].successors, IsEmpty());
}

}  // namespace
}  // namespace wattune::slice
