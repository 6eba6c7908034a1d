#include "slice/interface/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slice/ptx_samples.h"

namespace wattune::inline v0_1::slice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using enum TwinForm;

constexpr std::array<TwinForm, kTwinForms> kForms = {add, linear, guard, persistent};

PtxTree parsed(const std::string& text) { return parse_ptx(text, "k.ptx").value(); }

// Returns a text such as "3: griddepcontrol.wait: it ..." for the last kernel; empty if nothing forbids the form.
std::string obstacle(const std::string& text, TwinForm form) {
  const PtxTree tree = parsed(text);
  const KernelAnalysis kernel = analyse(tree).back();
  const Obstacle* found = kernel.obstacle_to(form);
  if (found == nullptr) return "";
  return std::to_string(*found->position.line) + ": " + found->construct + ": " + found->reason;
}

// Returns the obstacle in a body, which begins at line 11 of entry_with().
std::string obstacle_in(const std::string& body, TwinForm form) { return obstacle(entry_with(body), form); }

void expect_refused(const std::string& body, const std::string& construct) {
  for (const TwinForm form : kForms) EXPECT_THAT(obstacle_in(body, form), StartsWith("11: " + construct + ": "));
}

// Expects an obstacle with these words to the persistent form only.
void expect_not_persistent(const std::string& body, const std::string& words) {
  for (const TwinForm form : {add, linear, guard}) EXPECT_EQ(obstacle_in(body, form), "") << body;
  EXPECT_THAT(obstacle_in(body, persistent), HasSubstr(words)) << body;
}

void expect_allowed(const std::string& body) {
  for (const TwinForm form : kForms) EXPECT_EQ(obstacle_in(body, form), "") << body;
}

TEST(TwinForm, HasANameAndBack) {
  for (const TwinForm form : kForms) EXPECT_EQ(twin_form(to_string(form)), form);
  EXPECT_EQ(twin_form("box"), std::nullopt);
}

TEST(Obstacle, IsWhatWorksOnWholeGrids) {
  expect_refused("mov.u32 %r1, %envreg2; ret;", "%envreg2");
  expect_refused("griddepcontrol.wait; ret;", "griddepcontrol.wait");
  expect_refused("clusterlaunchcontrol.try_cancel.async.b128 [%r1], [%r2]; ret;",
                 "clusterlaunchcontrol.try_cancel.async.b128");
}

TEST(Obstacle, IsWhatWorksOnClusters) {
  expect_refused("mov.u32 %r1, %cluster_ctarank; ret;", "%cluster_ctarank");
  expect_refused("barrier.cluster.arrive.aligned; ret;", "barrier.cluster.arrive.aligned");
  expect_refused("mapa.u64 %rd1, %rd2, %r1; ret;", "mapa.u64");
  const std::string text = kHead + ".entry k()\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{ ret; }";
  EXPECT_THAT(obstacle(text, add), StartsWith("5: .explicitcluster: blocks of a cluster"));
}

TEST(Obstacle, IsNotAStateSpaceThatSaysClusterAlone) {
  expect_allowed(".shared .b32 s[4]; ld.shared::cluster.u32 %r1, [s]; st.shared::cta.u32 [s], %r1; ret;");
}

TEST(Obstacle, IsALaunchFromTheDevice) {
  const std::string text = kHead + ".extern .func (.param .b32 r) cudaLaunchDeviceV2_ptsz(.param .b64 a);\n" +
                           ".entry k() { call (_), cudaLaunchDeviceV2_ptsz, (0); ret; }";
  EXPECT_THAT(obstacle(text, guard), StartsWith("4: cudaLaunchDeviceV2_ptsz: a device-side launch"));
}

TEST(Obstacle, IsCodeThatIsElsewhere) {
  const std::string head = kHead + ".extern .func vprintf(.param .b64 a);\n.extern .func other();\n";
  EXPECT_EQ(obstacle(head + ".entry k() { call vprintf, (0); ret; }", add), "");
  EXPECT_THAT(obstacle(head + ".entry k() { call other; ret; }", add), StartsWith("5: other: its code is not in"));
  EXPECT_EQ(obstacle(head + ".entry k() { call other; ret; }", guard), "");
}

