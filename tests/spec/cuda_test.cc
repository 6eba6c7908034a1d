// Specs of CUDA kernels.
#include "spec/spec_fixture.h"

namespace wattune::inline v0_1::spec {
namespace {

constexpr std::string_view kGoodCudaSpec = R"([kernel]
file = "add.cu"
function = "add<block, float>"
compiler = "nvcc"
parameters_as = "constants"
arguments = [
  { name = "c", type = "bfloat16*", length = 64, access = "write" },
  { name = "weights", type = "constant float4*", length = 4 },
  { name = "tile", type = "local float", length = "block" },
]
[launch]
grid = 8
block = "block"
cluster = ["2", 1]
cooperative = true
[parameters]
block = [32, 64]
)";

class CudaSpec : public SpecTest {
 protected:
  void SetUp() override {
    SpecTest::SetUp();
    write("add.cu", "the CUDA kernel");
    write("add.ptx", ".version 8.0");
  }
  Result<KernelSpec> after(std::string_view from, std::string_view to) const {
    std::string text(kGoodCudaSpec);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return parse_toml(text.replace(at, from.size(), to), path("spec.toml"));
  }
};

TEST_F(CudaSpec, IsReadCompletely) {
  const auto spec = after("add", "add");
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->source.language, Language::cuda);
  EXPECT_EQ(spec->source.function, "add<block, float>");
  EXPECT_EQ(spec->source.compiler, Compiler::nvcc);
  EXPECT_EQ(spec->source.parameter_style, ParameterStyle::constants);
  EXPECT_EQ(spec->geometry.cluster[0].text, "2");
  EXPECT_EQ(spec->geometry.cluster[1].text, "1");
  EXPECT_TRUE(spec->geometry.cooperative);
  const auto& weights = std::get<VectorArgument>(spec->arguments[1].kind);
  EXPECT_EQ(weights.place, BufferPlace::constant);
  EXPECT_EQ(weights.vector_width, 4u);
  EXPECT_EQ(std::get<VectorArgument>(spec->arguments[0].kind).type, ElementType::bfloat16);
  // The symbol and local memory are no parameters of the function.
  EXPECT_EQ(parameters_of(*spec, launches_of(*spec).front().arguments).size(), 1u);
}

TEST_F(CudaSpec, ParametersMayGoAWayOfTheirOwn) {
  const auto spec = after("block = [32, 64]", "block = { values = [32, 64], as = \"macro\" }\nn = [1, 2]");
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->source.own_styles, (std::map<std::string, ParameterStyle>{{"block", ParameterStyle::macros}}));
  EXPECT_EQ(described(after("block = [32, 64]", "block = { values = [32, 64], as = \"constants\" }")),
            "17:36: unknown `as` of parameter `block`: `constants` (did you mean `constant`?)");
}

TEST_F(CudaSpec, TakesPtxForCuda) { EXPECT_EQ(after("add.cu", "add.ptx").value().source.language, Language::cuda); }

TEST_F(CudaSpec, MistakesAreOneLine) {
  EXPECT_EQ(described(after("\"nvcc\"", "\"nvc\"")),
            "4:13: unknown `compiler` of [kernel]: `nvc` (did you mean `nvcc`?)");
  EXPECT_EQ(described(after("true", "1")), "15:15: `cooperative` of [launch] must be true or false: `1`");
  EXPECT_EQ(described(after("length = 4", "length = 4, access = \"write\"")),
            "8:72: argument `weights` is constant and can only be read: `write`");
  EXPECT_EQ(described(after("[\"2\", 1]", "\"blok\"")),
            "14:12: unknown name in the launch sizes: `blok` (did you mean `block`?)");
}

// A spec of an OpenCL kernel with a twin in CUDA C++.
constexpr std::string_view kTwins = R"([kernel]
file = "add.cl"
function = "add"
cuda = { file = "add.cu", options = ["-use_fast_math"] }
arguments = [ { name = "c", type = "float*", length = 64, access = "write" } ]
[launch]
grid = 8
block = 8
[parameters]
k = [1, 2]
)";

TEST_F(CudaSpec, MayBeTheTwinOfAnOpenClKernel) {
  KernelSpec spec = parse_toml(kTwins, path("spec.toml")).value();
  EXPECT_EQ(spec.source.language, Language::opencl);
  use_language(spec, {Language::opencl}).value();
  EXPECT_EQ(spec.source.file.filename(), "add.cl");
  use_language(spec, {Language::cuda}).value();
  EXPECT_EQ(spec.source.file.filename(), "add.cu");
  EXPECT_EQ(spec.source.text, "the CUDA kernel");
  EXPECT_EQ(spec.source.function, "add");
  EXPECT_EQ(spec.source.options, std::vector<std::string>{"-use_fast_math"});
  use_language(spec, {Language::opencl}).value();
  EXPECT_EQ(spec.source.file.filename(), "add.cl");
  spec.alternatives.clear();
  const auto none = use_language(spec, {Language::cuda});
  EXPECT_EQ(none.error().code(), ErrorCode::mismatch);
  EXPECT_TRUE(none.error().message().starts_with("the kernel is written in OpenCL, not in CUDA"));
}

TEST_F(CudaSpec, FillsConstantSymbolsThatALaunchDoesNotList) {
  const auto spec = after("grid = 8", "grid = 8\narguments = [\"c\", \"tile\"]");
  ASSERT_TRUE(spec) << spec.error().message();
  ASSERT_EQ(spec->steps.size(), 1u);
  EXPECT_EQ(spec->steps[0].arguments, (std::vector<std::size_t>{0, 2, 1}));
}

TEST_F(CudaSpec, HasNothingThatOpenClLacksWhenItIsATwin) {
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text(kTwins);
    return described(parse_toml(text.replace(text.find(from), from.size(), to), path("spec.toml")));
  };
  EXPECT_EQ(with("block = 8", "block = 8\ncluster = 2"),
            "9:11: clusters in the launch of an OpenCL kernel (only CUDA kernels have them)");
  EXPECT_EQ(with("block = 8", "block = 8\ncooperative = true"),
            " a cooperative launch of an OpenCL kernel (only CUDA kernels have them)");
  EXPECT_EQ(with("[ {", "[ { name = \"w\", type = \"constant float*\", length = 1 }, {"),
            "5:25: a constant symbol of a kernel in OpenCL (only CUDA kernels have them)");
  EXPECT_EQ(with("function = \"add\"", "function = \"add\"\ncompiler = \"nvcc\""),
            "4:13: `compiler` of [kernel] is for CUDA kernels: `nvcc`");
  EXPECT_EQ(with("function = \"add\"", "function = \"add\"\nreturned_time = \"ms\""),
            "4:18: `returned_time` of [kernel] is for functions on the host: `ms`");
  EXPECT_EQ(with("add.cu", "add.cl"), "4:18: [kernel.cuda] is for a CUDA kernel beside an OpenCL one: `add.cl`");
}

}  // namespace
}  // namespace wattune::spec
