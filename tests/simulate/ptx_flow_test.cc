// Branches, calls, ends, barriers, and exchanges between the threads of a warp.
#include "simulate/ptx_harness.h"

namespace wattune::inline v0_1::simulate {
namespace {

// Returns an entry `k(out)` whose threads store the 32 bits of %d at their index, which is %i.
std::string storing(const std::string& instructions, const std::string& before = "") {
  return kPtxHead + before + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p, %q;
  .reg .b32 %d, %i, %n, %m, %r<10>;
  .reg .b64 %to, %at, %rd<5>;
  mov.u32 %i, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mov.u32 %m, %tid.x;
  mad.lo.u32 %i, %i, %n, %m;
  mov.u32 %d, 0;
)" + instructions +
         R"(
STORE:
  ld.param.u64 %to, [out];
  mul.wide.u32 %at, %i, 4;
  add.u64 %to, %to, %at;
  st.global.u32 [%to], %d;
  ret;
}
)";
}

Result<std::vector<std::uint32_t>> stored(const std::string& text, std::size_t threads, std::size_t blocks = 1,
                                          const PtxRunOptions& options = {}) {
  PtxProgram program(text);
  const std::uint64_t out = program.upload(std::vector<std::uint32_t>(threads * blocks), "out");
  WATTUNE_TRY(program.run("k", blocks, threads, options, out));
  return program.download<std::uint32_t>(out, threads * blocks);
}

std::vector<std::uint32_t> values(std::size_t count, std::uint32_t (*value)(std::uint32_t)) {
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t i = 0; i < count; ++i) all[i] = value(i);
  return all;
}

TEST(PtxFlow, LoopsEndForEachThreadWhenItIsDone) {
  // The sum 1 + ... + i.
  const std::string text = storing(R"(
  mov.u32 %n, 0;
LOOP:
  setp.ge.u32 %p, %n, %i;
  @%p bra STORE;
  add.u32 %n, %n, 1;  add.u32 %d, %d, %n;
  bra LOOP;)");
  EXPECT_EQ(stored(text, 70).value(), values(70, [](std::uint32_t i) { return i * (i + 1) / 2; }));
}

TEST(PtxFlow, WaysOfABranchMeetBehindIt) {
  // After the branch all 32 threads are active again.
  const std::string text = storing(R"(
  and.b32 %n, %i, 1;
  setp.eq.u32 %p, %n, 0;
  @%p bra EVEN;
  add.u32 %d, %d, 7;
  bra BOTH;
EVEN:
  add.u32 %d, %d, 9;
BOTH:
  activemask.b32 %m;
  popc.b32 %m, %m;
  add.u32 %d, %d, %m;)");
  EXPECT_EQ(stored(text, 32).value(), values(32, [](std::uint32_t i) { return i % 2 == 0 ? 41u : 39u; }));
}

TEST(PtxFlow, TablesOfBranchesAreIndexed) {
  const std::string text = storing(R"(
  rem.u32 %n, %i, 3;
ts: .branchtargets A, B, C;
  brx.idx %n, ts;
A: mov.u32 %d, 10;
  bra STORE;
B: mov.u32 %d, 20;
  bra STORE;
C: mov.u32 %d, 30;)");
  EXPECT_EQ(stored(text, 40).value(), values(40, [](std::uint32_t i) { return (i % 3 + 1) * 10; }));
}

const std::string kFibonacci = R"(
.func (.param .b32 result) fib(.param .b32 n)
{
  .reg .pred %p;
  .reg .b32 %n, %a, %b;
  ld.param.u32 %n, [n];
  setp.lt.u32 %p, %n, 2;
  @%p bra DONE;
  {
    .param .b32 x;
    .param .b32 y;
    sub.u32 %a, %n, 1;
    st.param.b32 [x], %a;
    call.uni (y), fib, (x);
    ld.param.b32 %a, [y];
    sub.u32 %b, %n, 2;
    st.param.b32 [x], %b;
    call.uni (y), fib, (x);
    ld.param.b32 %b, [y];
    add.u32 %n, %a, %b;
  }
DONE:
  st.param.b32 [result], %n;
  ret;
}
)";

TEST(PtxFlow, FunctionsCallThemselvesAtDifferentDepths) {
  const std::string text = storing(R"(
  rem.u32 %n, %i, 10;
  {
    .param .b32 x;
    .param .b32 y;
    st.param.b32 [x], %n;
    call (y), fib, (x);
    ld.param.b32 %d, [y];
  })",
                                   kFibonacci);
  constexpr std::array<std::uint32_t, 10> kFib = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  const std::vector<std::uint32_t> results = stored(text, 64).value();
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], kFib[i % 10]);
}

