// Specs without parameters, and arguments of unusual values and types, from the spec to the answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/run_program.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

// Writes a spec of a function on the host, add.toml, with these arguments behind the buffer `x`.
void write_host_spec(const TempFolder& folder, const std::string& arguments, const std::string& more,
                     const std::string& function) {
  folder.write("add.toml",
               "[kernel]\nfile = \"add.cc\"\nfunction = \"add\"\narguments = [\n"
               "{ name = \"x\", type = \"float*\", length = 64, access = \"write\" },\n" +
                   arguments + "]\n[reference]\nfile = \"reference.cc\"\n" + more);
  folder.write("add.cc", function);
  folder.write("reference.cc",
               "#include <cstddef>\nextern \"C\" void reference(void* const* a, const std::size_t* n) {\n"
               "  for (std::size_t i = 0; i < n[0]; ++i) static_cast<float*>(a[0])[i] = 1;\n}\n");
}

constexpr const char* kOnes = "void add(float* x) { for (int i = 0; i < 64; ++i) x[i] = 1; }\n";

TEST(PlainSpecs, WithoutParametersHaveOneConfigurationThatIsMeasured) {
  for (const char* parameters : {"", "[parameters]\n"}) {
    const TempFolder folder;
    write_host_spec(folder, "", parameters, kOnes);
    EXPECT_THAT(run_wattune(folder, {"space", "add.toml"}).out, testing::StartsWith("1 configuration:"));
    EXPECT_THAT(run_wattune(folder, {"run", "add.toml", "--device", "host:0"}).out, HasSubstr("no parameters"));
    const Finished tuned = run_wattune(folder, {"tune", "add.toml", "--device", "host:0", "--json"});
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    EXPECT_THAT(tuned.err, HasSubstr("there is nothing to choose"));
    EXPECT_EQ(tuned.json()["by_status"]["correct"], 1);
    EXPECT_EQ(tuned.json()["best"]["configuration"], nlohmann::json::object());
    EXPECT_EQ(run_wattune(folder, {"tune", "add.toml", "--device", "host:0", "-q", "--resume"}).status, 0);
    for (const char* format : {"csv", "json", "t4", "kernel-tuner", "header"}) {
      const std::string file = std::string("add.") + format;
      const Finished exported =
          run_wattune(folder, {"export", "add.journal.jsonl", "--format", format, "--output", file});
      EXPECT_EQ(exported.status, 0) << exported.err;
      if (std::string(format) != "header") {
        EXPECT_EQ(run_wattune(folder, {"show", file}).status, 0) << file;
      }
    }
  }
}

TEST(PlainSpecs, RunAndAreProfiledOnADevice) {
  const TempFolder folder;
  if (!has_opencl(folder)) GTEST_SKIP() << "no OpenCL device here";
  folder.write("add.cl", "__kernel void add(__global float* x) { x[get_global_id(0)] = 1; }\n");
  folder.write("add.toml", R"([kernel]
file = "add.cl"
function = "add"
arguments = [{ name = "x", type = "float*", length = 4096, access = "write" }]
[launch]
global = 4096
local = 64
)");
  const Finished profiled = run_wattune(folder, {"profile", "add.toml", "--device", "opencl"});
  EXPECT_EQ(profiled.status, 0) << profiled.err;
  const Finished together =
      run_wattune(folder, {"corun", "add.toml", "add.toml", "--device", "opencl", "--repeats", "1"});
  EXPECT_EQ(together.status, 0) << together.err;
}

TEST(PlainSpecs, TakeInfinityAndAllIntegersOfSixtyFourBits) {
  const TempFolder folder;
  write_host_spec(
      folder,
      "{ name = \"a\", type = \"float\", value = -inf },\n{ name = \"b\", type = \"double\", value = nan },\n"
      "{ name = \"n\", type = \"ulong\", value = 18446744073709551615 },\n",
      "",
      "void add(float* x, float a, double b, unsigned long n) {\n"
      "  for (int i = 0; i < 64; ++i) x[i] = a < -3e38f && a * 0 != 0 && b != b && n + 1 == 0 ? 1 : 0;\n}\n");
  const Finished finished = run_wattune(folder, {"run", "add.toml", "--device", "host:0"});
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
}

TEST(PlainSpecs, RefuseAFloatThatWouldBeInfiniteInOneLine) {
  const TempFolder folder;
  write_host_spec(folder, "{ name = \"a\", type = \"float\", value = 1e39 },\n", "",
                  "void add(float* x, float a) { x[0] = a; }\n");
  const Finished finished = run_wattune(folder, {"tune", "add.toml", "--device", "host:0"});
  EXPECT_NE(finished.status, 0);
  EXPECT_THAT(finished.err, HasSubstr("add.toml:6:39: argument `a`: 1e+39 does not fit float32"));
  EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
}

// The reference sees OpenCL's vectors of three in the room of four.
TEST(PlainSpecs, PassVectorsOfThreeInOpencl) {
  const TempFolder folder;
  if (!has_opencl(folder)) GTEST_SKIP() << "no OpenCL device here";
  folder.write("add.cl", R"(
__kernel void add(__global float3* y, __global const float3* x, float3 o, uchar4 c) {
  size_t i = get_global_id(0);
  y[i] = x[i] + o * c.w;
})");
  folder.write("reference.cc", R"(#include <cstddef>
extern "C" void reference(void* const* a, const std::size_t* n) {
  float* y = static_cast<float*>(a[0]);
  const float* x = static_cast<const float*>(a[1]);
  const float* o = static_cast<const float*>(a[2]);
  for (std::size_t i = 0; i < n[0] / 4; ++i)
    for (int k = 0; k < 3; ++k) y[4 * i + k] = x[4 * i + k] + 7 * o[k];
})");
  folder.write("add.toml", R"([kernel]
file = "add.cl"
function = "add"
arguments = [
  { name = "y", type = "float3*", length = 256, access = "write" },
  { name = "x", type = "float3*", length = 256 },
  { name = "o", type = "float3", value = [1, 2.5, -3] },
  { name = "c", type = "uchar4", value = [0, 0, 0, 7] },
]
[launch]
global = 256
local = 64
[reference]
file = "reference.cc"
)");
  const Finished finished = run_wattune(folder, {"run", "add.toml", "--device", "opencl"});
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
}

TEST(PlainSpecs, WarnOfAParameterThatNothingReads) {
  const TempFolder folder;
  write_host_spec(folder, "", "[parameters]\nunused = [1, 2]\n", kOnes);
  for (const char* command : {"space", "run"}) {
    std::vector<std::string> arguments{command, "add.toml"};
    if (std::string(command) == "run") arguments.insert(arguments.end(), {"--device", "host:0", "--check", "never"});
    const Finished finished = run_wattune(folder, arguments);
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("add.toml:10:1: nothing reads the parameter `unused`"));
    if (std::string(command) == "space") {
      EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    }
  }
}

}  // namespace
}  // namespace wattune::cli_test
