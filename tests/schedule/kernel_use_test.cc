#include "schedule/interface/kernel_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "simulate/interface/ptx_profile.h"
#include "wattune/backend/counters.h"

namespace wattune::inline v0_1::schedule {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kDramPlace = simulate::kResources - 1;

KernelTraits counted_and_read() {
  KernelTraits kernel;
  kernel.use.assign(simulate::kResources, 0.2);
  kernel.use_by_counters.assign(simulate::kResources, 0.4);
  return kernel;
}

TEST(KernelUse, IsReadFromCountersIfTheDriverDoesNotReserveThemForAdministrators) {
  const auto why_not = [](const char* settings, const char* capabilities, const char* users) {
    std::istringstream params(settings);
    std::istringstream status(std::string("Name:\twattune\nCapEff:\t") + capabilities + "\n");
    std::istringstream uid_map(users);
    return why_no_counters(params, status, uid_map);
  };
  constexpr char kReserved[] = "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\nDmaRemapPeerMmio: 1\n";
  constexpr char kAllRights[] = "000001ffffffffff";
  constexpr char kNoRights[] = "0000000000000000";
  constexpr char kFirstUsers[] = "         0          0 4294967295\n";
  EXPECT_THAT(why_not(kReserved, kNoRights, kFirstUsers), HasSubstr("RmProfilingAdminOnly"));
  EXPECT_THAT(why_not(kReserved, kAllRights, "0 1000 1\n"), HasSubstr("RmProfilingAdminOnly")) << "of other users only";
  EXPECT_EQ(why_not(kReserved, kAllRights, kFirstUsers), "");
  EXPECT_EQ(why_not("RmProfilingAdminOnly: 0\n", kNoRights, kFirstUsers), "");
  EXPECT_EQ(why_not("", kNoRights, kFirstUsers), "") << "as of a driver that says nothing";
}

TEST(KernelUse, IsThatOfTheCountersBeforeThatOfTheCounts) {
  KernelTraits kernel = counted_and_read();
  EXPECT_THAT(known_use(kernel), Each(0.4));
  kernel.use_by_counters[kDramPlace] = std::nullopt;
  EXPECT_EQ(known_use(kernel).front(), 0.4);
  EXPECT_EQ(known_use(kernel).back(), 0.2);
  EXPECT_EQ(known_utilisation(kernel)->pipeline, 0.4);
  EXPECT_EQ(known_utilisation(kernel)->memory, 0.2);
  kernel.use_by_counters.clear();
  EXPECT_THAT(known_use(kernel), Each(0.2));
}

// PUR and MUR need two shares only.
TEST(KernelUse, IsUnknownWhereNeitherTellsIt) {
  EXPECT_THAT(known_use(KernelTraits()), IsEmpty());
  EXPECT_FALSE(known_utilisation(KernelTraits()));
  KernelTraits kernel = counted_and_read();
  kernel.use.clear();
  kernel.use_by_counters[1] = std::nullopt;
  EXPECT_THAT(known_use(kernel), IsEmpty());
  EXPECT_TRUE(known_utilisation(kernel));
  kernel.use_by_counters[kDramPlace] = std::nullopt;
  EXPECT_FALSE(known_utilisation(kernel));
}

// CUPTI loads its libraries with RTLD_DEEPBIND, which ends a program under sanitizers.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(KernelUse, IsReadFromCountersThatAllChipsHave) {
  for (const char* chip : {"GV100", "TU102", "GA100", "AD102", "GH100"}) {
    const auto counters = backend::counters_of_chip(chip);
    if (!counters) GTEST_SKIP() << counters.error().to_string();
    for (const std::string& name : counters_of_use())
      EXPECT_THAT(*counters, Contains(Field(&backend::CounterInfo::name, name.substr(0, name.find('.'))))) << chip;
  }
}
#endif

}  // namespace
}  // namespace wattune::schedule
