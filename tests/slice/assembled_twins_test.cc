// Twins of generated kernels, which ptxas must accept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "slice/interface/twins.h"

namespace wattune::inline v0_1::slice {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> find_ptxas() {
  const char* home = std::getenv("CUDA_HOME");
  for (const fs::path& folder : {fs::path(home == nullptr ? "" : home), fs::path("/usr/local/cuda")})
    if (fs::exists(folder / "bin/ptxas")) return (folder / "bin/ptxas").string();
  if (std::system("ptxas --version >/dev/null 2>&1") == 0) return "ptxas";
  return std::nullopt;
}

// A part of a generated kernel's body, with its declarations.
struct Part {
  const char* declarations;
  const char* body;
};

constexpr Part kParts[] = {
    {"", "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.y; mad.lo.u32 %r3, %r1, %r2, %r3;"},
    {"", "cvt.u32.u16 %r1, %ctaid.y; add.u32 %r3, %r3, %r1;"},
    {"", "mov.u16 %h1, %nctaid.z; cvt.u32.u16 %r1, %h1; add.u32 %r3, %r3, %r1;"},
    {"", "mov.v4.u32 {%r1, %r2, %r4, _}, %ctaid; add.u32 %r3, %r2, %r4;"},
    {"", "mov.v4.u16 {%h1, %h2, _, %h2}, %nctaid; cvt.u32.u16 %r1, %h1; add.u32 %r3, %r3, %r1;"},
    {".reg .v4 .b32 %v;", "mov.v4.b32 %v, %ctaid; add.u32 %r3, %v.x, %v.z;"},
    {"", "cvt.u64.u32 %rd2, %ctaid.z; cvt.u32.u64 %r1, %rd2; add.u32 %r3, %r3, %r1;"},
    {".shared .align 4 .b8 s[512];",
     "mov.u32 %r1, %tid.x; st.shared.u32 [s+4], %r1; bar.sync 0; ld.shared.u32 %r3, [s+8];"},
    {"", "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 60; @%p1 bra $end;"},
    {"", "{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 r; call.uni (r), indexed, (a); ld.param.b32 %r3, [r]; }"},
    {"", "shfl.sync.down.b32 %r3, %r3, 1, 31, 0xffffffff;"},
    {"", "bar.sync 1, 64;"},
    {"", "mov.u32 %r5, 0; $loop: bar.sync 0; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 9; @%p2 bra $loop;"},
    {"", "$wait: ld.volatile.global.u32 %r5, [%rd1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra $wait;"},
};
constexpr std::size_t kKinds = std::size(kParts);

constexpr char kFunctions[] = R"(.func (.param .b32 r) indexed(.param .b32 a)
{
	.reg .b32 %r<4>;
	ld.param.b32 %r1, [a];
	mov.u32 %r2, %ctaid.x;
	add.u32 %r1, %r1, %r2;
	st.param.b32 [r], %r1;
	ret;
}
)";

// Returns a kernel of two kinds of parts, in this order.
std::string kernel_of(std::size_t first, std::size_t second) {
  std::string text = fmt::format(".visible .entry k{}_{}(.param .u64 p)\n.maxntid 128, 1, 1\n{{\n", first, second);
  text += ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<4>;\n";
  text += kParts[first].declarations;
  if (first != second) text += kParts[second].declarations;
  text += "ld.param.u64 %rd1, [p]; mov.u32 %r3, 1;\n";
  text += kParts[first].body;
  if (first != second) text += fmt::format("\n{}", kParts[second].body);
  return text + "\nst.global.u32 [%rd1], %r3;\n$end: ret;\n}\n";
}

std::string all_kernels(const std::string& target) {
  std::string text = fmt::format(".version 8.7\n.target {}\n.address_size 64\n{}", target, kFunctions);
  for (std::size_t first = 0; first < kKinds; ++first)
    for (std::size_t second = 0; second < kKinds; ++second) text += kernel_of(first, second);
  return text;
}

TwinModule all_twins(const std::string& target) {
  const PtxTree tree = parse_ptx(all_kernels(target), "k.ptx").value();
  return add_twins(tree, {TwinForm::add, TwinForm::linear, TwinForm::guard, TwinForm::persistent}).value();
}

// The kernels that wait (2 * 14 - 1 of 196) have no twin. Persistent twins are also refused for kernels whose lanes may
// have returned before a shuffle, and for two kinds of barriers.
TEST(AssembledTwins, AreMadeOrRefusedByTheKernelsParts) {
  const TwinModule module = all_twins("sm_90");
  const auto made = [&](TwinForm form) { return std::ranges::count(module.twins, form, &Twin::form); };
  EXPECT_EQ(made(TwinForm::add), 196 - 27);
  EXPECT_EQ(made(TwinForm::linear), 196 - 27);
  EXPECT_EQ(made(TwinForm::guard), 196 - 27);
  EXPECT_EQ(made(TwinForm::persistent), 196 - 27 - 3);
}

TEST(AssembledTwins, AreTakenByTheAssemblerForOldAndNewArchitectures) {
  const std::optional<std::string> ptxas = find_ptxas();
  if (!ptxas) GTEST_SKIP() << "no ptxas is installed here";
  std::string folder = fs::temp_directory_path() / "wattune_twins_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  for (const std::string target : {"sm_75", "sm_100"}) {
    const std::string file = folder + "/" + target;
    std::ofstream(file + ".ptx") << all_twins(target).text;
    const std::string command =
        fmt::format("{0} -O0 -arch={1} -o {2}.cubin {2}.ptx > {2}.log 2>&1", *ptxas, target, file);
    EXPECT_EQ(std::system(command.c_str()), 0) << std::ifstream(file + ".log").rdbuf();
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace wattune::slice
