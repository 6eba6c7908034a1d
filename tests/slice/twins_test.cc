#include "slice/interface/twins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slice/interface/slice_words.h"
#include "slice/ptx_samples.h"

namespace wattune::inline v0_1::slice {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using enum TwinForm;

TwinModule with_twins(const std::string& text, const std::vector<TwinForm>& forms) {
  return add_twins(parse_ptx(text, "k.ptx").value(), forms).value();
}

// Returns the text of kernel k's twin.
std::string twin_of(const std::string& text, TwinForm form) {
  const TwinModule module = with_twins(text, {form});
  const PtxTree tree = parse_ptx(module.text, "twins.ptx").value();
  return std::string(tree.find(module.find("k", form)->name)->text);
}

std::string twin_of_body(const std::string& body, TwinForm form) { return twin_of(entry_with(body), form); }

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

const std::string kReadsX = "mov.u32 %r1, %ctaid.x; ret;\n";

TEST(Twins, LeaveEveryOtherByteAlone) {
  const std::string text = kModule;
  const TwinModule module = with_twins(text, {add, persistent});
  std::size_t at = 0;
  const std::string head = text.substr(0, text.find("\t.section"));
  EXPECT_TRUE(module.text.starts_with(head.substr(0, head.rfind('}') + 1)));
  at = module.text.find("\t.section");
  EXPECT_EQ(module.text.substr(at), text.substr(text.find("\t.section")));
}

// No assembler accepts such a return. The replacement of the instruction also replaces its operand.
TEST(Twins, OfAReturnWithASpecialRegisterCanBeRead) {
  const std::string twin = twin_of_body("@%p1 ret %ctaid.y; mov.u32 %r1, %tid.x; ret;", persistent);
  EXPECT_THAT(twin, HasSubstr("@%p1 bra"));
  EXPECT_EQ(count(twin, "ret %"), 0U);
}

TEST(Twins, StandBehindTheirKernelWithItsLinkageAndDirectives) {
  const TwinModule module = with_twins(kModule, {persistent});
  const PtxTree tree = parse_ptx(module.text, "twins.ptx").value();
  const PtxFunction& twin = *tree.find("k__wattune_persistent");
  EXPECT_TRUE(twin.entry);
  EXPECT_EQ(twin.linkage, "visible");
  EXPECT_EQ(twin.directive("maxntid")->text, ".maxntid 256, 1, 1");
  EXPECT_EQ(twin.directive("minnctapersm")->text, ".minnctapersm 2");
  ASSERT_THAT(twin.parameters, SizeIs(3));
  EXPECT_EQ(twin.parameters.back().dimensions.at(0), sizeof(PersistentWords));
}

TEST(Twins, SayWhereTheirWordsAre) {
  const TwinModule module = with_twins(kModule, {linear});
  ASSERT_THAT(module.twins, SizeIs(1));
  EXPECT_EQ(module.twins[0].kernel, "k");
  EXPECT_EQ(module.twins[0].parameter_index, 2u);
  EXPECT_EQ(module.twins[0].parameter_offset, 8u + 24);
  EXPECT_EQ(module.twins[0].parameter_bytes, sizeof(LinearWords));
  EXPECT_EQ(module.find("k", add), nullptr);
}

TEST(Twins, GiveAKernelWithoutParametersOne) {
  for (const char* parameters : {"", "()", "( )"}) {
    const TwinModule module = with_twins(kHead + ".entry k" + parameters + "{ ret; }", {add});
    const PtxTree tree = parse_ptx(module.text, "twins.ptx").value();
    EXPECT_THAT(tree.find("k__wattune_add")->parameters, SizeIs(1)) << parameters;
    EXPECT_EQ(module.twins[0].parameter_offset, 0u);
  }
}

TEST(Twins, AreNotMadeTwice) {
  const TwinModule module = with_twins(kModule, {add});
  const auto again = add_twins(parse_ptx(module.text, "twins.ptx").value(), {add});
  EXPECT_EQ(again.error().code(), ErrorCode::already_exists);
}

TEST(Twins, AreLeftOutWhereAnObstacleStands) {
  const TwinModule module = with_twins(entry_with("setmaxnreg.dec.sync.aligned.u32 40; ret;"), {add, persistent});
  ASSERT_THAT(module.twins, SizeIs(1));
  EXPECT_EQ(module.twins[0].form, add);
  EXPECT_THAT(with_twins(entry_with("griddepcontrol.wait; ret;"), {add, guard}).twins, IsEmpty());
}

TEST(AddTwin, AddsTheOriginWhereTheIndexIsRead) {
  EXPECT_THAT(twin_of_body(kReadsX, add), HasSubstr("ld.param.u32 %wattune_origin, [wattune_words+0];\n\t"
                                                    "mov.u32 %wattune_block_x, %ctaid.x;\n\t"
                                                    "add.u32 %wattune_block_x, %wattune_block_x, %wattune_origin;\n\t"
                                                    "mov.u32 %r1, %wattune_block_x;"));
  EXPECT_THAT(twin_of_body("mov.u32 %r1, %ctaid.z; ret;", add), HasSubstr("[wattune_words+8]"));
}

TEST(AddTwin, GivesTheSizeOfTheWholeGrid) {
  const std::string twin = twin_of_body("mov.u32 %r1, %nctaid.y; ret;", add);
  EXPECT_THAT(twin, HasSubstr("ld.param.u32 %wattune_grid_y, [wattune_words+16];"));
  EXPECT_THAT(twin, Not(HasSubstr("%nctaid")));
}

TEST(AddTwin, KeepsGuardsOfWhatReads) {
  EXPECT_THAT(twin_of_body("@!%p1 mov.u32 %r1, %ctaid.x; ret;", add),
              HasSubstr("%wattune_origin;\n\t@!%p1 mov.u32 %r1, %wattune_block_x;"));
}

// Old code reads 16 bits, or all axes as one vector.
TEST(Twin, ReadsInWhateverWidthTheKernelDid) {
  EXPECT_THAT(twin_of_body("mov.u16 %rs1, %ctaid.x; ret;", add), HasSubstr("cvt.u16.u32 %rs1, %wattune_block_x;"));
  EXPECT_THAT(twin_of_body("cvt.u32.u16 %r1, %ctaid.x; ret;", add), HasSubstr("cvt.u32.u16 %r1, %wattune_block_x;"));
  EXPECT_THAT(twin_of_body("cvt.rn.f32.u32 %f1, %nctaid.x; ret;", add),
              HasSubstr("cvt.rn.f32.u32 %f1, %wattune_grid_x;"));
  EXPECT_THAT(twin_of_body("mov.v4.u32 {%r1, %r2, %r3, _}, %ctaid; ret;", linear),
              HasSubstr("mov.v4.u32 {%r1, %r2, %r3, _}, {%wattune_block_x, %wattune_block_y, %wattune_block_z, 0};"));
  EXPECT_THAT(twin_of_body("@%p1 mov.v4.u16 {%rs1, _, %rs2, %rs3}, %ctaid; ret;", linear),
              HasSubstr("@%p1 cvt.u16.u32 %rs1, %wattune_block_x;\n\t@%p1 cvt.u16.u32 %rs2, %wattune_block_z;\n\t"
                        "@%p1 cvt.u16.u32 %rs3, 0;"));
}

TEST(LinearTwin, DividesOnlyForTheAxesThatAreRead) {
  const std::string x = twin_of_body(kReadsX, linear);
  EXPECT_EQ(count(x, "mul.wide.u32"), 1u);
  EXPECT_EQ(count(x, "%ctaid"), 1u);
  EXPECT_EQ(count(twin_of_body("mov.u32 %r1, %ctaid.z; ret;", linear), "mul.wide.u32"), 2u);
  EXPECT_EQ(count(twin_of_body("mov.u32 %r1, %nctaid.z; ret;", linear), "mul.wide.u32"), 0u);
}

TEST(GuardTwin, LeavesTheKernelAsItIs) {
  const std::string twin = twin_of_body(kReadsX, guard);
  EXPECT_THAT(twin, HasSubstr("mov.u32 %r1, %ctaid.x; ret;"));
  EXPECT_EQ(count(twin, "@%wattune_outside exit;"), 2u);
}

TEST(Clone, IsGivenWhatItsFunctionReads) {
  const std::string text = kHead +
                           ".func (.param .b32 r) inner(.param .b32 a) { .reg .u32 %r<3>; mov.u32 %r1, %ctaid.y;\n"
                           "st.param.b32 [r], %r1; ret; }\n"
                           ".func outer { call (_), inner, (1); ret; }\n.func other() { ret; }\n"
                           ".entry k() { call outer; call other; ret; }\n.entry l() { call other; ret; }";
  const TwinModule module = with_twins(text, {add});
  EXPECT_THAT(module.text,
              AllOf(HasSubstr("inner__wattune(.param .b32 a, .param .b32 wattune_block_y)"),
                    HasSubstr("ld.param.b32 %wattune_block_y, [wattune_block_y];"),
                    HasSubstr("call (_), inner__wattune, (1, wattune_block_y_argument);"),
                    HasSubstr("outer__wattune(.param .b32 wattune_block_y)"),
                    HasSubstr("call outer__wattune, (wattune_block_y_argument);"), Not(HasSubstr("other__wattune"))));
  EXPECT_TRUE(parse_ptx(module.text, "twins.ptx"));
}

TEST(Clone, PassesRegistersWhereItsFunctionDoes) {
  const std::string text = kHead + ".func f(.reg .u32 a) { .reg .u32 %r1; mov.u32 %r1, %ctaid.x; ret; }\n" +
                           ".entry k() { .reg .u32 %r1; call f, (%r1); ret; }";
  EXPECT_THAT(with_twins(text, {linear}).text, AllOf(HasSubstr("f__wattune(.reg .u32 a, .reg .b32 %wattune_block_x)"),
                                                     HasSubstr("call f__wattune, (%r1, %wattune_block_x);")));
}

TEST(Clone, FollowsADeclarationToo) {
  const std::string text =
      kHead + ".func f();\n.entry k() { call f; ret; }\n" + ".func f() { .reg .u32 %r1; mov.u32 %r1, %ctaid.x; ret; }";
  EXPECT_EQ(count(with_twins(text, {add}).text, ".func f__wattune(.param .b32 wattune_block_x)"), 2u);
}

TEST(PersistentTwin, TurnsReturnsIntoTheNextBlock) {
  const std::string twin = twin_of_body("@%p1 ret; mov.u32 %r1, %ctaid.x; exit;", persistent);
  EXPECT_THAT(twin, HasSubstr("@%p1 bra wattune_end_of_block;"));
  EXPECT_THAT(twin, HasSubstr("mov.u32 %r1, %wattune_block_x; bra wattune_end_of_block;"));
  EXPECT_THAT(twin, Not(HasSubstr("ret;")));
  EXPECT_EQ(count(twin, "exit;"), 1u) << "the one that ends the twin";
}

TEST(PersistentTwin, ReadsNoIndexOfItsOwn) {
  EXPECT_THAT(twin_of_body("mov.v4.u32 {%r1, %r2, %r3, %r4}, %ctaid; mov.u32 %r1, %nctaid.x; ret;", persistent),
              Not(ContainsRegex("%n?ctaid")));
}

// Each appears twice: for a chunk that is waited for, and for one that is taken ahead.
TEST(PersistentTwin, TakesOneChunkAtATimeAndLooksAtTheStopWordFirst) {
  const std::string twin = twin_of_body("ret;", persistent);
  EXPECT_EQ(count(twin, "atom.global.add.u32"), 2u);
  EXPECT_EQ(count(twin, "ld.volatile.global.u32"), 2u);
  EXPECT_LT(twin.find("ld.volatile.global.u32"), twin.find("atom.global.add.u32"));
}

constexpr char kMeeting[] = "wattune_end_of_block:\n\tbar.sync 0;";
constexpr char kNoMeeting[] = "wattune_end_of_block:\n\tbar.warp.sync 0xffffffff;";

TEST(PersistentTwin, MeetsBetweenBlocksOnlyWhereThreadsShareSomething) {
  EXPECT_THAT(twin_of_body(kReadsX, persistent), HasSubstr(kNoMeeting));
  EXPECT_THAT(twin_of_body(".shared .b8 s[64]; ret;", persistent), HasSubstr(kMeeting));
  EXPECT_THAT(twin_of_body("cvta.to.shared.u64 %rd1, %rd2; st.shared.u32 [%rd1], %r2; ret;", persistent),
              HasSubstr(kMeeting));
  EXPECT_THAT(twin_of_body("bar.sync 0; ret;", persistent), HasSubstr(kMeeting));
}

TEST(PersistentTwin, MeetsAtABarrierThatCountsNoThreads) {
  const std::string twin = twin_of_body("bar.sync 0, 64; bar.sync 1, 64; ret;", persistent);
  EXPECT_THAT(twin, HasSubstr("wattune_end_of_block:\n\tbar.sync 2;"));
  EXPECT_THAT(twin, HasSubstr("wattune_take:\n\tbar.sync 2;"));
}

// All threads run such a loop equally often.
TEST(PersistentTwin, KeepsBarriersThatAllThreadsReach) {
  const std::string loop =
      ".shared .b8 s[64]; ld.param.u64 %rd1, [k_param_0]; mov.u32 %r1, 0;\n"
      "$a: bar.sync 0; add.u32 %r1, %r1, 1; cvt.u64.u32 %rd2, %r1; setp.lt.u64 %p1, %rd2, %rd1; @%p1 bra $a; ret;";
  EXPECT_THAT(twin_of_body(loop, persistent), AllOf(HasSubstr(kMeeting), Not(HasSubstr("barrier.red"))));
}

// Threads that only skip a part meet the others again before any barrier.
TEST(PersistentTwin, KeepsBarriersBehindWhatSomeThreadsSkip) {
  const std::string skip =
      ".shared .b8 s[64]; mov.u32 %r2, s; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 7; @%p1 bra $b; st.shared.u32 "
      "[%r2], %r1; $b: bar.sync 0; ret;";
  EXPECT_THAT(twin_of_body(skip, persistent), Not(HasSubstr("barrier.red")));
}

TEST(PersistentTwin, LetsReturnedWarpsTakePartInLaterBarriers) {
  const std::string early = "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 63; @%p1 ret; bar.sync 3; bar.sync 0; ret;";
  const std::string twin = twin_of_body(early, persistent);
  EXPECT_EQ(count(twin, "barrier.red.or.pred %wattune_again, 0, %wattune_inside;"), 2u);
  EXPECT_EQ(count(twin, "barrier.red.or.pred %wattune_again, 0, %wattune_not;"), 1u);
  EXPECT_THAT(twin, Not(HasSubstr("bar.sync 3")));
}

TEST(PersistentTwin, AwaitsCopiesThatMayStillRun) {
  EXPECT_THAT(twin_of_body(".shared .b8 s[64]; cp.async.ca.shared.global [s], [%rd1], 4; ret;", persistent),
              HasSubstr("wattune_end_of_block:\n\tcp.async.wait_all;\n\tbar.sync 0;"));
  EXPECT_THAT(twin_of_body("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16; ret;", persistent),
              HasSubstr("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n\tbar.sync 0;"));
}

}  // namespace
}  // namespace wattune::slice
