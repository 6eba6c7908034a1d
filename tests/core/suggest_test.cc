#include "core/interface/suggest.h"
#include "core/interface/plain_code.h"
#include "core/interface/some_of.h"

#include <gtest/gtest.h>

#include "folder_test.h"

namespace wattune {
namespace {

TEST(Suggest, NamesTheNearestCandidate) {
  EXPECT_EQ(suggest("tile_sise", {"block_size", "tile_size"}), "did you mean `tile_size`?");
  EXPECT_EQ(suggest("MWG", {"mwg", "nwg"}), "did you mean `mwg`?");
}

TEST(Suggest, CountsSwappedNeighboursOnce) {
  EXPECT_EQ(suggest("tnue", {"space", "tune"}), "did you mean `tune`?");
  EXPECT_EQ(suggest("enut", {"space", "tune"}), "one of: space, tune");
}

TEST(Suggest, CompletesTheBeginningOfAName) {
  EXPECT_EQ(suggest("Greedy", {"random", "greedy_ils", "greedy_mls"}), "did you mean `greedy_ils`?");
  EXPECT_EQ(suggest("gr", {"random", "greedy_ils"}), "one of: random, greedy_ils");
}

TEST(Suggest, FindsAWordOfALongerName) {
  EXPECT_EQ(suggest("gentic", {"random", "genetic_algorithm"}), "did you mean `genetic_algorithm`?");
  EXPECT_EQ(suggest("anealing", {"random", "dual_annealing", "simulated_annealing"}), "did you mean `dual_annealing`?");
  EXPECT_EQ(suggest("ils", {"mls_of", "greedy_ils"}), "one of: mls_of, greedy_ils");
}

class SuggestFile : public test::FolderTest {};

TEST_F(SuggestFile, NamesTheNearestFileOfTheFolder) {
  test::write_contents(path("gemm.jsonl"), "");
  std::filesystem::create_directory(path("gem.jsonl"));
  EXPECT_EQ(suggest_file(path("gem.json")), "did you mean `gemm.jsonl`?");
  EXPECT_EQ(suggest_file(path("other.json")), "");
  EXPECT_EQ(suggest_file(path("nowhere/gem.json")), "");
}

TEST(Suggest, ListsFewCandidatesWhenNoneIsNear) { EXPECT_EQ(suggest("zebra", {"x", "y"}), "one of: x, y"); }

TEST(Suggest, ListsNumbersThatLookAlikeAsTheyAre) {
  EXPECT_EQ(suggest("7", {"1", "2", "4"}), "one of: 1, 2, 4");
  EXPECT_EQ(suggest("-1.5", {"-1.0", "0.5"}), "one of: -1.0, 0.5");
  EXPECT_EQ(suggest("1e", {"1d"}), "one of: 1d");
  EXPECT_EQ(suggest("e", {"d"}), "did you mean `d`?");
}

TEST(Suggest, IsSilentWhenThereIsNothingUseful) {
  EXPECT_EQ(suggest("zebra", {}), "");
  EXPECT_EQ(suggest("zebra", {"a", "b", "c", "d", "e", "f", "g", "h", "i"}), "");
}

TEST(SomeOf, NamesFiveAndCountsTheOthers) {
  EXPECT_EQ(some_of({}), "");
  EXPECT_EQ(some_of({"a", "b", "c", "d", "e"}), "a, b, c, d, e");
  EXPECT_EQ(some_of({"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e and 2 more");
}

TEST(PlainCode, LeavesOutCommentsAndQuotedText) {
  EXPECT_EQ(without_comments("a // b\nc /* d\n*/ e"), "a     \nc     \n   e");
  const auto blanks = [](std::size_t count) { return std::string(count, ' '); };
  EXPECT_EQ(without_comments("f(\"a \\\"b\", 'c', 1'000)"), "f(" + blanks(7) + ", " + blanks(3) + ", 1'000)");
  EXPECT_EQ(without_comments("x R\"-(a \" b)-\" y"), "x R" + blanks(11) + " y");
}

}  // namespace
}  // namespace wattune