TEST(Obstacle, IsAnIndirectCallOnlyWhereItMayReachWhoReadsTheIndex) {
  const std::string reads = ".func f() { .reg .u32 %r1; mov.u32 %r1, %ctaid.x; ret; }\n";
  const std::string reads_not = ".func f() { ret; }\n";
  const std::string table = ".global .u64 t[1] = {f};\n";
  const std::string call =
      ".entry k() { .reg .u64 %rd1; ld.global.u64 %rd1, [t]; call %rd1, (), p; p: .callprototype _ (); ret; }";
  EXPECT_EQ(obstacle(kHead + reads_not + table + call, add), "");
  EXPECT_THAT(obstacle(kHead + reads + table + call, add), HasSubstr("call through a register: it may reach `f`"));
  EXPECT_THAT(obstacle(kHead + reads + table + call, persistent), HasSubstr("it may reach `f`"));
  EXPECT_EQ(obstacle(kHead + reads + table + call, guard), "");
}

// The loops wait for a flag, for a lock, and for a counter that is read by adding nothing.
TEST(Obstacle, IsALoopThatWaitsForAnotherBlock) {
  for (const char* read : {"ld.volatile.global.u32 %r1, [%rd1];", "ld.acquire.gpu.u32 %r1, [%rd1+4];",
                           "mov.u32 %r3, 0; atom.global.cas.b32 %r1, [%rd1], %r3, 1;",
                           "atom.global.exch.b32 %r1, [%rd1], 1;", "atom.add.u32 %r1, [%rd1], 0;"}) {
    const std::string loop = std::string("$w: ") + read + " setp.eq.u32 %p1, %r1, %r2; @%p1 bra $w; ret;";
    for (const TwinForm form : kForms)
      EXPECT_THAT(obstacle_in(loop, form), HasSubstr("a loop that goes on by it may wait for another block")) << read;
  }
}

// The inner loop waits although the outer one moves on, as in a scan that looks back.
TEST(Obstacle, IsAWaitInsideALoop) {
  EXPECT_THAT(obstacle_in("$o: add.u64 %rd1, %rd1, 4;\n$w: ld.volatile.global.u32 %r1, [%rd1];\n"
                          "setp.eq.u32 %p1, %r1, 0; @%p1 bra $w; @%p2 bra $o; ret;",
                          add),
              StartsWith("12: ld.volatile.global.u32"));
}

TEST(Obstacle, IsNoExchangeThatIsTriedAgainWithWhatItFound) {
  expect_allowed(
      "ld.global.u32 %r1, [%rd1]; $a: mov.u32 %r2, %r1; add.u32 %r3, %r2, 5;\n"
      "atom.global.cas.b32 %r1, [%rd1], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra $a; ret;");
  expect_allowed(
      "$a: ld.volatile.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 5;\n"
      "atom.global.cas.b32 %r1, [%rd1], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra $a; ret;");
}

TEST(Obstacle, IsNoLoopOverMemoryThatChangesItsAddress) {
  expect_allowed(
      "$a: ld.volatile.global.u32 %r1, [%rd1]; add.u64 %rd1, %rd1, 4; setp.ne.u32 %p1, %r1, 0;\n"
      "@%p1 bra $a; ret;");
  expect_allowed(".shared .b32 s[4]; $a: ld.volatile.shared.u32 %r1, [s]; setp.ne.u32 %p1, %r1, 0; @%p1 bra $a; ret;");
  expect_allowed(
      "$a: ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r2, %r2, %r1; add.u32 %r3, %r3, 1;\n"
      "setp.lt.u32 %p1, %r3, 9; @%p1 bra $a; ret;");
}