TEST(PtxFlow, FunctionsAreCalledByAddressEachThreadItsOwn) {
  const std::string functions = R"(
.func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }
.func (.reg .b32 r) square(.reg .b32 x) { mul.lo.u32 r, x, x; ret; }
.global .u64 table[2] = {twice, square};
)";
  const std::string text = storing(R"(
  and.b32 %n, %i, 1;
  mul.wide.u32 %rd0, %n, 8;
  mov.u64 %rd1, table;
  add.u64 %rd0, %rd0, %rd1;
  ld.global.u64 %rd2, [%rd0];
proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  call (%d), %rd2, (%i), proto;)",
                                   functions);
  EXPECT_EQ(stored(text, 40).value(), values(40, [](std::uint32_t i) { return i % 2 == 0 ? i + i : i * i; }));
}

TEST(PtxFlow, EndlessRecursionIsAnError) {
  const std::string text = storing("  call deeper;", ".func deeper() { .local .b64 room[64]; call deeper; ret; }\n");
  const auto result = stored(text, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(), "calls nest too deep");
}

TEST(PtxFlow, EndlessLoopsAreAnError) {
  const auto result = stored(storing("LOOP: bra LOOP;"), 32, 1, {.most_instructions = 10'000});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::timeout);
  EXPECT_EQ(result.error().to_string(),
            "k.ptx:15:7: kernel `k`, block (0, 0, 0), thread (0, 0, 0): the kernel has not ended after 10000 "
            "instructions: `bra LOOP;`");
}

TEST(PtxFlow, ALockIsTakenByOneThreadOfTheWarpAfterTheOther) {
  // The thread that has the lock is ahead of those that spin for it at a lower address.
  const std::string text = storing(R"(
SPIN:
  atom.global.cas.b32 %n, [lock], 0, 1;
  setp.ne.u32 %p, %n, 0;
  @%p bra SPIN;
  ld.global.u32 %d, [count];
  add.u32 %m, %d, 1;
  st.global.u32 [count], %m;
  membar.gl;
  atom.global.exch.b32 %n, [lock], 0;)",
                                   ".global .u32 lock;\n.global .u32 count;\n");
  std::vector<std::uint32_t> results = stored(text, 64).value();
  std::ranges::sort(results);
  EXPECT_EQ(results, values(64, [](std::uint32_t i) { return i; }));
}

TEST(PtxFlow, ATrapEndsTheRunWithItsThread) {
  const auto result = stored(storing("setp.eq.u32 %p, %i, 37;\n  @%p trap;"), 64);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().to_string().find("thread (37, 0, 0): the kernel ended itself: `@%p trap;`"),
            std::string::npos)
      << result.error().to_string();
}

TEST(PtxWarp, ShufflesFollowTheirModes) {
  const auto shuffled = [](const std::string& mode, const std::string& b, const std::string& c) {
    return stored(storing("shfl.sync." + mode + ".b32 %d|%p, %i, " + b + ", " + c + ", -1;"), 32).value();
  };
  EXPECT_EQ(shuffled("idx", "5", "31"), values(32, [](std::uint32_t) { return 5u; }));
  EXPECT_EQ(shuffled("up", "1", "0"), values(32, [](std::uint32_t i) { return i == 0 ? 0 : i - 1; }));
  EXPECT_EQ(shuffled("down", "4", "31"), values(32, [](std::uint32_t i) { return i > 27 ? i : i + 4; }));
  EXPECT_EQ(shuffled("bfly", "16", "31"), values(32, [](std::uint32_t i) { return i ^ 16; }));
  // Segments of eight (mask 0x18, above bit 8): beyond the end of its segment each thread keeps its own value.
  EXPECT_EQ(shuffled("down", "2", "0x181f"), values(32, [](std::uint32_t i) { return i % 8 > 5 ? i : i + 2; }));
}

TEST(PtxWarp, ThreadsInDifferentWaysOfABranchShuffleTogether) {
  const std::string text = storing(R"(
  and.b32 %n, %i, 1;
  setp.eq.u32 %p, %n, 0;
  @%p bra EVEN;
  shfl.sync.bfly.b32 %d, %i, 1, 31, -1;
  bra STORE;
EVEN:
  shfl.sync.bfly.b32 %d, %i, 1, 31, -1;)");
  EXPECT_EQ(stored(text, 32).value(), values(32, [](std::uint32_t i) { return i ^ 1; }));
}

