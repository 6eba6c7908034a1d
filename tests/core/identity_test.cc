#include "wattune/core/identity.h"

#include <gtest/gtest.h>

namespace wattune {
namespace {

std::string told(const Identity& found, const Identity& wanted) {
  std::string text;
  for (const IdentityDifference& each : differences(found, wanted)) text += to_string(each) + "; ";
  return text;
}

TEST(Identity, DifferencesNameThePartAndBothValues) {
  EXPECT_EQ(told({{"cache mode", "warm"}, {"policy", "gated"}}, {{"cache mode", "cold"}, {"policy", "gated"}}),
            "cache mode (before: warm, now: cold); ");
}

TEST(Identity, APartThatIsMissingIsEmpty) {
  EXPECT_EQ(told({{"policy", ""}}, {}), "");
  EXPECT_EQ(told({}, {{"clock", "1980 MHz"}}), "clock (before: none, now: 1980 MHz); ");
  EXPECT_EQ(told({{"clock", "1980 MHz"}}, {}), "clock (before: 1980 MHz, now: none); ");
}

TEST(Identity, HashesAreShortenedAndLongTextsLeftOut) {
  EXPECT_EQ(
      told({{"arguments", "00112233445566778899aabbccddeeff"}}, {{"arguments", "ffeeddccbbaa99887766554433221100"}}),
      "arguments (before: 00112233.., now: ffeeddcc..); ");
  EXPECT_EQ(told({{"metric gflops", std::string(61, 'x')}}, {{"metric gflops", "1 / time"}}), "metric gflops; ");
}

}  // namespace
}  // namespace wattune