// Such accesses are refused if the twin has its own 16 bytes there, or places them in between.
TEST(PersistentObstacle, IsSharedMemoryAtAPlainNumber) {
  const std::string words = "its address comes from no shared variable";
  expect_not_persistent("shl.b32 %r1, %tid.x, 2; st.shared.u32 [%r1], %r2; ret;", words);
  expect_not_persistent("ld.shared.u32 %r1, [16]; ret;", words);
  expect_not_persistent("mov.u32 %r1, 0; @%p1 mov.u32 %r1, s; .shared .b32 s[4]; st.shared.u32 [%r1], %r2; ret;",
                        words);
  expect_not_persistent("ld.global.u32 %r1, [%rd1]; atom.shared.add.u32 %r2, [%r1], 1; ret;", words);
  expect_not_persistent("ld.param.u32 %r1, [k_param_0]; red.shared.add.u32 [%r1], 1; ret;", words);
  expect_not_persistent("mov.u64 %rd1, 8; cvta.shared.u64 %rd2, %rd1; st.u32 [%rd2], %r2; ret;", words);
  expect_not_persistent("cp.async.ca.shared.global [%r1], [%rd1], 4; ret;", words);
  expect_allowed(".shared .b32 s[4]; mov.u32 %r1, s; mad.lo.u32 %r2, %r3, 4, %r1; st.shared.u32 [%r2], %r3; ret;");
  expect_allowed(
      ".shared .b32 s[4]; ld.shared.u32 %r1, [s+4]; cvta.to.shared.u64 %rd1, %rd2; ld.shared.u32 %r1, [%rd1]; ret;");
}

TEST(PersistentObstacle, IsAPlainNumberThatACallHandsOver) {
  const std::string store =
      ".func f(.param .u32 a) { .reg .u32 %r1; ld.param.u32 %r1, [a]; st.shared.u32 [%r1], 1; ret; }\n";
  const auto entry = [&](const std::string& number) {
    return kHead + ".shared .b32 s[4];\n" + store + ".entry k() { .reg .u32 %r1; .param .u32 p; mov.u32 %r1, " +
           number + "; st.param.u32 [p], %r1; call f, (p); ret; }";
  };
  EXPECT_EQ(obstacle(entry("s"), persistent), "");
  EXPECT_THAT(obstacle(entry("4"), persistent), HasSubstr("its address comes from no shared variable"));
  EXPECT_EQ(obstacle(entry("4"), guard), "");
}

TEST(PersistentObstacle, IsWhatABlockLeavesBehind) {
  expect_not_persistent("setmaxnreg.dec.sync.aligned.u32 40; ret;", "11: setmaxnreg.dec.sync.aligned.u32: registers");
  expect_not_persistent("mbarrier.init.shared.b64 [%r1], 1; ret;", "must not be initialised again");
  expect_not_persistent("alloca.u64 %rd1, 16; ret;", "more of the stack");
  expect_not_persistent("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; ret;", "no tensor memory");
  expect_not_persistent("mov.u32 %r1, %total_smem_size; ret;", "more shared memory");
}

TEST(PersistentObstacle, IsSharedMemoryUpToTheLimit) {
  expect_not_persistent(".shared .align 4 .b8 s[49152]; ret;", "49152 bytes of static shared memory");
  expect_allowed(".shared .align 4 .b8 s[49136]; ret;");
}

TEST(PersistentObstacle, IsAnArchitectureWhoseWarpsDoNotPart) {
  const std::string text = ".version 8.0\n.target sm_60\n.address_size 64\n.entry k() { ret; }";
  EXPECT_THAT(obstacle(text, persistent), HasSubstr("sm_60 in PTX 8.0"));
  EXPECT_EQ(obstacle(text, add), "");
}

TEST(PersistentObstacle, IsAThreadThatLeavesInsideAFunction) {
  const std::string text = kHead + ".func f() { exit; }\n.entry k() { call f; ret; }";
  EXPECT_THAT(obstacle(text, persistent), StartsWith("4: exit: a thread that leaves inside a function"));
  EXPECT_EQ(obstacle(text, guard), "");
}

// Counted barriers may all be in use. All threads meet at barriers without a count, so that any free one serves.
TEST(PersistentObstacle, IsThatAllSixteenBarriersCountThreads) {
  std::string fifteen;
  for (int i = 0; i < 15; ++i) fifteen += "bar.sync " + std::to_string(i) + ", 64; ";
  expect_allowed(fifteen + "ret;");
  expect_not_persistent(fifteen + "bar.arrive 15, 64; ret;", "11: bar.arrive: all sixteen barriers count threads");
  expect_allowed(fifteen + "bar.sync 15; ret;");
}

TEST(PersistentObstacle, IsABarrierThatARegisterChooses) {
  expect_not_persistent("bar.sync %r1, 64; ret;", "leaves none that is known to be free");
}