TEST(PtxWarp, GroupsOfThreadsExchangeByTheirOwnMasks) {
  // Threads of equal remainder by 4 vote whether all of them are below 28.
  const std::string text = storing(R"(
  rem.u32 %n, %i, 4;
  match.any.sync.b32 %m, %n, -1;
  setp.lt.u32 %p, %i, 28;
  vote.sync.all.pred %q, %p, %m;
  vote.sync.ballot.b32 %r0, %p, %m;
  popc.b32 %d, %r0;
  @%q add.u32 %d, %d, 100;
  redux.sync.add.u32 %r1, %i, %m;
  mul.lo.u32 %r1, %r1, 1000;
  add.u32 %d, %d, %r1;)");
  // All but the last of eight threads with remainder r are below 28; their indices add up to 8r + 4 (0 + ... + 7).
  EXPECT_EQ(stored(text, 32).value(), values(32, [](std::uint32_t i) { return 7 + 1000 * (8 * (i % 4) + 4 * 28); }));
}

TEST(PtxWarp, VotesAndMatchesOfAllThreads) {
  const auto all = [](const std::string& instructions) { return stored(storing(instructions), 32).value(); };
  const std::string below_8 = "setp.lt.u32 %p, %i, 8;\n";
  const std::string into_d = "\nselp.u32 %d, 1, 0, %q;";
  EXPECT_EQ(all(below_8 + "vote.sync.any.pred %q, %p, -1;" + into_d), std::vector<std::uint32_t>(32, 1));
  EXPECT_EQ(all(below_8 + "vote.sync.uni.pred %q, %p, -1;" + into_d), std::vector<std::uint32_t>(32, 0));
  EXPECT_EQ(all("setp.lt.u32 %p, %i, 40;\nvote.sync.uni.pred %q, !%p, -1;" + into_d),
            std::vector<std::uint32_t>(32, 1));
  EXPECT_EQ(all(below_8 + "vote.ballot.b32 %d, %p;"), std::vector<std::uint32_t>(32, 0xff));
  EXPECT_EQ(all("shfl.idx.b32 %d, %i, 9, 31;"), std::vector<std::uint32_t>(32, 9));
  EXPECT_EQ(all("match.all.sync.b32 %d|%q, 3, -1;"), std::vector<std::uint32_t>(32, ~0u));
  EXPECT_EQ(all("match.all.sync.b32 %d|%q, %i, -1;"), std::vector<std::uint32_t>(32, 0));
  EXPECT_EQ(all("redux.sync.max.s32 %d, %i, -1;"), std::vector<std::uint32_t>(32, 31));
  std::vector<std::uint32_t> first(32);
  first[0] = 1;
  EXPECT_EQ(all("elect.sync _|%q, -1;" + into_d), first);
}

TEST(PtxWarp, ThreadsThatHaveEndedAreNotWaitedFor) {
  const std::string text = storing(R"(
  setp.ge.u32 %p, %i, 8;
  @%p exit;
  vote.sync.ballot.b32 %d, 1, -1;)");
  EXPECT_EQ(stored(text, 32).value(), values(32, [](std::uint32_t i) { return i < 8 ? 0xffu : 0u; }));
}

TEST(PtxWarp, ThreadsThatNeverComeAreAnError) {
  const auto result = stored(storing(R"(
  setp.eq.u32 %p, %i, 3;
  @%p bra STORE;
  bar.warp.sync -1;
  bra STORE;)"),
                             32);
  EXPECT_TRUE(result);  // thread 3 ends, so the others go on
  const auto stuck = stored(storing(R"(
  setp.eq.u32 %p, %i, 3;
  @%p bra OTHER;
  bar.warp.sync -1;
OTHER:
  bar.sync 0;)"),
                            32);
  ASSERT_FALSE(stuck);
  EXPECT_NE(stuck.error().to_string().find("all threads that are left wait"), std::string::npos);
}

TEST(PtxBarrier, SharedMemoryIsSeenBehindIt) {
  const std::string text = storing(R"(
  mov.u32 %r0, room;
  shl.b32 %r1, %i, 2;
  add.u32 %r1, %r0, %r1;
  st.shared.u32 [%r1], %i;
  bar.sync 0;
  sub.u32 %r2, 99, %i;
  shl.b32 %r2, %r2, 2;
  add.u32 %r2, %r0, %r2;
  ld.shared.u32 %d, [%r2];)",
                                   ".shared .u32 room[100];\n");
  EXPECT_EQ(stored(text, 100).value(), values(100, [](std::uint32_t i) { return 99 - i; }));
}

TEST(PtxBarrier, ThreadsThatLeftEarlyAreNotWaitedFor) {
  const std::string text = storing(R"(
  setp.ge.u32 %p, %i, 40;
  @%p ret;
  bar.sync 0;
  bar.red.popc.u32 %d, 0, 1;)");
  EXPECT_EQ(stored(text, 128).value(), values(128, [](std::uint32_t i) { return i < 40 ? 40u : 0u; }));
}

