#include "slice/call_graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "slice/components.h"

#include "slice/interface/twins.h"
#include "slice/ptx_samples.h"

namespace wattune::inline v0_1::slice {
namespace {

// A set that counts how often sets are joined.
struct CountedSet {
  static inline std::size_t joins = 0;
  std::uint64_t bits = 0;

  CountedSet& operator|=(const CountedSet& other) {
    ++joins;
    bits |= other.bits;
    return *this;
  }
};

// Returns a chain of nodes, each followed by the next.
Edges chain_of(std::uint32_t nodes) {
  Edges edges(nodes);
  for (std::uint32_t node = 0; node + 1 < nodes; ++node) edges[node].push_back(node + 1);
  return edges;
}

TEST(Components, AreNumberedBeforeWhatTheyLeadTo) {
  const Components components = components_of({{1}, {2}, {1, 3}, {3}, {}});  // 1 and 2 lead to each other, 3 to itself
  EXPECT_EQ(components.of[1], components.of[2]);
  EXPECT_LT(components.of[0], components.of[1]);
  EXPECT_LT(components.of[1], components.of[3]);
  EXPECT_TRUE(components.in_loop(1));
  EXPECT_TRUE(components.in_loop(3));
  EXPECT_FALSE(components.in_loop(0));
  EXPECT_FALSE(components.in_loop(4));
}

TEST(Components, GatherWhatFollowsWithOneUnionForEachNodeAndEdge) {
  constexpr std::uint32_t kNodes = 20000;
  std::vector<CountedSet> own(kNodes);
  own.front().bits = 1;
  own.back().bits = 2;
  CountedSet::joins = 0;
  const std::vector<CountedSet> all = gathered(chain_of(kNodes), own);
  EXPECT_EQ(CountedSet::joins, kNodes + (kNodes - 1));
  EXPECT_EQ(all.front().bits, 3u);
  EXPECT_EQ(all[1].bits, 2u);
}

TEST(Components, GatherTheSameRoundACycle) {
  const std::vector<CountedSet> own = {{1}, {2}, {4}, {8}};
  const std::vector<CountedSet> all = gathered({{1}, {2, 3}, {0}, {}}, own);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(all[i].bits, 15u);
  EXPECT_EQ(all[3].bits, 8u);
}

// Each function calls the next, and the last reads the block's index. All of them get it as a parameter.
TEST(CallGraph, HandsTheIndexThroughAChainOfCalls) {
  constexpr int kChained = 20000;
  std::string text = kHead;
  for (int i = 0; i <= kChained; ++i) text += fmt::format(".func f{}();\n", i);
  for (int i = 0; i < kChained; ++i) text += fmt::format(".func f{}() {{ call f{}; ret; }}\n", i, i + 1);
  text += fmt::format(".func f{}() {{ .reg .b32 %r1; mov.u32 %r1, %ctaid.x; ret; }}\n", kChained);
  text += ".entry k() { call f0; ret; }";
  const PtxTree tree = parse_ptx(text, "k.ptx").value();
  const CallGraph calls = call_graph_of(tree);
  EXPECT_TRUE(contains(calls.coordinates("f0"), Coordinate::block_x));
  EXPECT_FALSE(calls.functions.at("f0").recursive);
  const TwinModule module = add_twins(tree, {TwinForm::add}).value();
  EXPECT_NE(module.text.find("f0__wattune(.param .b32 wattune_block_x)"), std::string::npos);
  EXPECT_NE(module.text.find("f20000__wattune(.param .b32 wattune_block_x)"), std::string::npos);
}

TEST(CallGraph, KnowsWhatCallsItself) {
  const PtxTree tree = parse_ptx(kHead + ".func f();\n.func g() { call f; ret; }\n.func f() { call g; ret; }\n" +
                                     ".func h() { call f; ret; }\n.entry k() { ret; }",
                                 "k.ptx")
                           .value();
  const CallGraph calls = call_graph_of(tree);
  EXPECT_TRUE(calls.functions.at("f").recursive);
  EXPECT_TRUE(calls.functions.at("g").recursive);
  EXPECT_FALSE(calls.functions.at("h").recursive);
}

}  // namespace
}  // namespace wattune::slice
