#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "folder_test.h"
#include "tune/interface/describe_run.h"
#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

RunInfo describe(const KernelSpec& spec) { return describe_run(spec, space_of(spec), DeviceInfo{}); }

Identity identity(const KernelSpec& spec) { return describe(spec).identity; }

// Returns the parts in which two specs differ.
std::vector<std::string> parts(const KernelSpec& a, const KernelSpec& b) {
  std::vector<std::string> names;
  for (const IdentityDifference& each : differences(identity(a), identity(b))) names.push_back(each.part);
  return names;
}

using Parts = std::vector<std::string>;

class DescribeFiles : public test::FolderTest {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(path(name).parent_path());
    test::write_contents(path(name), text);
  }
  KernelSpec spec_in_folder() const {
    KernelSpec spec = scale_spec();
    spec.source.file = path("scale.cl");
    return spec;
  }
};

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

TEST(DescribeRun, EqualSpecsHaveEqualIdentities) { EXPECT_EQ(parts(scale_spec(), scale_spec()), Parts{}); }

TEST(DescribeRun, TheSourceCountsByItsTextAlone) {
  KernelSpec spec = scale_spec();
  spec.source.file = "elsewhere/scale.cl";
  spec.arguments[0].position = {"other.toml", 99, 1};
  EXPECT_EQ(parts(spec, scale_spec()), Parts{});
  spec.source.text += " ";
  EXPECT_EQ(parts(spec, scale_spec()), Parts{"kernel source"});
}

TEST(DescribeRun, TheCompilerOfTheHostAndTheUnitOfAReturnedTimeCount) {
  KernelSpec spec = scale_spec();
  spec.source.host_compiler = "g++-12";
  spec.source.returned_unit = nanoseconds_from_ms(1);
  EXPECT_EQ(parts(spec, scale_spec()), (Parts{"compiler", "returned time"}));
  EXPECT_EQ(identity(spec).at("returned time"), "in 1e+06 ns");
}

// The compiler of a kernel in OpenCL reads no such variable. A variable that is not set is no part, so that journals of
// runs without it go on.
TEST(DescribeRun, WhatTheCompilerTakesFromTheEnvironmentCounts) {
  KernelSpec spec = scale_spec();
  spec.source.language = Language::cuda;
  spec.source.compiler = Compiler::nvcc;
  unsetenv("CPATH");
  const Identity before = identity(spec);
  setenv("CPATH", "/opt/include", 1);
  const std::vector<IdentityDifference> found = differences(before, identity(spec));
  const Identity of_opencl = identity(scale_spec());
  unsetenv("CPATH");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].part, "environment CPATH");
  EXPECT_EQ(found[0].wanted, "/opt/include");
  EXPECT_FALSE(before.contains("environment CPATH"));
  EXPECT_FALSE(of_opencl.contains("environment CPATH"));
}

TEST(DescribeRun, TheWayInWhichAParameterIsPassedCounts) {
  KernelSpec now = scale_spec();
  now.source.own_styles = {{"block", ParameterStyle::constants}};
  EXPECT_EQ(parts(now, scale_spec()), Parts{"style of block"});
}

// All parameters were code before there were roles, so that the role code is no part.
TEST(DescribeRun, ARoleOtherThanCodeCounts) {
  KernelSpec now = scale_spec();
  now.parameters[0].role = ParameterRole::launch;
  EXPECT_EQ(parts(now, scale_spec()), Parts{"role of block"});
}

TEST(DescribeRun, EachMetricIsAPartOfItsOwn) {
  KernelSpec before = scale_spec();
  before.metrics = {{"rate", at_line("n / time", 1)}, {"unchanged", at_line("time", 2)}};
  KernelSpec now = before;
  now.metrics[0].expression.text = "2 * n / time";
  EXPECT_EQ(to_string(differences(identity(before), identity(now)).at(0)),
            "metric rate (before: n / time, now: 2 * n / time)");
  EXPECT_EQ(parts(before, now), Parts{"metric rate"});
  now.metrics.pop_back();
  EXPECT_EQ(parts(before, now), (Parts{"metric rate", "metric unchanged"}));
}

