// Specs of strangers: each gives a KernelSpec, or one line that names the mistake and its place.
#include <gtest/gtest.h>

#include "hostile.h"
#include "spec/spec_fixture.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {
namespace {

constexpr int kSpecsOfEachFormat = 200;

template <typename Parse>
void parse_damaged(const std::string& text, const Parse& parse) {
  Random random(5);
  for (int i = 0; i < kSpecsOfEachFormat; ++i) {
    const std::string bad = damaged(text, random);
    const Result<KernelSpec> spec = parse(bad);
    if (spec) continue;
    const std::string line = spec.error().to_string();
    EXPECT_TRUE(is_one_clean_line(line)) << i << ": " << line;
    EXPECT_LT(line.size(), 1000u) << i << ": " << line.substr(0, 200);
    EXPECT_FALSE(spec.error().position().file.empty()) << i << ": " << line;
  }
}

TEST(HostileSpecs, Toml) {
  parse_damaged(starting_point("mine").spec,
                [](const std::string& text) { return parse_toml(text, "s.toml", SourcePolicy::optional); });
}

TEST(HostileSpecs, T1) {
  constexpr const char* kT1 = R"({"General": {"BenchmarkName": "add", "OutputFormat": "JSON"},
    "ConfigurationSpace": {"TuningParameters": [{"Name": "x", "Type": "int", "Values": "[1, 2, 4]", "Default": 2},
      {"Name": "y", "Type": "string", "Values": "['a', 'b']", "Default": "a"}],
      "Conditions": [{"Expression": "x < 4", "Parameters": ["x"]}]},
    "KernelSpecification": {"Language": "OpenCL", "KernelName": "add", "KernelFile": "add.cl",
      "ProblemSize": [1024], "GlobalSize": {"X": "1024"}, "LocalSize": {"X": "x"},
      "Arguments": [{"Type": "float", "MemoryType": "Vector", "Size": 1024, "FillType": "Random"}]}})";
  parse_damaged(kT1, [](const std::string& text) { return parse_t1(text, "s.json", SourcePolicy::optional); });
}

}  // namespace
}  // namespace wattune::spec
