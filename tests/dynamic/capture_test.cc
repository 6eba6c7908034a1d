#include "wattune/dynamic/capture.h"

#include <gtest/gtest.h>

#include <cstring>

#include "dynamic/wisdom_support.h"
#include "wattune/backend/registry.h"
#include "wattune/measure/policy.h"
#include "wattune/spec/spec.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::dynamic {
namespace {

constexpr const char* kAxpySource =
    "#include \"factor.h\"\n"
    "kernel void axpy(global float* y, global const float* x, float a, int n) {\n"
    "  for (int k = 0; k < per_item; ++k) {\n"
    "    int i = get_global_id(0) * per_item + k;\n"
    "    if (i < n) y[i] += FACTOR * a * x[i];\n"
    "  }\n"
    "}\n";

// Returns a spec of y += 2 a x. The factor 2 is in a file that the kernel includes.
KernelSpec axpy_spec(const std::filesystem::path& folder) {
  write_contents(folder / "factor.h", "#define FACTOR 2.0f\n");
  KernelSpec spec;
  spec.name = "axpy";
  spec.source = {.function = "axpy", .file = folder / "axpy.cl", .text = kAxpySource};
  spec.problem_size = {{"n", 10}};
  spec.geometry.convention = GeometryConvention::divided;
  spec.geometry.sizes[0].text = "n";
  spec.geometry.divisors[0] = {{"block", {}}, {"per_item", {}}};
  spec.geometry.work_group[0].text = "block";
  VectorArgument y{.length = {"n", {}}, .access = ArgumentAccess::read_write};
  spec.arguments = {{"y", y, {}},
                    {"x", VectorArgument{.length = {"n", {}}}, {}},
                    {"a", ScalarArgument{ElementType::float32, {"1", {}}}, {}},
                    {"n", ScalarArgument{ElementType::int32, {"n", {}}}, {}}};
  spec.parameters = {{.name = "block", .values = {16, 32}}, {.name = "per_item", .values = {1, 2}}};
  spec.constraints = {{"block * per_item <= 32", {}}};
  return spec;
}

// A call of 1,000 elements, with the values that it must leave in y.
struct AxpyCall {
  std::vector<float> y = std::vector<float>(1000), x = y, expected = y;
  float a = 0.75f;
  std::int32_t n = 1000;

  AxpyCall() {
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = static_cast<float>(i % 7);
      x[i] = static_cast<float>(i % 11) - 5.0f;
      expected[i] = y[i] + 2.0f * a * x[i];
    }
  }
  CapturedCall captured() const {
    return {.sizes = {{"n", n}},
            .arguments = {std::as_bytes(std::span(y)), std::as_bytes(std::span(x)), std::as_bytes(std::span(&a, 1)),
                          std::as_bytes(std::span(&n, 1))},
            .outputs = {std::as_bytes(std::span(expected)), {}, {}, {}}};
  }
};

class Capture : public FolderTest {
 protected:
  Result<std::filesystem::path> capture_axpy(const CaptureOptions& options = {}) const {
    return capture(axpy_spec(path("")), call.captured(), path("captured"), options);
  }
  std::string refusal(const KernelSpec& spec, const CapturedCall& other, const CaptureOptions& options = {}) const {
    const auto file = capture(spec, other, path("captured"), options);
    EXPECT_FALSE(std::filesystem::exists(path("captured")));
    return file ? "" : file.error().to_string();
  }

  AxpyCall call;
};

TEST_F(Capture, BecomesASpecWithTheSizesValuesAndDataOfTheCall) {
  const std::filesystem::path file = capture_axpy().value();
  EXPECT_EQ(file, path("captured/axpy.toml"));
  const KernelSpec spec = spec::load(file).value();
  EXPECT_EQ(spec.name, "axpy");
  EXPECT_EQ(spec.problem_size[0].value, 1000);
  EXPECT_EQ(spec.source.text, kAxpySource);
  EXPECT_EQ(std::get<VectorArgument>(spec.arguments[1].kind).length.text, "1000");
  EXPECT_EQ(std::get<ScalarArgument>(spec.arguments[2].kind).value.text, "0.75");
  EXPECT_EQ(std::get<ScalarArgument>(spec.arguments[3].kind).value.text, "1000");
  EXPECT_EQ(spec.parameters, axpy_spec(path("")).parameters);
  EXPECT_EQ(spec.constraints[0].expression, "block * per_item <= 32");
  EXPECT_EQ(contents_of(path("captured/axpy.x.bin")).size(), 4000u);
  EXPECT_EQ(std::get<ReferenceData>(spec.reference).outputs.at(0).second, path("captured/axpy.y.expected.bin"));
}

