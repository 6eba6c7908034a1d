#include "dynamic/tuning/attempts.h"

#include <gtest/gtest.h>

#include "dynamic/times.h"

namespace wattune::inline v0_1::dynamic {
namespace {

Configuration configuration(int id) {
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x"});
  return {static_cast<ConfigurationId>(id), names, {Value(id)}};
}

TEST(Attempts, ADecisionIsAboutTheLatestOfferOfItsConfiguration) {
  Attempts attempts;
  attempts.offer({configuration(1), us(5)}, 10);
  attempts.offer({configuration(1), {}}, 20);
  attempts.decide(configuration(1), {}, {.better = true, .best = us(3), .calls = 30});
  ASSERT_EQ(attempts.tried().size(), 2u);
  EXPECT_EQ(attempts.tried().front().outcome, TriedOutcome::undecided);
  EXPECT_EQ(attempts.tried().front().expected, us(5));
  EXPECT_EQ(attempts.tried().back().outcome, TriedOutcome::better);
  EXPECT_EQ(attempts.tried().back().best, us(3));
  EXPECT_EQ(attempts.tried().back().offered_at, 20u);
  EXPECT_EQ(attempts.tried().back().decided_at, 30u);
}

TEST(Attempts, TheLast32AreReported) {
  Attempts attempts;
  for (int id = 0; id < 40; ++id) attempts.offer({configuration(id), {}}, 0);
  ASSERT_EQ(attempts.tried().size(), 32u);
  EXPECT_EQ(attempts.tried().front().configuration, configuration(8)) << "the first 40 - 32 are forgotten";
}

TEST(Attempts, TheFirstReasonOfAFailureIsKept) {
  Attempts attempts;
  attempts.fail(configuration(1), {});
  EXPECT_FALSE(attempts.has_failed(1)) << "an observation without a failure";
  attempts.fail(configuration(1), {.status = Status::compile, .message = "syntax"});
  attempts.fail(configuration(1), {.status = Status::runtime, .message = "it failed before"});
  EXPECT_TRUE(attempts.has_failed(1));
  ASSERT_EQ(attempts.failures(nullptr).size(), 1u);
  EXPECT_EQ(attempts.failures(nullptr).front().message, "syntax");
}

}  // namespace
}  // namespace wattune::dynamic
