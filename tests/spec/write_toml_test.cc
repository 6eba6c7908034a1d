#include <gtest/gtest.h>

#include <limits>

#include "folder_test.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {
namespace {

// Every kind of argument, launches in groups, roles and styles.
constexpr const char* kEverything = R"toml(name = "a \"name\""
[kernel]
file = "k.cu"
function = "gemm<tile, float>"
options = ["-ftz=true", "-DTEXT=\"a\\b\""]
compiler = "nvcc"
parameters_as = "constants"
arguments = [
  { name = "out", type = "float4*", length = "n", access = "write", compare = "sum", compare_length = "n - 1" },
  { name = "io", type = "struct*", length = "n", access = "readwrite", fields = [
    { name = "charge", type = "char", fill = "constant", value = 1 },
    { name = "energy", type = "double", fill = "normal", mean = 2.0, deviation = 0.5, seed = 3 } ] },
  { name = "other", type = "struct*", length = "n", access = "readwrite", fields = [
    { name = "charge", type = "char", fill = "iota" },
    { name = "energy", type = "double", fill = "uniform", low = -1 } ] },
  { name = "weights", type = "constant float*", length = 9, fill = "expression", expression = "1 / (1 + i)" },
  { name = "image", type = "image2d uchar4", size = ["n", "m"], normalized = true, filter = "linear", order = "BGRA" },
  { name = "chip", type = "struct", fields = [ { name = "width", type = "ushort", value = "n" } ] },
  { name = "scale", type = "half", value = 0.5 },
  { name = "tile_memory", type = "local float", length = "tile * 4" },
  { name = "nothing", type = "float*", null = true },
]
[problem]
n = 64
m = 3
[[launch]]
function = "first"
divide = [["tile", "2"], []]
block = ["tile", 2]
arguments = ["out", "io"]
cluster = [2]
cooperative = true
[[launch]]
repeat = "m"
index = "step"
swap = [["io", "other"]]
when = "tile > 8"
[[launch.launch]]
function = "second"
grid = "n"
block = "tile"
arguments = ["io", "scale"]
values = { scale = "step * 2" }
[parameters]
tile = { values = [8, 16], default = 16, as = "macro" }
mode = ["fast", "exact"]
real = [0.5, 1e-9]
on = [true, false]
blocks = { values = [1], role = "launch" }
[search]
constraints = ["tile < n"]
resource_constraints = ["registers <= 128"]
strategy = "random"
evaluations = 7
seconds = 1.5
fraction = 0.5
maximize = "rate"
minimize = ["registers"]
[metrics]
rate = "n / time"
)toml";

class WriteToml : public test::FolderTest {
 protected:
  WriteToml() { test::write_contents(path("k.cu"), "//"); }

  KernelSpec parse(const std::string& text) const {
    Result<KernelSpec> spec = parse_toml(text, path("spec.toml"));
    EXPECT_TRUE(spec) << spec.error().to_string() << "\n" << text;
    return spec ? *std::move(spec) : KernelSpec();
  }
};

// A spec that was written and read is written as the same text, so that nothing is lost. Only `divide` changes: it is a
// grid from the first writing on.
TEST_F(WriteToml, ReadsBackAsTheSpecThatItWas) {
  const KernelSpec spec = parse(kEverything);
  const std::string once = write_toml(spec).value();
  const KernelSpec read = parse(once);
  EXPECT_EQ(write_toml(read).value(), once);
  EXPECT_EQ(read.name, "a \"name\"");
  EXPECT_EQ(read.source.options, spec.source.options);
  EXPECT_EQ(read.arguments.size(), 9u);
  EXPECT_EQ(read.parameters, spec.parameters);
  EXPECT_EQ(read.parameters[4].role, ParameterRole::launch);
  EXPECT_EQ(read.steps[0].geometry.sizes[0].text, "((n) + (tile) * (2) - 1) // ((tile) * (2))");
  EXPECT_EQ(read.steps[1].group[0].values[0].value.text, "step * 2");
  EXPECT_EQ(read.objectives.size(), 2u);
  EXPECT_TRUE(read.objectives[0].maximize);
}

TEST_F(WriteToml, RefusesAReferenceThatIsNoData) {
  KernelSpec spec = parse(kEverything);
  spec.reference = ReferenceFunction{"reference.cc"};
  EXPECT_FALSE(write_toml(spec));
}

TEST_F(WriteToml, RefusesAValueThatNoSpecCanHold) {
  KernelSpec spec = parse(kEverything);
  spec.parameters[2].values[0] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(write_toml(spec));
}

}  // namespace
}  // namespace wattune::spec