// Evaluates every configuration under OpenCL in this process. The statuses tell whether the outputs were the captured
// ones.
std::vector<Status> statuses(const std::filesystem::path& file, backend::Device& device) {
  const KernelSpec spec = spec::load(file).value();
  const auto space = space::SearchSpace::build(spec.parameters, spec.constraints).value();
  const auto policy = measure::make_repeated_runs({.warm_up = Nanoseconds(0)});
  const auto evaluator = tune::make_evaluator(spec, space, device, *policy).value();
  std::vector<Status> found;
  for (ConfigurationId id = 0; id < space.count(); ++id) {
    const Observation observation = evaluator->evaluate(space.configuration(id)).value();
    EXPECT_EQ(observation.verified, observation.ok()) << observation.message;
    found.push_back(observation.status);
  }
  return found;
}

// Three configurations meet the constraint.
TEST_F(Capture, IsTunedAgainstTheOutputsOfTheCall) {
  std::unique_ptr<backend::Device> device;
  for (const DeviceInfo& info : backend::discover().devices)
    if (info.backend == "opencl" && !device) device = backend::open_device(info.selector).value();
  if (!device) GTEST_SKIP() << "no OpenCL device on this machine";
  const std::filesystem::path file = capture_axpy().value();
  EXPECT_EQ(statuses(file, *device), std::vector<Status>(3, Status::correct));
  call.expected[999] += 1.0f;
  ASSERT_TRUE(capture_axpy({.replace = true}));
  EXPECT_EQ(statuses(file, *device), std::vector<Status>(3, Status::correctness));
}

// One text may hold several options. The captured source lies elsewhere, so its folders become absolute.
TEST_F(Capture, KeepsOptionsAndFoldersWithBlanks) {
  std::filesystem::create_directory(path("my inc"));
  KernelSpec spec = axpy_spec(path(""));
  spec.source.options = {"-cl-mad-enable -I \"my inc\"", "-DTEXT=\"a b\"", "-D", "M"};
  const auto file = capture(spec, call.captured(), path("captured")).value();
  EXPECT_EQ(
      spec::load(file)->source.options,
      (std::vector<std::string>{"-cl-mad-enable", "-DTEXT=\"a b\"", "-DM=1", "-I\"" + path("my inc").string() + '"',
                                "-I" + path("axpy.cl").parent_path().string()}));
}

TEST_F(Capture, ReplacesOnlyAnEarlierCaptureAndWhenAsked) {
  ASSERT_TRUE(capture_axpy());
  const auto again = capture_axpy();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::already_exists);
  EXPECT_TRUE(capture_axpy({.replace = true}));
  const auto other = capture_axpy({.name = "other", .replace = true});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().advice(), "it holds no capture of this name");
  // The folder, and the file that the kernel includes.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 2);
}

TEST_F(Capture, RefusesBuffersThatAreLargerThanAllowed) {
  EXPECT_EQ(refusal(axpy_spec(path("")), call.captured(), {.most_bytes = 3999}),
            "argument `y` has 4000 bytes, more than the 3999 that are allowed (allow more, or capture a smaller call)");
}

TEST_F(Capture, RefusesWhatDoesNotFitTheSpec) {
  const KernelSpec spec = axpy_spec(path(""));
  CapturedCall other = call.captured();
  other.arguments.pop_back();
  EXPECT_EQ(refusal(spec, other), "the call has 3 arguments, the kernel 4");
  other = call.captured();
  other.arguments[0] = other.arguments[0].first(3999);
  EXPECT_EQ(refusal(spec, other), "argument `y` has 3999 bytes, which are not elements of 4");
  other = call.captured();
  other.arguments[2] = other.arguments[0];
  EXPECT_EQ(refusal(spec, other), "argument `a` has 4000 bytes where the spec has 4");
  other = call.captured();
  other.sizes = {{"m", 3}};
  EXPECT_EQ(refusal(spec, other), "the kernel has no such size: `m`");
  other = call.captured();
  other.outputs[1] = other.arguments[1];
  EXPECT_EQ(refusal(spec, other), "argument `x` is only read, but has an expected output");
}

TEST_F(Capture, RefusesDataWhoseLengthDependsOnParameters) {
  KernelSpec spec = axpy_spec(path(""));
  std::get<VectorArgument>(spec.arguments[1].kind).length.text = "n // block";
  EXPECT_EQ(refusal(spec, call.captured()),
            "argument `x` has a length that depends on parameters, so that other configurations need other data: `n // "
            "block`");
}

TEST_F(Capture, WithoutOutputsIsNotChecked) {
  CapturedCall unchecked = call.captured();
  unchecked.outputs.clear();
  const auto file = capture(axpy_spec(path("")), unchecked, path("captured/")).value();
  EXPECT_TRUE(std::holds_alternative<std::monostate>(spec::load(file)->reference));
}

}  // namespace
}  // namespace wattune::dynamic
