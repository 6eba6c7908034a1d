// Memory: its spaces, atomics, accesses out of bounds, initial values, and the runtime's functions on it.
#include <functional>
#include <memory>
#include <span>

#include "simulate/ptx_harness.h"

namespace wattune::inline v0_1::simulate {
namespace {

// Returns an entry `k(out)` with these instructions; %o is the address of out.
std::string with_out(const std::string& instructions, const std::string& before = "") {
  return kPtxHead + before + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p;
  .reg .b16 %h<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>, %o;
  ld.param.u64 %o, [out];
  mov.u32 %r0, %tid.x;
)" + instructions +
         "\n}\n";
}

struct MemoryRun {
  Result<PtxCounts> result;
  std::vector<std::uint32_t> words;
  std::string printed;
};

MemoryRun run_words(const std::string& text, std::size_t threads = 1, const PtxRunOptions& options = {},
                    std::vector<std::uint32_t> words = std::vector<std::uint32_t>(8)) {
  PtxProgram program(text);
  const std::uint64_t out = program.upload(words, "out");
  Result<PtxCounts> result = program.run("k", 1, threads, options, out);
  return {std::move(result), program.download<std::uint32_t>(out, words.size()), program.printed};
}

TEST(PtxMemory, VectorsAreLoadedAndStored) {
  const MemoryRun run = run_words(with_out(R"(
  ld.global.v4.u32 {%r1, %r2, _, %r3}, [%o];
  st.global.v2.u32 [%o+16], {%r3, %r1};
  ld.global.nc.L1::no_allocate.v2.b64 {%rd1, %rd2}, [%o];
  st.global.b64 [%o+24], %rd2;)"),
                                  1, {}, {1, 2, 3, 4, 0, 0, 0, 0});
  ASSERT_TRUE(run.result);
  EXPECT_EQ(run.words, (std::vector<std::uint32_t>{1, 2, 3, 4, 4, 1, 3, 4}));
}

// Vectors of special registers have a fourth component, which is zero.
TEST(PtxMemory, VectorsOfSpecialRegistersAreMoved) {
  PtxProgram program(with_out(R"(
  .reg .v4 .b32 %v<2>;
  mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;
  mov.v4.u32 {%r4, %r5, %r6, _}, %ntid;
  add.u32 %r3, %r3, %r4;
  mov.v4.b32 %v1, %nctaid;
  mov.v4.u16 {_, %h1, %h2, %h3}, %ctaid;
  setp.ne.u32 %p, %r1, 1;
  @%p bra $end;
  st.global.v4.u32 [%o], {%r2, %r3, %r5, %r6};
  st.global.v2.u32 [%o+16], {%v1.x, %v1.z};
  cvt.u32.u16 %r6, %h1;
  cvt.u32.u16 %r7, %h3;
  st.global.v2.u32 [%o+24], {%r6, %r7};
$end:)"));
  const std::uint64_t out = program.upload(std::vector<std::uint32_t>(8, 99), "out");
  ASSERT_TRUE(program.run3("k", {.groups = {1, 2, 3}, .group_size = {2, 1, 1}}, {}, out));
  // tid is (1, 0, 0), ntid (2, 1, 1), nctaid (1, 2, 3); the last block's ctaid is (0, 1, 2).
  EXPECT_EQ(program.download<std::uint32_t>(out, 8), (std::vector<std::uint32_t>{0, 2, 1, 1, 1, 3, 1, 0}));
}

TEST(PtxMemory, AMoveOfAVectorReadsAllBeforeItWrites) {
  const MemoryRun run = run_words(with_out(R"(
  .reg .v2 .u32 %w;
  ld.global.v2.u32 %w, [%o];
  mov.v2.u32 {%r1, %r2}, %w;
  mov.v2.u32 {%r1, %r2}, {%r2, %r1};
  mov.v4.u32 {%r3, %r4, %r5, %r6}, {%r1, %r2, %w.y, 7};
  st.global.v4.u32 [%o+16], {%r3, %r4, %r5, %r6};)"),
                                  1, {}, {1, 2, 0, 0, 0, 0, 0, 0});
  ASSERT_TRUE(run.result) << run.result.error().to_string();
  EXPECT_EQ(run.words, (std::vector<std::uint32_t>{1, 2, 0, 0, 2, 1, 2, 7}));
  EXPECT_FALSE(run_words(with_out("mov.v2.u32 {%r1, %r2}, %tid;")).result);
  EXPECT_FALSE(run_words(with_out("mov.v4.u32 {%r1, %r2, %r3, %r4}, {%r1, %r2};")).result);
}

TEST(PtxMemory, NarrowTypesAreExtendedAsTheirSignSays) {
  const MemoryRun run = run_words(with_out(R"(
  ld.global.s8 %r1, [%o];
  ld.global.u8 %r2, [%o];
  ld.global.s16 %rd1, [%o];
  st.global.u32 [%o+4], %r1;
  st.global.u32 [%o+8], %r2;
  st.global.u64 [%o+16], %rd1;
  st.global.u8 [%o+12], %r1;)"),
                                  1, {}, {0x8084, 0, 0, 0, 0, 0, 0, 0});
  ASSERT_TRUE(run.result);
  EXPECT_EQ(run.words, (std::vector<std::uint32_t>{0x8084, 0xffff'ff84, 0x84, 0x84, 0xffff'8084, 0xffff'ffff, 0, 0}));
}

TEST(PtxMemory, GenericAddressesReachEverySpace) {
  // Shared, local and global memory through one pointer each.
  const MemoryRun run = run_words(with_out(R"(
  .local .align 4 .b32 mine;
  .shared .align 4 .b32 ours;
  cvta.shared.u64 %rd1, ours;
  cvta.local.u64 %rd2, mine;
  cvta.global.u64 %rd3, everyones;
  st.u32 [%rd1], 1;
  st.u32 [%rd2], 2;
  st.u32 [%rd3], 3;
  ld.shared.u32 %r1, [ours];
  ld.local.u32 %r2, [mine];
  ld.global.u32 %r3, [everyones];
  st.global.v2.u32 [%o], {%r1, %r2};
  st.global.u32 [%o+8], %r3;
  isspacep.shared %p, %rd1;
  selp.u32 %r4, 1, 0, %p;
  isspacep.global %p, %rd2;
  selp.u32 %r5, 1, 0, %p;
  cvta.to.shared.u64 %rd1, %rd1;
  ld.shared.u32 %r6, [%rd1];
  st.global.v2.u32 [%o+16], {%r4, %r5};
  st.global.u32 [%o+24], %r6;)",
                                           ".global .u32 everyones;\n"));
  ASSERT_TRUE(run.result) << run.result.error().to_string();
  EXPECT_EQ(run.words, (std::vector<std::uint32_t>{1, 2, 3, 0, 1, 0, 1, 0}));
}

TEST(PtxMemory, SharedMemoryOfNoDeclaredSizeLiesBehindTheOther) {
  const std::string text = with_out(R"(
  .shared .align 4 .b8 fixed[20];
  mov.u32 %r1, fixed;
  mov.u32 %r2, dynamic;
  sub.u32 %r3, %r2, %r1;
  mov.u32 %r4, %dynamic_smem_size;
  st.global.v2.u32 [%o], {%r3, %r4};
  st.shared.u32 [%r2+60], 7;)",
                                    ".extern .shared .align 16 .b8 dynamic[];\n");
  const MemoryRun run = run_words(text, 1, {.dynamic_shared_bytes = 64});
  ASSERT_TRUE(run.result) << run.result.error().to_string();
  EXPECT_EQ(run.words[0], 32u);  // 20, aligned to 16
  EXPECT_EQ(run.words[1], 64u);
  const MemoryRun short_one = run_words(text, 1, {.dynamic_shared_bytes = 60});
  ASSERT_FALSE(short_one.result);
  EXPECT_NE(short_one.result.error().to_string().find(
                "an access to 4 bytes at 0x5c of shared memory, of which the block has 92"),
            std::string::npos)
      << short_one.result.error().to_string();
}

TEST(PtxMemory, VariablesHaveTheirFirstValues) {
  const MemoryRun run = run_words(with_out(R"(
  ld.const.u32 %r1, [table+12];
  ld.global.u64 %rd1, [pointer];
  ld.u32 %r2, [%rd1];
  ld.global.f32 %r3, [numbers+4];
  ld.global.u8 %r4, [text+1];
  st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4};)",
                                           R"(
.const .u32 table[2][2] = {{1, 2}, {3, 4}};
.global .u64 pointer = generic(table)+4;
.global .f32 numbers[3] = {0f3F800000, 2.5};
.global .b8 text[] = {104, 105, 0};
)"));
  ASSERT_TRUE(run.result) << run.result.error().to_string();
  EXPECT_EQ(run.words[0], 4u);
  EXPECT_EQ(run.words[1], 2u);
  EXPECT_EQ(run.words[2], bits(2.5f));
  EXPECT_EQ(run.words[3], 105u);
}

TEST(PtxMemory, AccessesBehindABufferAreErrorsThatNameIt) {
  const MemoryRun run = run_words(with_out(R"(
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd1, %o, %rd1;
  st.global.u32 [%rd1], %r0;)"),
                                  32);
  ASSERT_FALSE(run.result);
  EXPECT_EQ(run.result.error().code(), ErrorCode::launch_failed);
  const std::string text = run.result.error().to_string();
  EXPECT_NE(text.find("block (0, 0, 0), thread (8, 0, 0): an access to 4 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("0 bytes behind the end of `out`, which has 32: `st.global.u32 [%rd1], %r0;`"), std::string::npos)
      << text;
}

TEST(PtxMemory, MisalignedAndNullAccessesAreErrors) {
  const MemoryRun misaligned = run_words(with_out("  ld.global.v2.u32 {%r1, %r2}, [%o+4];"));
  ASSERT_FALSE(misaligned.result);
  EXPECT_NE(misaligned.result.error().message().find("a misaligned access to 8 bytes"), std::string::npos);
  const MemoryRun null = run_words(with_out("  mov.u64 %rd1, 0;\n  ld.u32 %r1, [%rd1+8];"));
  ASSERT_FALSE(null.result);
  EXPECT_EQ(null.result.error().message(), "an access to 4 bytes at 0x8, before all buffers");
}

TEST(PtxMemory, AtomicsReturnWhatWasThere) {
  struct AtomicRule {
    std::string instruction;
    std::uint32_t before;
    std::uint32_t after;
  };
  // Applies each atomic to a word with the operand 5, as unsigned numbers unless the type says otherwise.
  const std::vector<AtomicRule> rules = {
      {"atom.global.add.u32 %r1, [%o], 5;", 3, 8},
      {"atom.global.min.s32 %r1, [%o], 5;", ~0u, ~0u},
      {"atom.global.min.u32 %r1, [%o], 5;", ~0u, 5},
      {"atom.global.max.s32 %r1, [%o], 5;", ~0u, 5},
      {"atom.global.and.b32 %r1, [%o], 5;", 12, 4},
      {"atom.global.or.b32 %r1, [%o], 5;", 12, 13},
      {"atom.global.xor.b32 %r1, [%o], 5;", 12, 9},
      {"atom.global.exch.b32 %r1, [%o], 5;", 12, 5},
      {"atom.global.cas.b32 %r1, [%o], 12, 5;", 12, 5},
      {"atom.global.cas.b32 %r1, [%o], 11, 5;", 12, 12},
      {"atom.global.inc.u32 %r1, [%o], 5;", 5, 0},
      {"atom.global.inc.u32 %r1, [%o], 5;", 4, 5},
      {"atom.global.dec.u32 %r1, [%o], 5;", 0, 5},
      {"atom.global.dec.u32 %r1, [%o], 5;", 4, 3},
      {"atom.relaxed.gpu.global.add.f32 %r1, [%o], 0f3F800000;", static_cast<std::uint32_t>(bits(1.5f)),
       static_cast<std::uint32_t>(bits(2.5f))},
  };
  for (const AtomicRule& rule : rules) {
    const MemoryRun run =
        run_words(with_out("  " + rule.instruction + "\n  st.global.u32 [%o+4], %r1;"), 1, {}, {rule.before, 0});
    ASSERT_TRUE(run.result) << run.result.error().to_string();
    EXPECT_EQ(run.words[0], rule.after) << rule.instruction;
    EXPECT_EQ(run.words[1], rule.before) << rule.instruction;
  }
}

TEST(PtxMemory, ReductionsOfAllThreadsAddUp) {
  const MemoryRun run = run_words(with_out(R"(
  .shared .align 4 .u32 sum;
  setp.eq.u32 %p, %r0, 0;
  @%p st.shared.u32 [sum], 0;
  bar.sync 0;
  red.shared.add.u32 [sum], %r0;
  red.global.add.u64 [%o], 2;
  mov.b32 %r3, 0x3c003c00;
  red.global.add.noftz.f16x2 [%o+12], %r3;
  bar.sync 0;
  @%p ld.shared.u32 %r1, [sum];
  @%p st.global.u32 [%o+8], %r1;)"),
                                  64);
  ASSERT_TRUE(run.result) << run.result.error().to_string();
  EXPECT_EQ(run.words[0], 128u);
  EXPECT_EQ(run.words[2], 63u * 64 / 2);
  EXPECT_EQ(run.words[3], 0x5400'5400u);  // 64 in both halves
}

TEST(PtxMemory, AsynchronousCopiesFillWithZeros) {
  const MemoryRun run = run_words(with_out(R"(
  .shared .align 16 .b8 room[16];
  mov.u32 %r1, room;
  mov.u32 %r2, 8;
  cp.async.cg.shared.global.L2::128B [%r1], [%o], 16, %r2;
  cp.async.commit_group;
  cp.async.wait_group 0;
  ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1];
  st.global.v4.u32 [%o+16], {%r3, %r4, %r5, %r6};)"),
                                  1, {}, {1, 2, 3, 4, 9, 9, 9, 9});
  ASSERT_TRUE(run.result) << run.result.error().to_string();
  EXPECT_EQ(run.words, (std::vector<std::uint32_t>{1, 2, 3, 4, 1, 2, 0, 0}));
}

TEST(PtxMemory, PrintedTextIsCollected) {
  const MemoryRun run = run_words(with_out(R"(
  .local .align 8 .b8 values[32];
  cvta.local.u64 %rd1, values;
  add.u32 %r1, %r0, 40;
  st.u32 [%rd1], %r1;
  mov.b64 %rd2, 0d3FF8000000000000;
  st.u64 [%rd1+8], %rd2;
  mov.u64 %rd3, -7;
  st.u64 [%rd1+16], %rd3;
  mov.u64 %rd4, word;
  st.u64 [%rd1+24], %rd4;
  mov.u64 %rd5, format;
  {
    .param .b64 a;
    .param .b64 b;
    .param .b32 r;
    st.param.b64 [a], %rd5;
    st.param.b64 [b], %rd1;
    call.uni (r), vprintf, (a, b);
  })",
                                           R"(
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .b8 word[3] = {104, 105, 0};
.global .b8 format[] = {37, 100, 32, 37, 46, 50, 102, 32, 37, 108, 108, 100, 32, 37, 115, 37, 37, 10, 0};
)"),
                                  2);
  ASSERT_TRUE(run.result) << run.result.error().to_string();
  EXPECT_EQ(run.printed, "40 1.50 -7 hi%\n41 1.50 -7 hi%\n");
}

TEST(PtxModuleTest, WhatTheInterpreterDoesNotKnowIsRefusedBeforeItRuns) {
  const auto refusal = [](const std::string& instruction) {
    VirtualMemory memory;
    const slice::PtxTree tree = slice::parse_ptx(with_out("  " + instruction), "k.ptx").value();
    const PtxModule module = PtxModule::load(tree, memory).value();
    const Result<const PtxKernel*> kernel = module.kernel("k");
    return kernel ? std::string() : kernel.error().to_string();
  };
  EXPECT_EQ(refusal("wgmma.fence.sync.aligned;"),
            "k.ptx:13:3: the interpreter does not know `wgmma`: `wgmma.fence.sync.aligned;`");
  EXPECT_EQ(refusal("add.f32x2 %rd1, %rd1, %rd1;"),
            "k.ptx:13:3: the interpreter does not know `add.f32x2`: `add.f32x2 %rd1, %rd1, %rd1;`");
  EXPECT_NE(refusal("add.u32 %r1, %r1, %rd1;").find("`%rd1` has 64 bits, but the instruction's type 32"),
            std::string::npos);
  EXPECT_NE(refusal("bra NOWHERE;").find("no label is called `NOWHERE`"), std::string::npos);
  EXPECT_NE(refusal("ld.global.u32 %r1, [nothing];").find("nothing is called `nothing`"), std::string::npos);
  EXPECT_EQ(refusal("nanosleep.u32 20;"), "");
}

TEST(PtxModuleTest, ARefusalConcernsThoseWhoCallIt) {
  const std::string text = kPtxHead + R"(
.func bad() { wgmma.fence.sync.aligned; ret; }
.visible .entry uses() { call bad; ret; }
.visible .entry does_not() { ret; }
)";
  PtxProgram program(text);
  EXPECT_FALSE(program.module.kernel("uses"));
  EXPECT_TRUE(program.module.kernel("does_not"));
  EXPECT_EQ(program.module.kernel("does_nat").error().to_string(),
            "no kernel `does_nat` in k.ptx (did you mean `does_not`?)");
}

TEST(PtxModuleTest, DescribesKernelsAndVariables) {
  PtxProgram program(kPtxHead + R"(
.visible .global .align 4 .b8 numbers[40];
.visible .entry k(.param .u32 n, .param .u64 p, .param .align 4 .b8 s[12])
.maxntid 64, 2
{
  .shared .b32 room[25];
  ret;
}
)");
  const PtxKernel& kernel = *program.module.kernel("k").value();
  ASSERT_EQ(kernel.parameters.size(), 3u);
  EXPECT_EQ(kernel.parameters[1].offset, 8u);
  EXPECT_EQ(kernel.parameters[2].offset, 16u);
  EXPECT_EQ(kernel.parameter_bytes, 28u);
  EXPECT_EQ(kernel.shared_bytes, 100u);
  EXPECT_EQ(kernel.most_threads, 128u);
  EXPECT_EQ(program.module.symbol("numbers")->bytes, 40u);
  EXPECT_FALSE(program.module.symbol("letters"));
}

TEST(PtxRunTest, LaunchesThatDoNotFitAreRefused) {
  PtxProgram program(with_out("ret;"));
  const auto start = [&](std::size_t bytes, const backend::Geometry3& geometry) {
    const std::vector<std::byte> parameters(bytes);
    const auto run = PtxRun::start(program.module, "k", geometry, parameters, program.memory);
    return run ? std::string() : run.error().to_string();
  };
  EXPECT_EQ(start(8, {}), "");
  EXPECT_EQ(start(4, {}), "kernel `k`: 4 bytes of parameters instead of 8");
  EXPECT_EQ(start(8, {.group_size = {1025, 1, 1}}), "kernel `k`: a block of 1025 threads, of 1024 at most");
  EXPECT_EQ(start(8, {.groups = {0, 1, 1}}), "kernel `k`: 0 x 1 x 1 is no extent");
  EXPECT_NE(start(8, {.cluster = {2, 1, 1}}), "");
}

TEST(VirtualMemoryTest, BuffersAreFoundByTheirAddresses) {
  VirtualMemory memory;
  const std::uint64_t a = memory.allocate(100, "a");
  const std::uint64_t b = memory.allocate(50);
  EXPECT_NE(memory.find(a + 60, 40), nullptr);
  EXPECT_EQ(memory.find(a + 61, 40), nullptr);
  EXPECT_EQ(memory.find(a - 1, 1), nullptr);
  EXPECT_EQ(memory.find(a, ~std::size_t{0}), nullptr);
  EXPECT_EQ(memory.describe(a + 104), "4 bytes behind the end of `a`, which has 100");
  const VirtualMemory snapshot = memory;
  *memory.find(b, 1) = std::byte{1};
  EXPECT_NE(memory, snapshot);
  EXPECT_TRUE(memory.release(a));
  EXPECT_FALSE(memory.release(a));
  EXPECT_EQ(memory.find(a, 1), nullptr);
}

// Each page begins with its number.
class NumberedPages : public PageSource {
 public:
  bool read(std::uint64_t offset, std::span<std::byte> into) override {
    const std::uint64_t page = offset / VirtualMemory::kPageBytes;
    std::memcpy(into.data(), &page, sizeof(page));
    reads.push_back(page);
    return page != 7;
  }

  std::vector<std::uint64_t> reads;
};

// The buffer has 8 GiB and 100 bytes, which no test reads whole.
TEST(VirtualMemoryTest, PagesAreReadWhenTheyAreTouched) {
  constexpr std::uint64_t kPage = VirtualMemory::kPageBytes;
  constexpr std::uint64_t kPages = (std::uint64_t{8} << 30) / kPage;
  VirtualMemory memory;
  const auto source = std::make_shared<NumberedPages>();
  const std::uint64_t large = memory.allocate(kPages * kPage + 100, "large", source);
  const std::uint64_t other = memory.allocate(16, "other");
  EXPECT_GE(other, large + kPages * kPage + 100);
  const auto number_at = [&](std::uint64_t offset) {
    std::uint64_t number = 0;
    std::memcpy(&number, memory.find(large + offset, sizeof(number)), sizeof(number));
    return number;
  };
  EXPECT_EQ(number_at(5 * kPage), 5U);
  EXPECT_EQ(number_at(kPages * kPage), kPages);
  *memory.find(large + 5 * kPage, 1) = std::byte{9};
  EXPECT_EQ(number_at(5 * kPage), 9U);  // it is not read again
  EXPECT_EQ(source->reads, (std::vector<std::uint64_t>{5, kPages}));
  EXPECT_NE(memory.find(large + kPages * kPage, 100), nullptr);
  EXPECT_EQ(memory.find(large + kPages * kPage, 101), nullptr);
  EXPECT_EQ(memory.find(large + 6 * kPage - 4, 8), nullptr);  // in two pages
  EXPECT_EQ(memory.find(large + 7 * kPage, 8), nullptr);      // it cannot be read
  EXPECT_NE(memory.find(other, 16), nullptr);
  EXPECT_EQ(memory.describe(large + kPages * kPage + 100), "0 bytes behind the end of `large`, which has 8589934692");
}

}  // namespace
}  // namespace wattune::simulate
