// Kernels that wait for other blocks, and kernels that do not: as nvcc compiles them, and in forms that only PTX has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "slice/interface/analysis.h"
#include "slice/ptx_samples.h"
#include "source_dir.h"

namespace wattune::inline v0_1::slice {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

PtxTree parse_compiled_kernels() {
  const std::string file = std::string(WATTUNE_SOURCE_DIR) + "/tests/slice/waits.ptx";
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return parse_ptx(text.str(), "waits.ptx").value();
}

// Returns the tree, whose text the analyses refer to.
const PtxTree& compiled_kernels() {
  static const PtxTree tree = parse_compiled_kernels();
  return tree;
}

// Returns the read by which a loop may wait; empty if there is none.
std::string wait_in(const KernelAnalysis& kernel) {
  for (const Obstacle& obstacle : kernel.obstacles)
    if (obstacle.forms.all() && obstacle.reason.ends_with("may wait for another block")) return obstacle.construct;
  return "";
}

std::string wait_in_text(const std::string& text) { return wait_in(analyse(parse_ptx(text, "k.ptx").value()).back()); }

std::string wait_in_body(const std::string& body) { return wait_in_text(entry_with(body)); }

TEST(Waits, AreRefusedAsCompiled) {
  std::vector<std::string> waiting;
  std::vector<std::string> accepted;
  for (const KernelAnalysis& kernel : analyse(compiled_kernels())) {
    if (!kernel.name.starts_with("wait_")) continue;
    waiting.emplace_back(kernel.name);
    if (wait_in(kernel).empty()) accepted.emplace_back(kernel.name);
  }
  EXPECT_THAT(waiting, SizeIs(29));
  EXPECT_THAT(accepted, IsEmpty());
}

TEST(Waits, AreNotSeenWhereNobodyWaits) {
  std::vector<std::string> harmless;
  std::vector<std::string> refused;
  for (const KernelAnalysis& kernel : analyse(compiled_kernels())) {
    if (!kernel.name.starts_with("free_")) continue;
    harmless.emplace_back(kernel.name);
    if (kernel.obstacle_to(TwinForm::guard) != nullptr) refused.emplace_back(kernel.name);
  }
  EXPECT_THAT(harmless, SizeIs(11));
  EXPECT_THAT(refused, IsEmpty());
}

TEST(Waits, ReadInManyWays) {
  for (const char* read :
       {"ld.global.u32 %r1, [%rd1];", "ld.global.v2.u32 {%r1, %r4}, [%rd1];", "ld.u32 %r1, [%rd1];",
        "ld.weak.global.cg.u32 %r1, [%rd1];", "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];",
        "@%p2 ld.global.cv.u32 %r1, [%rd1];", "atom.global.or.b32 %r1, [%rd1], 0;", "atom.max.u32 %r1, [%rd1], 0;",
        "suld.b.1d.b32.trap %r1, [surface, {%r4}];", "multimem.ld_reduce.global.add.u32 %r1, [%rd1];"}) {
    const std::string loop = std::string("$w: ") + read + " setp.eq.u32 %p1, %r1, %r2; @%p1 bra $w; ret;";
    EXPECT_NE(wait_in_body(loop), "") << read;
  }
}

TEST(Waits, AreNoReadsOfWhatStays) {
  for (const char* read :
       {"ld.global.nc.u32 %r1, [%rd1];", "ld.const.u32 %r1, [%rd1];", "ld.param.u32 %r1, [k_param_0];",
        "ld.shared.u32 %r1, [%r3];", "ld.local.u32 %r1, [%r3];", "atom.shared.or.b32 %r1, [%r3], 0;",
        "tex.1d.v4.u32.s32 {%r1, _, _, _}, [texture, {%r4}];", "atom.global.add.u32 _, [%rd1], 1;",
        "mbarrier.try_wait.shared.b64 %p3, [%r3], %rd2; selp.u32 %r1, 1, 0, %p3;"}) {
    const std::string loop = std::string("$w: ") + read + " setp.eq.u32 %p1, %r1, %r2; @%p1 bra $w; ret;";
    EXPECT_EQ(wait_in_body(loop), "") << read;
  }
}

TEST(Waits, EndByBranchTablesReturnsAndChosenValues) {
  EXPECT_NE(wait_in_body("t: .branchtargets $w, $e; $w: ld.global.u32 %r1, [%rd1]; brx.idx %r1, t; $e: ret;"), "");
  EXPECT_NE(wait_in_body("$w: ld.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 ret; bra $w;"), "");
  EXPECT_NE(wait_in_body("$w: ld.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 mov.u32 %r2, 1;\n"
                         "setp.eq.u32 %p2, %r2, 0; @%p2 bra $w; ret;"),
            "");
  EXPECT_NE(wait_in_body("$w: ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra $s; mov.u32 %r2, 1;\n"
                         "$s: setp.eq.u32 %p2, %r2, 0; @%p2 bra $w; ret;"),
            "");
}

// The loop depends on a value that was read before it.
TEST(Waits, AreOfTheLoopThatTheReadIsIn) {
  EXPECT_EQ(wait_in_body("ld.global.u32 %r1, [%rd1]; $w: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1;\n"
                         "@%p1 bra $w; ret;"),
            "");
  EXPECT_EQ(wait_in_body("$o: ld.global.u32 %r1, [%rd1]; mov.u32 %r2, 0;\n"
                         "$i: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra $i;\n"
                         "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r4; @%p2 bra $o; ret;"),
            "");
}

TEST(Waits, PassThroughParametersOfEachCallAlone) {
  const std::string functions =
      ".func (.param .b32 r) read(.param .b64 p) { .reg .b32 %r1; .reg .b64 %rd1; ld.param.b64 %rd1, [p];\n"
      "ld.global.u32 %r1, [%rd1]; st.param.b32 [r], %r1; ret; }\n"
      ".func (.param .b32 r) next(.param .b32 a) { .reg .b32 %r1; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 1;\n"
      "st.param.b32 [r], %r1; ret; }\n";
  const auto loop = [&](const std::string& decides) {
    return kHead + functions +
           ".entry k() { .reg .pred %p1; .reg .b32 %r<4>; .reg .b64 %rd1;\n"
           "$w: { .param .b64 a; .param .b32 r; st.param.b64 [a], %rd1; call (r), read, (a); ld.param.b32 %r1, [r]; }\n"
           "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r2; call (r), next, (a); ld.param.b32 %r2, [r]; }\n"
           "setp.lt.u32 %p1, " +
           decides + ", 9; @%p1 bra $w; ret; }";
  };
  EXPECT_EQ(wait_in_text(loop("%r1")), "call");
  EXPECT_EQ(wait_in_text(loop("%r2")), "");
}

// Variables of a thread or a block are not shared with other blocks, although their addresses are generic.
TEST(Waits, AreNoReadsOfOwnVariablesByGenericAddresses) {
  const auto loop = [](const std::string& address) {
    return address + "$w: ld.u32 %r1, [%rd2+8]; setp.lt.u32 %p1, %r1, 9; @%p1 bra $w; ret;";
  };
  EXPECT_EQ(wait_in_body(loop(".local .b8 own[16]; mov.u64 %rd1, own; cvta.local.u64 %rd2, %rd1; ")), "");
  EXPECT_EQ(wait_in_body(loop(".shared .b8 own[16]; mov.u64 %rd1, own; cvta.shared.u64 %rd2, %rd1; ")), "");
  EXPECT_EQ(wait_in_body(loop("ld.param.u64 %rd1, [k_param_0]; add.u64 %rd2, %rd1, 4; ")), "ld.u32");
}

TEST(Waits, AreNotExchangesThatOnlyInterferenceRepeats) {
  const auto loop = [](const std::string& expected, const std::string& test) {
    return "$a: " + expected + " atom.global.cas.b32 %r1, [%rd1], %r2, %r3; " + test + " ret;";
  };
  const std::string again = "setp.ne.u32 %p1, %r1, %r2; @%p1 bra $a;";
  EXPECT_EQ(wait_in_body(loop("mov.u32 %r2, %r1;", again)), "");
  EXPECT_EQ(wait_in_body(loop("ld.global.u32 %r2, [%rd1];", again)), "");
  EXPECT_EQ(wait_in_body(loop("mov.u32 %r2, %r1;", "setp.eq.u32 %p1, %r1, %r2; @!%p1 bra $a;")), "");
  const std::string swap = "atom.global.cas.b32";
  EXPECT_EQ(wait_in_body(loop("add.u32 %r2, %r1, 1;", again)), swap) << "waits for what it does not find";
  EXPECT_EQ(wait_in_body(loop("@%p2 mov.u32 %r2, %r1;", again)), swap) << "may keep an old value";
  EXPECT_EQ(wait_in_body(loop("ld.global.u32 %r2, [%rd1+4];", again)), "ld.global.u32") << "compares two places";
  EXPECT_EQ(wait_in_body(loop("mov.u32 %r2, %r1;", again + " setp.lt.u32 %p2, %r1, 9; @%p2 bra $a;")), swap);
  EXPECT_EQ(wait_in_body(loop("mov.u32 %r2, %r1;", "setp.lt.u32 %p1, %r1, %r2; @%p1 bra $a;")), swap);
}

TEST(Waits, AreNotReadsWhoseAddressMovesOnEachTime) {
  const auto loop = [](const std::string& step) {
    return "$a: ld.global.u32 %r1, [%rd1]; " + step + " setp.ne.u32 %p1, %r1, 0; @%p1 bra $a; ret;";
  };
  EXPECT_EQ(wait_in_body(loop("add.s64 %rd1, %rd1, 4;")), "");
  EXPECT_EQ(wait_in_body(loop("add.u32 %r3, %r3, 2; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd1, %rd2, %rd3;")), "");
  EXPECT_EQ(wait_in_body(loop("add.u32 %r4, %r3, 1; mov.u32 %r3, %r4; mul.wide.u32 %rd2, %r3, 4;\n"
                              "add.s64 %rd1, %rd3, %rd2;")),
            "");
  for (const char* step : {"@%p2 add.s64 %rd1, %rd1, 4;", "add.s64 %rd1, %rd1, %rd2;", "xor.b64 %rd1, %rd1, 4;",
                           "add.s64 %rd1, %rd1, 4; add.s64 %rd1, %rd1, -4;", "add.s64 %rd1, %rd1, 0;",
                           "add.u32 %r3, %r3, 0x80000000; mul.wide.u32 %rd2, %r3, 1; add.s64 %rd1, %rd2, %rd3;",
                           "add.u16 %r3, %r3, 1; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd1, %rd2, %rd3;",
                           "add.u32 %r3, %r3, 1; and.b32 %r4, %r3, 7; mul.wide.u32 %rd1, %r4, 4;",
                           "@%p2 bra $s; add.s64 %rd1, %rd1, 4; $s:"})
    EXPECT_EQ(wait_in_body(loop(step)), "ld.global.u32") << step;
}

// A search ends when its bounds meet, whatever it reads.
TEST(Waits, AreNotSearchesThatHalveWhatIsLeft) {
  const auto loop = [](const std::string& middle, const std::string& choice, const std::string& test) {
    return "$a: " + middle + " mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r6, [%rd3];\n" +
           "setp.lt.u32 %p1, %r6, %r7; add.u32 %r8, %r5, 1; " + choice + " " + test + " @%p2 bra $a; ret;";
  };
  const std::string sum = "add.u32 %r3, %r1, %r2; shr.u32 %r5, %r3, 1;";
  const std::string difference = "sub.u32 %r3, %r2, %r1; shr.u32 %r4, %r3, 1; add.u32 %r5, %r4, %r1;";
  const std::string closes = "selp.b32 %r1, %r8, %r1, %p1; selp.b32 %r2, %r2, %r5, %p1;";
  const std::string goes_on = "setp.lt.u32 %p2, %r1, %r2;";
  EXPECT_EQ(wait_in_body(loop(sum, closes, goes_on)), "");
  EXPECT_EQ(wait_in_body(loop(difference, closes, "setp.gt.u32 %p2, %r2, %r1;")), "");
  const std::string to_64_bits =
      "cvt.s64.s32 %rd4, %r1; cvt.s64.s32 %rd5, %r2; add.s64 %rd6, %rd4, %rd5; shr.s64 %rd7, %rd6, 1;"
      "cvt.u32.u64 %r5, %rd7;";
  EXPECT_EQ(wait_in_body(loop(to_64_bits, closes, goes_on)), "");
  const std::string read = "ld.global.u32";
  const auto rounded_to_zero = [](const std::string& signed_number) {
    return "sub.s32 %r3, %r2, %r1; shr.u32 %r9, " + signed_number +
           ", 31; add.s32 %r10, %r3, %r9; shr.s32 %r11, %r10, 1; add.s32 %r5, %r11, %r1;";
  };
  EXPECT_EQ(wait_in_body(loop(rounded_to_zero("%r3"), closes, goes_on)), "");
  EXPECT_EQ(wait_in_body(loop(rounded_to_zero("%r2"), closes, goes_on)), read) << "the sign of another number";
  EXPECT_EQ(wait_in_body(loop(sum, closes, "setp.le.u32 %p2, %r1, %r2;")), read) << "goes on where they have met";
  EXPECT_EQ(wait_in_body(loop(sum, "selp.b32 %r1, %r5, %r1, %p1; selp.b32 %r2, %r2, %r5, %p1;", goes_on)), read)
      << "the lower bound may stay";
  EXPECT_EQ(wait_in_body(loop(sum, "selp.b32 %r1, %r8, %r1, %p1; selp.b32 %r2, %r5, %r2, %p1;", goes_on)), read)
      << "both may stay";
  EXPECT_EQ(wait_in_body(loop(sum, "selp.b32 %r1, %r8, %r1, %p1; selp.b32 %r2, %r2, %r5, %p3;", goes_on)), read);
  EXPECT_EQ(wait_in_body(loop("shr.u32 %r5, %r3, 1;", closes, goes_on)), read) << "no middle";
  EXPECT_EQ(wait_in_body(loop(sum, "@%p3 " + closes, goes_on)), read) << "not each time";
}

// Each round takes the next piece of work, and a read only ends the loop early.
TEST(Waits, AreNotLoopsThatShareOutTheGridsWork) {
  const auto loop = [](const std::string& stride, const std::string& step, const std::string& test) {
    return stride + " $a: ld.volatile.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 bra $e; " + step + " " +
           test + " @%p2 bra $a; $e: ret;";
  };
  const std::string blocks = "mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ntid.x; mul.lo.u32 %r5, %r3, %r4;";
  const std::string step = "add.u32 %r6, %r6, %r5;";
  const std::string goes_on = "setp.lt.u32 %p2, %r6, %r7;";
  EXPECT_EQ(wait_in_body(loop(blocks, step, goes_on)), "");
  EXPECT_EQ(wait_in_body(loop("mov.u32 %r3, %nctaid.x; shl.b32 %r5, %r3, 11;", step, goes_on)), "");
  const std::string read = "ld.volatile.global.u32";
  EXPECT_EQ(wait_in_body(loop("mov.u32 %r5, %ntid.x;", step, goes_on)), read) << "tries so many times";
  EXPECT_EQ(wait_in_body(loop("", "add.u32 %r6, %r6, 1;", goes_on)), read);
  EXPECT_EQ(wait_in_body(loop(blocks, "@%p3 " + step, goes_on)), read) << "may stay";
  EXPECT_EQ(wait_in_body(loop(blocks, step, "setp.ne.u32 %p2, %r6, %r7;")), read) << "may step over its end";
  EXPECT_EQ(wait_in_body(loop(blocks, step, "add.u32 %r7, %r7, %r5; " + goes_on)), read) << "the end moves too";
  EXPECT_EQ(wait_in_body(loop(blocks, step + " mov.u32 %r6, 0;", goes_on)), read) << "begins anew";
  EXPECT_EQ(wait_in_body(
                loop(blocks, "$b: ld.global.u32 %r8, [%rd2]; setp.eq.u32 %p3, %r8, 0; @%p3 bra $b; " + step, goes_on)),
            "ld.global.u32")
      << "waits inside";
}

TEST(Waits, AreAskedOfForeignCodeToo) {
  const std::string head =
      kHead + ".extern .func (.param .b32 r) other();\n.extern .func (.param .b64 r) malloc(.param .b64 n);\n";
  const std::string loop =
      ".entry k() { .reg .pred %p1; .reg .b32 %r1; .reg .b64 %rd1; .param .b32 r; .param .b64 n;\n$w: ";
  EXPECT_EQ(wait_in_text(head + loop +
                         "call (r), other; ld.param.b32 %r1, [r]; setp.eq.u32 %p1, %r1, 0; @%p1 bra $w; ret; }"),
            "call");
  EXPECT_EQ(
      wait_in_text(head + loop +
                   "call (n), malloc, (n); ld.param.b64 %rd1, [n]; setp.eq.u64 %p1, %rd1, 0; @%p1 bra $w; ret; }"),
      "");
}

}  // namespace
}  // namespace wattune::slice
