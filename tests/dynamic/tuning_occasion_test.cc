#include "dynamic/tuning/tuning_occasion.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::dynamic {
namespace {

TEST(TuningOccasion, ComesOnceWithEnoughCalls) {
  TuningOccasion occasion({.calls_before_tuning = 3}, false);
  EXPECT_FALSE(occasion.begins(2));
  EXPECT_TRUE(occasion.begins(3));
  EXPECT_FALSE(occasion.begins(4));
}

TEST(TuningOccasion, ComesWithTheFirstCallUnlessItIsSaidOtherwise) {
  EXPECT_TRUE(TuningOccasion(TuningPolicy{}, false).begins(0));
}

TEST(TuningOccasion, DoesNotComeForWhatIsKnownUnlessThatIsTunedToo) {
  EXPECT_FALSE(TuningOccasion(TuningPolicy{}, true).begins(1000));
  EXPECT_TRUE(TuningOccasion({.tune_known = true}, true).begins(0));
}

TEST(TuningOccasion, ComesAgainWheneverItIsAskedFor) {
  TuningOccasion occasion(TuningPolicy{}, true);
  occasion.ask();
  EXPECT_TRUE(occasion.begins(0));
  EXPECT_FALSE(occasion.begins(1));
  occasion.ask();
  EXPECT_TRUE(occasion.begins(2));
}

}  // namespace
}  // namespace wattune::dynamic
