// The names by which T1 files may call strategies. They are tested here because the tests of `spec` do without
// `search`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wattune/search/strategy.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::search {
namespace {

constexpr const char* kT1 = R"json({{
  "ConfigurationSpace": {{"TuningParameters": [{{"Name": "WX", "Type": "int", "Values": "[16, 32]"}}]}},
  "Search": {{"Name": "{}"}},
  "KernelSpecification": {{
    "Language": "OpenCL", "KernelName": "add", "KernelFile": "absent.cl", "LocalSize": {{"X": "WX"}},
    "GlobalSize": {{"X": "256"}}, "GlobalSizeType": "OpenCL", "Arguments": []
  }}
}})json";

TEST(T1Strategies, AreAllThatAreHere) {
  for (const StrategyInfo& info : strategies()) {
    const std::string text = fmt::format(fmt::runtime(kT1), info.name);
    const Result<KernelSpec> spec = spec::parse_t1(text, "spec.json", spec::SourcePolicy::optional);
    ASSERT_TRUE(spec) << spec.error().to_string();
    EXPECT_EQ(spec->strategy, info.name);
  }
}

}  // namespace
}  // namespace wattune::search