// Operations of a warp wait for lanes that have returned, which still run in a twin, unless the mask holds only active
// lanes.
TEST(PersistentObstacle, IsAWarpThatMayWaitForReturnedThreads) {
  const std::string early = "mov.u32 %r1, %laneid; setp.gt.u32 %p1, %r1, 7; @%p1 ret; ";
  expect_not_persistent(early + "shfl.sync.down.b32 %r2, %r3, 1, 31, 0xffffffff; ret;",
                        "threads of the warp may return before it");
  expect_not_persistent(early + "bar.warp.sync -1; ret;", "threads of the warp may return before it");
  expect_not_persistent(early + "mov.u32 %r5, -1; shfl.sync.down.b32 %r2, %r3, 1, 31, %r5; ret;",
                        "threads of the warp may return before it");
  expect_allowed(early + "activemask.b32 %r5; shfl.sync.down.b32 %r2, %r3, 1, 31, %r5; ret;");
  expect_allowed("shfl.sync.down.b32 %r2, %r3, 1, 31, 0xffffffff; " + early + "ret;");
}

// In the last step of a reduction, whole warps leave, and one goes on.
TEST(PersistentObstacle, IsNoWarpThatGoesOnAsAWhole) {
  expect_allowed(
      "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 31; @%p1 bra $e;\n"
      "shfl.sync.down.b32 %r2, %r3, 1, 31, 0xffffffff; $e: ret;");
  expect_allowed(
      "mov.u32 %r1, %tid.x; shr.u32 %r4, %r1, 5; setp.ne.u32 %p1, %r4, 0; @%p1 bra $e;\n"
      "shfl.sync.down.b32 %r2, %r3, 1, 31, 0xffffffff; $e: ret;");
  expect_not_persistent(
      "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 30; @%p1 bra $e;\n"
      "shfl.sync.down.b32 %r2, %r3, 1, 31, 0xffffffff; $e: ret;",
      "threads of the warp may return before it");
}

TEST(PersistentObstacle, IsAReductionThatReturnedThreadsWouldSpoil) {
  const std::string early = "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 63; @%p1 ret; ";
  expect_not_persistent(early + "bar.red.popc.u32 %r3, 0, %p2; ret;", "only plain ones can let them take part");
  expect_allowed("bar.red.popc.u32 %r3, 0, %p2; ret;");
}

// Whole warps may return before a barrier. If only some threads of a warp return, the others wait for them where both
// ways join.
TEST(PersistentObstacle, IsABarrierBehindWhatPartsAWarp) {
  const std::string by_thread = "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, %r2; @%p1 ret; bar.sync 0; ret;";
  expect_not_persistent(by_thread, "some threads of a warp may return before this barrier");
  const std::string loop =
      ".shared .b32 s[4]; $a: bar.sync 0; ld.shared.u32 %r1, [s]; setp.ne.u32 %p1, %r1, 0; @%p1 bra $a; ret;";
  expect_not_persistent(loop, "some threads of a warp may return before this barrier");
  expect_allowed("mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 63; @%p1 ret; bar.sync 0; ret;");
}

TEST(Analysis, NamesWhatIsReadThroughCalls) {
  const PtxTree tree = parsed(kHead + ".func f() { .reg .u32 %r1; mov.u32 %r1, %ctaid.y; ret; }\n" +
                              ".func unused() { .reg .u32 %r1; mov.u32 %r1, %clock; ret; }\n" +
                              ".entry k() { .reg .u32 %r1; call f; mov.u32 %r1, %tid.x; ret; }");
  EXPECT_THAT(analyse(tree).at(0).special_registers, ElementsAre("%ctaid.y", "%tid.x"));
}

// Returns a text such as "what an exchange leaves ...", or an empty one.
std::string order_cause(const std::string& body) {
  const PtxTree tree = parsed(entry_with(body));
  const auto found = analyse(tree).at(0).order_sensitive;
  return found ? found->reason : "";
}

TEST(Analysis, NamesTheFirstSumOfFloatsThatOrdersMayChange) {
  EXPECT_THAT(order_cause("red.global.add.f32 [%rd1], %f1; ret;"), StartsWith("sums of floating-point numbers"));
  EXPECT_THAT(order_cause("atom.global.add.noftz.f16x2 %r1, [%rd1], %r2; ret;"), StartsWith("sums of floating-point"));
  EXPECT_EQ(order_cause("red.global.add.u32 [%rd1], %r1; atom.global.max.f32 %f1, [%rd1], %f2; ret;"), "");
}

