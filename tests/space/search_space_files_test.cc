// The spaces of the field, read from their T1 files: counts as their README lists them.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "source_dir.h"
#include "space/space_support.h"

namespace wattune::inline v0_1::space {
namespace {

struct Known {
  const char* file;
  const char* valid;
};
void PrintTo(const Known& known, std::ostream* out) { *out << known.file; }

class KnownSpaces : public testing::TestWithParam<Known> {};

TEST_P(KnownSpaces, HaveTheCountThatTheFieldAgreesOn) {
  const std::filesystem::path path =
      std::filesystem::path(WATTUNE_SOURCE_DIR) / "../shared/data/spaces" / (std::string(GetParam().file) + ".json");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file).at("ConfigurationSpace");
  std::vector<Parameter> parameters;
  for (const auto& item : json.at("TuningParameters")) {
    parameters.push_back(
        parameter(item.at("Name"), Expression::parse_list(item.at("Values").get<std::string>()).value()));
  }
  std::vector<std::string> expressions;
  for (const auto& item : json.at("Conditions")) expressions.push_back(item.at("Expression"));
  const SearchSpace space = space_of(parameters, expressions);
  EXPECT_EQ(to_string(space.count()), GetParam().valid);
  EXPECT_TRUE(space.exact());
  Random random(1);
  ValueIndices indices;
  for (int i = 0; i < 1000; ++i) {
    const ConfigurationId id = space.sample(random);
    space.unrank(id, indices);
    ASSERT_EQ(space.rank(indices), id);
    ASSERT_TRUE(space.violations(indices).empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    T1, KnownSpaces,
    testing::Values(Known{"dedispersion", "11130"}, Known{"expdist", "294000"}, Known{"hotspot", "349853"},
                    Known{"gemm_kernel_tuner", "116928"}, Known{"microhh", "138600"}, Known{"prl_8x8", "48720"},
                    Known{"prl_32x32", "514080"}, Known{"gemm_cltune", "241600"}, Known{"sgemm_8", "194144"},
                    Known{"sgemm_16", "1230176"}, Known{"sgemm_32", "5651696"}, Known{"sgemm_64", "20548000"},
                    Known{"sgemm_128", "60235176"}, Known{"sgemm_256", "133484704"}, Known{"sgemm_1024", "408352112"},
                    Known{"linked_4_10", "1048576"}, Known{"linked_10_7", "10000000"}),
    [](const auto& known) { return std::string(known.param.file); });

}  // namespace
}  // namespace wattune::space