// Parts that both have agree, which is how results are known to be of a kernel.
TEST(KernelIdentity, SharesItsPartsWithTheRun) {
  KernelSpec spec = scale_spec();
  spec.source.options = {"-DFAST", "-I", "here"};
  const Identity of_run = identity(spec);
  const Identity of_kernel = kernel_identity(spec);
  for (const char* part : {"kernel source", "kernel function", "language", "geometry"})
    EXPECT_EQ(of_kernel.at(part), of_run.at(part)) << part;
  EXPECT_EQ(of_kernel.at("options of the code"), "-DFAST");
  EXPECT_FALSE(of_kernel.contains("problem size"));
}

TEST(LaunchIdentity, HasWhatDecidesTheTimesOfALaunch) {
  const KernelSpec spec = scale_spec();
  const Identity of_run = identity(spec);
  for (const auto& [part, value] : launch_identity(spec)) EXPECT_EQ(of_run.at(part), value) << part;
  const auto differs = [&](const KernelSpec& other) {
    return differences(launch_identity(spec), launch_identity(other));
  };
  KernelSpec larger = spec;
  larger.problem_size[0].value *= 2;
  EXPECT_EQ(differs(larger).at(0).part, "problem size");
  KernelSpec faster = spec;
  faster.source.options.push_back("-cl-fast-relaxed-math");
  EXPECT_EQ(differs(faster).at(0).part, "compile options");
  KernelSpec filled = spec;
  std::get<VectorArgument>(filled.arguments[0].kind).fill = FillConstant{7.0};
  EXPECT_EQ(differs(filled).at(0).part, "arguments");
}

// Other rules of comparison, more allowed configurations or more metrics do not change the launch.
TEST(LaunchIdentity, LeavesOutHowResultsAreJudged) {
  const KernelSpec spec = scale_spec();
  KernelSpec other = spec;
  other.tolerance.absolute = 0.25;
  other.reference = std::monostate();
  other.metrics = {{"rate", at_line("n / time", 1)}};
  other.resource_constraints = {{"registers < 64", {}}};
  other.constraints = {{"block < 64", {}}};
  other.parameters[0].values.pop_back();
  auto& output = std::get<VectorArgument>(other.arguments[0].kind);
  output.compared_length = {"n / 2", {}};
  output.comparison = OutputComparison::sum;
  EXPECT_NE(identity(other), identity(spec));
  EXPECT_EQ(launch_identity(other), launch_identity(spec));
}

TEST_F(DescribeFiles, FilesThatTheKernelIncludesCount) {
  write("include/deep.h", "1");
  write("body.h", "#include <deep.h>\n");
  KernelSpec spec = spec_in_folder();
  spec.source.text = "#include \"body.h\"\n";
  spec.source.options = {"-I" + path("include").string()};
  const Identity before = identity(spec);
  EXPECT_EQ(identity(spec), before);
  write("include/deep.h", "2");
  ASSERT_EQ(differences(before, identity(spec)).size(), 1u);
  EXPECT_EQ(differences(before, identity(spec))[0].part, "included files");
}

TEST_F(DescribeFiles, FilesThatCudaSourcesAndOptionsNameCount) {
  write("sub/tile.h", "1");
  KernelSpec spec = spec_in_folder();
  spec.source.language = Language::cuda;
  spec.source.text = "#include <tile.h>\n";
  spec.source.options = {"-I", "sub", "--pre-include=always.h"};
  const Identity before = identity(spec);
  write("always.h", "2");
  const Identity with_option = identity(spec);
  EXPECT_NE(with_option, before);
  write("sub/tile.h", "2");
  EXPECT_NE(identity(spec), with_option);
}

// A macro may name the one header, and be followed by another.
TEST_F(DescribeFiles, FilesBehindAnUnknownOneCount) {
  KernelSpec spec = spec_in_folder();
  spec.source.text = "#include TILE\n#include \"body.h\"\n";
  const Identity before = identity(spec);
  write("body.h", "1");
  EXPECT_NE(identity(spec), before);
}

