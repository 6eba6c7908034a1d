#include <gtest/gtest.h>

#include "tune/problem.h"

namespace wattune::tune {
namespace {

RunInfo describe(const KernelSpec& spec) { return describe_run(spec, space_of(spec), DeviceInfo{}); }

TEST(DescribeRun, NamesWhatTheRunIsAbout) {
  KernelSpec spec = scale_spec();
  spec.problem_size.push_back({"m", 32});
  spec.constraints = {{"block * mode < 100", {}}};
  DeviceInfo device;
  device.name = "a device";
  const space::SearchSpace space = space_of(spec);
  const RunInfo info = describe_run(spec, space, device);
  EXPECT_EQ(info.kernel_name, "scale");
  EXPECT_EQ(info.kernel_language, "OpenCL");
  EXPECT_EQ(info.problem_size, "64x32");
  EXPECT_EQ(info.space_hash, space.content_hash());
  EXPECT_EQ(info.device, device);
  EXPECT_EQ(info.constraints, std::vector<std::string>{"block * mode < 100"});
  EXPECT_EQ(info.default_values, (std::vector<Value>{8, 0}));
  EXPECT_FALSE(info.wattune_version.empty());
}

TEST(DescribeRun, EqualSpecsHaveEqualHashes) {
  const RunInfo a = describe(scale_spec());
  const RunInfo b = describe(scale_spec());
  EXPECT_EQ(a.source_hash, b.source_hash);
  EXPECT_EQ(a.options_hash, b.options_hash);
}

TEST(DescribeRun, TheSourceCountsByItsTextAlone) {
  KernelSpec spec = scale_spec();
  spec.source.file = "elsewhere/scale.cl";
  spec.arguments[0].position = {"other.toml", 99, 1};
  EXPECT_EQ(describe(spec).source_hash, describe(scale_spec()).source_hash);
  EXPECT_EQ(describe(spec).options_hash, describe(scale_spec()).options_hash);
  spec.source.text += " ";
  EXPECT_NE(describe(spec).source_hash, describe(scale_spec()).source_hash);
  EXPECT_EQ(describe(spec).options_hash, describe(scale_spec()).options_hash);
}

TEST(DescribeRun, EveryOptionCounts) {
  std::vector<KernelSpec> specs(30, scale_spec());
  specs[1].source.options = {"-cl-fast-relaxed-math"};
  specs[2].geometry.convention = GeometryConvention::divided;
  specs[3].geometry.divisors[1] = {at_line("block", 1)};
  specs[4].geometry.divisors[2] = {at_line("block", 1)};
  specs[5].problem_size[0].value = 128;
  std::get<VectorArgument>(specs[6].arguments[1].kind).fill = FillIota{1.0, 1.0};
  std::get<VectorArgument>(specs[7].arguments[1].kind).access = ArgumentAccess::read_write;
  std::get<ScalarArgument>(specs[8].arguments[2].kind).value.text = "4";
  specs[9].reference = ReferenceData{{{"y", "y.npy"}}};
  specs[10].tolerance.absolute = 0.0;
  specs[11].steps = {{"", {0, 1, 2}, specs[11].geometry, {}}};
  specs[12].steps = {{"", {0, 2, 1}, specs[12].geometry, {}}};
  specs[13].steps = {{"", {0, 1, 2}, specs[13].geometry, at_line("block > 8", 1)}};
  std::get<VectorArgument>(specs[14].arguments[0].kind).comparison = OutputComparison::sum;
  std::get<VectorArgument>(specs[15].arguments[0].kind).compared_length = at_line("8", 1);
  std::get<VectorArgument>(specs[16].arguments[1].kind).fill = FillNormal{};
  for (const std::size_t i : {17, 18}) {
    auto& fields = std::get<VectorArgument>(specs[i].arguments[1].kind).fields;
    fields = {{"x", ElementType::float32, FillIota{}}, {"y", ElementType::float32, FillIota{}}};
    fields[1].fill = FillIota{static_cast<double>(i), 1.0};
  }
  specs[19].steps = {{"", {0, 1, 2}, specs[19].geometry, {}, at_line("2", 1)}};
  for (std::size_t i = 20; i < 25; ++i) specs[i].steps = specs[19].steps;
  specs[20].steps[0].index = "i";
  specs[21].steps[0].values = {{2, at_line("4", 1)}};
  specs[22].steps[0].swaps = {{0, 1}};
  specs[23].steps[0].group = specs[19].steps;
  specs[24].steps[0].group = {specs[19].steps[0], specs[19].steps[0]};
  specs[25].arguments[1].kind = NullArgument{};
  specs[26].arguments[2].kind = SamplerArgument{};
  specs[27].arguments[2].kind = SamplerArgument{{.filter = FilterMode::linear}};
  std::get<VectorArgument>(specs[28].arguments[1].kind).image = PixelImage{};
  std::get<VectorArgument>(specs[29].arguments[1].kind).image = PixelImage{.normalized_channels = true};
  for (std::size_t i = 0; i < specs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NE(describe(specs[i]).options_hash, describe(specs[j]).options_hash) << i << " and " << j;
}

}  // namespace
}  // namespace wattune::tune
