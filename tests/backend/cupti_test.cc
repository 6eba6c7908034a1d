// CUPTI's Profiler Host API, where this machine has it; neither GPU nor driver is needed.
#include <algorithm>

#include "backend/cuda/profiler_host.h"
#include "backend/support.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::HasSubstr;

// CUPTI loads its libraries with RTLD_DEEPBIND, which ends a program under sanitizers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_WITHOUT_CUPTI() GTEST_SKIP() << "CUPTI cannot be loaded under sanitizers"
#else
#define SKIP_WITHOUT_CUPTI() \
  if (!cuda::cupti_api()) GTEST_SKIP() << cuda::cupti_api().error().to_string()
#endif

cuda::ProfilerHost hopper() { return cuda::ProfilerHost::open(*cuda::cupti_api().value(), "GH100").value(); }

TEST(Cupti, ListsTheCountersOfAChip) {
  SKIP_WITHOUT_CUPTI();
  const std::vector<CounterInfo> counters = counters_of_chip("GH100").value();
  EXPECT_GT(counters.size(), 1000u);
  const auto named = [&](const std::string& name) { return *std::ranges::find(counters, name, &CounterInfo::name); };
  EXPECT_EQ(named("dram__bytes_read").unit, "byte");
  EXPECT_EQ(named("dram__bytes_read").kind, CounterKind::counter);
  EXPECT_NE(named("dram__bytes_read").description, "");
  EXPECT_EQ(named("lts__t_sector_hit_rate").kind, CounterKind::ratio);
  EXPECT_EQ(named("sm__throughput").kind, CounterKind::throughput);
}

TEST(Cupti, PlansHowToCollectThem) {
  SKIP_WITHOUT_CUPTI();
  const auto one = hopper().configure({"smsp__inst_executed.sum"});
  const auto many =
      hopper().configure({"smsp__inst_executed.sum", "dram__bytes_read.sum.per_second", "lts__t_sector_hit_rate.pct",
                          "sm__throughput.avg.pct_of_peak_sustained_elapsed"});
  ASSERT_TRUE(one) << one.error().to_string();
  ASSERT_TRUE(many) << many.error().to_string();
  EXPECT_GT(many->size(), one->size());
}

TEST(Cupti, KnowsWhatTheAliasesStandForAndWhatTheStrategyProfileReads) {
  SKIP_WITHOUT_CUPTI();
  for (const char* chip : {"TU102", "GA100", "AD102", "GH100"}) {
    auto host = cuda::ProfilerHost::open(*cuda::cupti_api().value(), chip).value();
    for (const CounterAlias& alias : counter_aliases()) {
      const auto image = host.configure({alias.counter});
      EXPECT_TRUE(image) << chip << ": " << image.error().to_string();
    }
    const auto image = host.configure(search::profiled_counters());
    EXPECT_TRUE(image) << chip << ": " << image.error().to_string();
  }
}

TEST(Cupti, SaysWhatIsWrongWithAName) {
  SKIP_WITHOUT_CUPTI();
  const Error misspelt = hopper().configure({"smsp__inst_executed.sum", "dram__bytes_reed.sum"}).error();
  EXPECT_EQ(misspelt.code(), ErrorCode::not_found);
  EXPECT_EQ(misspelt.to_string(),
            "the device has no such counter: `dram__bytes_reed.sum` (did you mean `dram__bytes_read`?)");
  const Error bare = hopper().configure({"dram__bytes_read"}).error();
  EXPECT_EQ(bare.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(bare.to_string(),
              HasSubstr("a counter needs a sub-metric: `dram__bytes_read` (dram__bytes_read has .avg .max .min .sum "));
  EXPECT_THAT(hopper().configure({"lts__t_sector_hit_rate.sum"}).error().to_string(),
              HasSubstr("no such sub-metric: `lts__t_sector_hit_rate.sum` (lts__t_sector_hit_rate has .pct .ratio "));
  const Error chip = counters_of_chip("GH101").error();
  EXPECT_EQ(chip.code(), ErrorCode::not_found);
  EXPECT_THAT(chip.to_string(), HasSubstr("did you mean `GH100`?"));
}

}  // namespace
}  // namespace wattune::backend