TEST_F(DescribeFiles, FilesThatTheReferenceIncludesCount) {
  write("reference.cc", "#include \"answer.h\"\n");
  write("answer.h", "1");
  KernelSpec function = spec_in_folder();
  function.reference = ReferenceFunction{path("reference.cc")};
  KernelSpec kernel = spec_in_folder();
  kernel.reference = ReferenceKernel{.source = {.file = path("reference.cl"), .text = "#include \"answer.h\"\n"}};
  const Identity before[] = {identity(function), identity(kernel)};
  write("answer.h", "2");
  const Identity now[] = {identity(function), identity(kernel)};
  for (const std::size_t i : {0, 1}) {
    ASSERT_EQ(differences(before[i], now[i]).size(), 1u) << i;
    EXPECT_EQ(differences(before[i], now[i])[0].part, "reference") << i;
  }
}

TEST_F(DescribeFiles, DataCountsByItsContentsNotByItsFolder) {
  write("a/x.bin", "data");
  write("b/x.bin", "data");
  const auto with_data = [&](const char* name) {
    KernelSpec spec = spec_in_folder();
    std::get<VectorArgument>(spec.arguments[1].kind).fill = FillFile{path(name)};
    return spec;
  };
  EXPECT_EQ(parts(with_data("a/x.bin"), with_data("b/x.bin")), Parts{});
  write("b/x.bin", "Data");
  EXPECT_EQ(parts(with_data("a/x.bin"), with_data("b/x.bin")), Parts{"arguments"});
}

TEST(MeasuringIdentity, HoldsWhatChangesTheMeaningOfNumbers) {
  EvaluatorOptions options;
  measure::SamplingOptions sampling;
  const Identity standard = measuring_identity(options, *measure::make_gated(sampling));
  EXPECT_EQ(standard, (Identity{{"cache mode", "warm"},
                                {"check mode", "every"},
                                {"observed metrics", ""},
                                {"policy", "gated"},
                                {"warm-up", "20.0 ms"}}));
  sampling.warm_up = Nanoseconds(5e5);
  options.cache = Cache::cold;
  options.check = CheckOutput::never;
  options.observe = {BoardMetric::power, BoardMetric::energy};
  options.sensors = "plug";
  options.counters = {"dram__bytes_read.sum"};
  EXPECT_EQ(measuring_identity(options, *measure::make_repeated_runs(sampling)),
            (Identity{{"cache mode", "cold"},
                      {"check mode", "never"},
                      {"energy", "without set-up and gaps"},
                      {"observed metrics", "dram__bytes_read.sum, energy, power"},
                      {"policy", "repeated"},
                      {"sensors", "plug"},
                      {"warm-up", "0.5 ms"}}));
  options.observe = {};
  EXPECT_FALSE(measuring_identity(options, *measure::make_gated(sampling)).contains("sensors")) << "nothing reads them";
}

TEST(MeasuringIdentity, HoldsWhatTheCallerGaveArguments) {
  const auto given = [](std::vector<std::byte> bytes) {
    EvaluatorOptions options;
    options.contents = {nullptr, std::make_shared<const std::vector<std::byte>>(std::move(bytes)), nullptr};
    return measuring_identity(options, *measure::make_gated({}));
  };
  EXPECT_EQ(given({std::byte{1}}), given({std::byte{1}}));
  EXPECT_NE(given({std::byte{1}}), given({std::byte{2}}));
  EvaluatorOptions of_the_spec;
  of_the_spec.contents = {nullptr, nullptr};
  EXPECT_EQ(measuring_identity(of_the_spec, *measure::make_gated({})),
            measuring_identity({}, *measure::make_gated({})));
}

// Each Trial says itself how exact it is. Limits are no part either; they change which Trials fail.
TEST(MeasuringIdentity, LeavesOutHowManySamplesThereAre) {
  measure::SamplingOptions more;
  more.min_samples = more.max_samples = 1000;
  more.relative_precision = 0.1;
  EvaluatorOptions patient;
  patient.limits.run = nanoseconds_from_seconds(1000);
  EXPECT_EQ(measuring_identity(patient, *measure::make_gated(more)), measuring_identity({}, *measure::make_gated({})));
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
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(identity(specs[i]), identity(specs[j])) << i << " and " << j;
}

}  // namespace
}  // namespace wattune::tune