TEST(PtxBarrier, SomeArriveAndOthersWait) {
  // Warp 0 waits for warp 1, which goes on at once.
  const std::string text = storing(R"(
  setp.lt.u32 %p, %i, 32;
  @%p bra CONSUMER;
  st.shared.u32 [value], 5;
  bar.arrive 1, 64;
  bra STORE;
CONSUMER:
  bar.sync 1, 64;
  ld.shared.u32 %d, [value];)",
                                   ".shared .u32 value;\n");
  EXPECT_EQ(stored(text, 64).value(), values(64, [](std::uint32_t i) { return i < 32 ? 5u : 0u; }));
}

TEST(PtxBarrier, AWarpThatWaitsElsewhereIsADeadlock) {
  const auto result = stored(storing(R"(
  setp.lt.u32 %p, %i, 32;
  @%p bra OTHER;
  bar.sync 1;
  bra STORE;
OTHER:
  bar.sync 2;)"),
                             64);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::launch_failed);
  EXPECT_NE(result.error().to_string().find("wait, this one for others that never come: `bar.sync 2;`"),
            std::string::npos)
      << result.error().to_string();
}

TEST(PtxBarrier, VotesAreOfAllThreads) {
  const std::string text = storing(R"(
  setp.lt.u32 %p, %i, 50;
  bar.red.and.pred %q, 0, %p;
  selp.u32 %n, 100, 0, %q;
  bar.red.or.pred %q, 0, %p;
  selp.u32 %m, 10, 0, %q;
  bar.red.popc.u32 %d, 0, !%p;
  add.u32 %n, %n, %m;
  mad.lo.u32 %d, %d, 1000, %n;)");
  // 14 of 64 are not below 50; not all are, but some.
  EXPECT_EQ(stored(text, 64).value(), values(64, [](std::uint32_t) { return 14010u; }));
}

TEST(PtxRunTest, BlocksThatAreThereTogetherCanWaitForEachOther) {
  // Block 0 waits for the last one, which comes only if all four are resident.
  const std::string text = storing(R"(
  mov.u32 %n, %ctaid.x;
  setp.eq.u32 %p, %n, 0;
  @!%p bra COUNT;
SPIN:
  ld.volatile.global.u32 %d, [arrived];
  setp.lt.u32 %p, %d, 3;
  @%p bra SPIN;
  bra STORE;
COUNT:
  atom.global.add.u32 %d, [arrived], 1;)",
                                   ".global .u32 arrived;\n");
  EXPECT_EQ(stored(text, 1, 4, {.resident_blocks = 4}).value().front(), 3u);
  EXPECT_FALSE(stored(text, 1, 4, {.resident_blocks = 1, .most_instructions = 10'000}));
}

TEST(PtxRunTest, TheOrderOfBlocksIsTheCallers) {
  const std::string text = storing("atom.global.add.u32 %d, [arrived], 1;", ".global .u32 arrived;\n");
  EXPECT_EQ(stored(text, 1, 4, {.order = {2, 0, 3, 1}}).value(), (std::vector<std::uint32_t>{1, 3, 0, 2}));
  EXPECT_EQ(stored(text, 1, 50, {.seed = 3}).value(), stored(text, 1, 50, {.seed = 3}).value());
  EXPECT_NE(stored(text, 1, 50, {.seed = 3}).value(), stored(text, 1, 50, {.seed = 4}).value());
  EXPECT_EQ(stored(text, 1, 4, {.order = {2, 0, 3, 3}}).error().to_string(),
            "kernel `k`: the order of blocks is not each of 4 once");
}

TEST(PtxRunTest, ThreadsKnowWhereTheyAre) {
  // Checks a block of 4 x 2 x 2 in a grid of 2 x 3: the last thread of the last block.
  PtxProgram program(kPtxHead + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %to;
  ld.param.u64 %to, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %tid.y;
  mov.u32 %r2, %tid.z;
  mov.u32 %r3, %ctaid.y;
  st.global.v4.u32 [%to], {%r0, %r1, %r2, %r3};
  mov.u32 %r4, %nctaid.y;
  mov.u32 %r5, %ntid.y;
  mov.u32 %r6, %laneid;
  mov.u32 %r7, %lanemask_lt;
  st.global.v4.u32 [%to+16], {%r4, %r5, %r6, %r7};
}
)");
  const std::uint64_t out = program.upload(std::vector<std::uint32_t>(8));
  ASSERT_TRUE(program.run3("k", {.groups = {2, 3, 1}, .group_size = {4, 2, 2}}, {}, out));
  EXPECT_EQ(program.download<std::uint32_t>(out, 8), (std::vector<std::uint32_t>{3, 1, 1, 2, 3, 2, 15, 0x7fff}));
}

}  // namespace
}  // namespace wattune::simulate