TEST(Analysis, NamesAtomicOperationsWhoseResultsDependOnTheOrder) {
  const std::string finds = "what an atomic operation finds";
  EXPECT_THAT(order_cause("atom.global.add.u32 %r1, [%rd1], 1; add.u32 %r2, %r1, 1; ret;"), StartsWith(finds));
  EXPECT_THAT(order_cause("atom.global.inc.u32 %r1, [%rd1], 7; st.global.u32 [%rd2], %r1; ret;"), StartsWith(finds));
  EXPECT_EQ(order_cause("atom.global.add.u32 %r1, [%rd1], 1; ret;"), "");
  EXPECT_EQ(order_cause("atom.global.add.u32 _, [%rd1], 1; ret;"), "");
  EXPECT_EQ(order_cause("atom.shared.add.u32 %r1, [%r3], 1; add.u32 %r2, %r1, 1; ret;"), "");
  EXPECT_THAT(order_cause("atom.global.exch.b32 %r1, [%rd1], %r2; ret;"), StartsWith("what an exchange leaves"));
  EXPECT_THAT(order_cause("atom.global.cas.b64 %rd2, [%rd1], %rd3, %rd4; ret;"), StartsWith("what an exchange leaves"));
  EXPECT_THAT(order_cause("ld.volatile.global.u32 %r1, [%rd1]; ret;"), StartsWith("what other blocks have written"));
}

TEST(Analysis, NamesStoresOfAllBlocksAtOnePlace) {
  const std::string index =
      "ld.param.u64 %rd1, [k_param_0]; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %r3;\n"
      "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ";
  const std::string stays = "blocks store different values at one place";
  EXPECT_THAT(order_cause(index + "st.global.u32 [%rd1], %r1; ret;"), StartsWith(stays));
  EXPECT_THAT(
      order_cause(index + "ld.global.u32 %r4, [%rd3]; setp.gt.u32 %p1, %r4, 9; @%p1 st.global.u32 [%rd1+4], %r4; ret;"),
      StartsWith(stays));
  EXPECT_THAT(order_cause(index + "mov.u32 %r5, %tid.x; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4;\n"
                                  "st.global.u32 [%rd5], %r2; ret;"),
              StartsWith(stays));
  EXPECT_EQ(order_cause(index + "st.global.u32 [%rd3], %r1; ret;"), "");
  EXPECT_EQ(order_cause(index + "st.global.u32 [%rd1], 1; ret;"), "") << "all store the same";
  EXPECT_EQ(order_cause(index + "setp.ne.u32 %p1, %r1, 0; @%p1 ret; st.global.u32 [%rd1], %r2; ret;"), "")
      << "one block alone stores";
  EXPECT_EQ(order_cause(index + "setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd1], %r2; ret;"), "");
}

// 12 floats behind 3 bytes begin at 4. Only one of the module's variables is named, and counts.
TEST(Analysis, CountsDeclaredResources) {
  const PtxTree tree =
      parsed(kHead +
             ".shared .align 8 .b8 m[16];\n.shared .b8 unused[999];\n.extern .shared .b8 dynamic[];\n"
             ".entry k(.param .u32 a, .param .u64 b, .param .align 4 .b8 c[12])\n.maxntid 32, 4, 2\n.minnctapersm 3\n"
             ".maxnreg 40\n{ .reg .u32 %r1; .local .align 8 .b8 l[24]; .shared .b8 s[3]; .shared .f32 t[12];\n"
             "mov.u32 %r1, m; mov.u32 %r1, dynamic; ret; }");
  const DeclaredResources resources = analyse(tree).at(0).resources;
  EXPECT_EQ(resources.parameter_bytes, 4u + 4 + 8 + 12);
  EXPECT_EQ(resources.shared_bytes, 4u + 48 + 4 + 16);
  EXPECT_TRUE(resources.dynamic_shared);
  EXPECT_EQ(resources.local_bytes, 24u);
  EXPECT_EQ(resources.max_threads, 256u);
  EXPECT_EQ(resources.min_blocks, 3u);
  EXPECT_EQ(resources.max_registers, 40u);
}

}  // namespace
}  // namespace wattune::slice
