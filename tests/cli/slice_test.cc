// `wattune slice`, which needs neither a device nor an assembler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "cli/run_program.h"
#include "wait.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kTwoKernels[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry whole(.param .u64 p)
{
	griddepcontrol.wait;
	ret;
}
.visible .entry scale(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .f32 %f<3>;
	.reg .b64 %rd<3>;
	mov.u32 %r1, %ctaid.x;
	ld.param.u64 %rd1, [p];
	red.global.add.f32 [%rd1], %f1;
	setmaxnreg.dec.sync.aligned.u32 40;
	ret;
}
)";

class Slice : public testing::Test {
 protected:
  Slice() { folder_.write("k.ptx", kTwoKernels); }

  std::string refused(const std::vector<std::string>& arguments) {
    const Finished finished = run_wattune(folder_, arguments);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    return finished.err;
  }

  TempFolder folder_;
};

TEST_F(Slice, SaysTheTwinOrTheConstructAndLineOfEachForm) {
  const Finished finished = run_wattune(folder_, {"slice", "k.ptx"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("k.ptx for sm_90"));
  EXPECT_THAT(finished.out, HasSubstr("add, linear, guard, persistent  -          -        -       refused, line 6: "
                                      "`griddepcontrol.wait`: it orders whole grids"));
  EXPECT_THAT(finished.out, HasSubstr("scale__wattune_add"));
  EXPECT_THAT(finished.out, HasSubstr("refused, line 17: `setmaxnreg.dec.sync.aligned.u32`"));
  EXPECT_THAT(finished.out, HasSubstr("line 16: sums of floating-point numbers depend on the order of blocks"));
}

TEST_F(Slice, SaysTheSameInJson) {
  const auto json = run_wattune(folder_, {"slice", "k.ptx", "--json", "--forms", "persistent,add"}).json();
  EXPECT_EQ(json["architecture"], "sm_90");
  const auto& whole = json["kernels"][0];
  EXPECT_EQ(whole["forms"][1]["form"], "add");
  EXPECT_EQ(whole["forms"][1]["obstacles"][0]["line"], 6);
  const auto& scale = json["kernels"][1];
  EXPECT_EQ(scale["special_registers"][0], "%ctaid.x");
  EXPECT_EQ(scale["order_sensitive"]["line"], 16);
  EXPECT_EQ(scale["declared"]["parameter_bytes"], 8);
  EXPECT_FALSE(scale["forms"][0].contains("twin"));
  EXPECT_EQ(scale["forms"][1]["twin"], "scale__wattune_add");
  EXPECT_EQ(scale["forms"][1]["parameter_index"], 1);
}

// Its warps may return in part where a row of threads does not consist of whole warps.
TEST_F(Slice, SaysTheBlocksThatATwinCanRun) {
  folder_.write("rows.ptx", R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry rows(.param .u32 n)
{
	.reg .pred %p<3>;
	.reg .b32 %r<8>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	shr.u32 %r6, %r5, 5;
	setp.ge.u32 %p1, %r6, %r1;
	@%p1 ret;
	shfl.sync.bfly.b32 %r7|%p2, %r4, 1, 31, -1;
	ret;
}
)");
  EXPECT_THAT(run_wattune(folder_, {"slice", "rows.ptx"}).out,
              HasSubstr("rows__wattune_persistent, where block.x is a multiple of 32"));
  const auto json = run_wattune(folder_, {"slice", "rows.ptx", "--json", "--forms", "persistent,add"}).json();
  const auto& forms = json["kernels"][0]["forms"];
  EXPECT_EQ(forms[0]["blocks"], "whole_warps");
  EXPECT_FALSE(forms[1].contains("blocks"));
}

TEST_F(Slice, WritesTheTextWithItsTwins) {
  ASSERT_EQ(run_wattune(folder_, {"slice", "k.ptx", "--forms", "linear", "-o", "twins.ptx"}).status, 0);
  const std::string text = folder_.read("twins.ptx");
  EXPECT_THAT(text, HasSubstr(".visible .entry scale(.param .u64 p)"));
  EXPECT_THAT(text, HasSubstr(".visible .entry scale__wattune_linear("));
  EXPECT_THAT(text, Not(HasSubstr("scale__wattune_add")));
  EXPECT_THAT(refused({"slice", "k.ptx", "-o", "twins.ptx"}), HasSubstr("twins.ptx"));
  EXPECT_THAT(refused({"slice", "twins.ptx"}), HasSubstr("this text has twins"));
}

TEST_F(Slice, EndsWithOneWhereNothingCanBeCut) {
  EXPECT_EQ(run_wattune(folder_, {"slice", "k.ptx", "--forms", "persistent"}).status, 1);
}

TEST_F(Slice, RefusesWhatIsNoPtx) {
  folder_.write("k.cubin",
                "\x7f"
                "ELF\2\1\1");
  folder_.write("cut.ptx", std::string(kTwoKernels).substr(0, std::string(kTwoKernels).find("ret;")));
  EXPECT_THAT(refused({"slice", "k.cubin"}), HasSubstr("k.cubin: this is machine code (SASS) without PTX"));
  EXPECT_THAT(refused({"slice", "cut.ptx"}), HasSubstr("cut.ptx:5:1: the body of `whole` is never closed"));
  EXPECT_THAT(refused({"slice", "none.ptx"}), HasSubstr("none.ptx"));
  EXPECT_EQ(refused({"slice", "k.ptx", "--forms", "adds"}),
            "wattune: error: unknown form: `adds` (did you mean `add`?)\n");
}

// An assembler is at work when the program is killed. Temporary files are in a separate folder.
TEST_F(Slice, ThatIsKilledLeavesNeitherItsAssemblerNorAFile) {
  for (const char* folder : {"toolkit/bin", "temporary"}) std::filesystem::create_directories(folder_.path() / folder);
  folder_.write("toolkit/bin/ptxas", "#!/bin/sh\necho $$ > " + (folder_.path() / "pid").string() + "\nsleep 3600\n");
  std::filesystem::permissions(folder_.path() / "toolkit/bin/ptxas", std::filesystem::perms::owner_all);
  const std::filesystem::path before = std::filesystem::temp_directory_path();
  const char* const toolkit = std::getenv("CUDA_HOME");
  const std::string kept = toolkit != nullptr ? toolkit : "";
  setenv("CUDA_HOME", (folder_.path() / "toolkit").c_str(), 1);
  setenv("TMPDIR", (folder_.path() / "temporary").c_str(), 1);
  RunningProgram slice(folder_, {"slice", "k.ptx"});
  pid_t assembler = 0;
  ASSERT_TRUE(slice.wait_until([&] {
    std::ifstream(folder_.path() / "pid") >> assembler;
    return assembler > 0;
  }));
  kill(slice.pid(), SIGKILL);
  slice.wait();
  // The test keeps the outputs of the program in this folder; only folders count as left behind.
  const auto left = [&] {
    const std::filesystem::directory_iterator all(folder_.path() / "temporary");
    return !gone(assembler) || std::any_of(begin(all), end(all), [](const auto& each) { return each.is_directory(); });
  };
  EXPECT_TRUE(test::wait_until([&] { return !left(); }));
  setenv("TMPDIR", before.c_str(), 1);
  toolkit != nullptr ? setenv("CUDA_HOME", kept.c_str(), 1) : unsetenv("CUDA_HOME");
}

}  // namespace
}  // namespace wattune::cli_test
