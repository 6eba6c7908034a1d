// Damaged PTX is refused, ends with one line, or runs; nothing else happens to the program that interprets it.
#include <algorithm>

#include "simulate/ptx_harness.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {
namespace {

// Instructions of each family that computes addresses, synchronises threads, or determines the size of a frame.
const std::string kSomeOfAll = kPtxHead + R"(
.global .align 4 .u32 table[2][3] = {{1, 2, 3}, {4, 5}};
.global .b64 pointer = generic(table)+4;
.shared .align 4 .b8 room[256];
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.func (.param .b32 r) half(.param .b32 x)
{
  .reg .pred %p;
  .reg .b32 %a<3>;
  .local .align 8 .b8 own[16];
  ld.param.u32 %a0, [x];
  st.local.u32 [own+8], %a0;
  ld.local.u32 %a1, [own+8];
  shr.u32 %a1, %a1, 1;
  setp.gt.u32 %p, %a1, 1;
  {
    .param .b32 y;
    .param .b32 z;
    st.param.b32 [y], %a1;
    @%p call (z), half, (y);
  }
  st.param.b32 [r], %a1;
  ret;
}
.visible .entry k(.param .u64 data, .param .align 8 .b8 more[16])
.maxntid 64, 1, 1
{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [data];
  ld.param.v2.u32 {%r9, %r10}, [more+8];
  mov.u32 %r0, %tid.x;
  and.b32 %r1, %r0, 15;
  mul.wide.u32 %rd1, %r1, 16;
  add.s64 %rd1, %rd0, %rd1;
  ld.global.v4.u32 {%r2, %r3, %r4, _}, [%rd1];
  mov.b64 %rd2, {%r2, %r3};
  mov.b32 {%h0, %h1}, %r4;
  cvt.rn.f32.s32 %r5, %r3;
  fma.rn.f32 %r5, %r5, 0f3F000000, %r5;
  shl.b32 %r6, %r1, 2;
  mov.u32 %r7, room;
  add.u32 %r6, %r6, %r7;
  st.shared.u32 [%r6], %r5;
  bar.sync 0;
  atom.shared.cas.b32 %r8, [%r6], 0, %r0;
  setp.lt.and.u32 %p0|%p1, %r1, 8, %p2;
  shfl.sync.bfly.b32 %r8|%p3, %r8, 4, 31, -1;
  vote.sync.ballot.b32 %r9, %p0, -1;
ts: .branchtargets A, B;
  rem.u32 %r10, %r1, 2;
  brx.idx %r10, ts;
A:
  @%p1 add.u32 %r8, %r8, 1;
B:
  cp.async.ca.shared.global [%r6], [%rd1], 4;
  {
    .param .b32 y;
    .param .b32 z;
    st.param.b32 [y], %r0;
    call (z), half, (y);
    ld.param.b32 %r11, [z];
  }
  add.u32 %r8, %r8, %r11;
LOOP:
  sub.u32 %r1, %r1, 1;
  setp.gt.s32 %p0, %r1, 0;
  @%p0 bra LOOP;
  bar.warp.sync -1;
  red.global.add.u32 [table+8], %r8;
  st.global.u32 [%rd1+4], %r8;
  ret;
}
)";

// Returns the word that covers or follows this place.
std::pair<std::size_t, std::size_t> word_at(const std::string& text, std::size_t at) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%_";
  const std::size_t begin = std::min(text.find_first_of(letters, at), text.size() - 1);
  return {begin, std::min(text.find_first_not_of(letters, begin), text.size()) - begin};
}

// Damages the text: one or two words are replaced, mostly by others of the text or by numbers, or characters are
// removed.
std::string damaged_text(Random& random) {
  std::string text = kSomeOfAll;
  for (std::uint64_t i = 0, times = 1 + random.below(2); i < times; ++i) {
    const auto somewhere = [&] { return kPtxHead.size() + random.below(text.size() - kPtxHead.size() - 1); };
    const auto [begin, length] = word_at(text, somewhere());
    const auto [other, other_length] = word_at(text, somewhere());
    const std::uint64_t kind = random.below(8);
    if (kind == 0)
      text.erase(begin, 1 + random.below(20));
    else if (kind < 4)
      text.replace(begin, length, std::to_string(random.bits() >> random.below(64)));
    else
      text.replace(begin, length, text.substr(other, other_length));
  }
  return text;
}

enum class Outcome { refused, failed, ran };

Result<Outcome> outcome_of(const std::string& text) {
  VirtualMemory memory;
  const auto tree = slice::parse_ptx(text, "k.ptx");
  if (!tree) return Outcome::refused;
  const auto module = PtxModule::load(*tree, memory);
  if (!module) return Outcome::refused;
  const auto kernel = module->kernel("k");
  if (!kernel) return Outcome::refused;
  const std::vector<std::uint64_t> words((*kernel)->parameter_bytes / 8 + 1, memory.allocate(256, "data"));
  const auto bytes = std::as_bytes(std::span(words)).first((*kernel)->parameter_bytes);
  const backend::Geometry3 geometry{.groups = {2, 1, 1}, .group_size = {40, 1, 1}};
  auto run = PtxRun::start(*module, "k", geometry, bytes, memory, {.most_instructions = 5000});
  if (!run) return Outcome::refused;
  const Result<void> finished = run->finish();
  if (finished) return Outcome::ran;
  if (finished.error().to_string().find('\n') != std::string::npos) return finished.error();
  return Outcome::failed;
}

TEST(PtxDamaged, TheUndamagedTextRuns) { EXPECT_EQ(outcome_of(kSomeOfAll).value(), Outcome::ran); }

TEST(PtxDamaged, IsRefusedOrFailsOrRuns) {
  Random random(31);
  std::array<int, 3> outcomes{};
  for (int i = 0; i < 4000; ++i) ++outcomes[static_cast<std::size_t>(outcome_of(damaged_text(random)).value())];
  // Each outcome happens often, which shows that the damage reaches every part.
  EXPECT_GT(*std::ranges::min_element(outcomes), 30) << outcomes[0] << ", " << outcomes[1] << ", " << outcomes[2];
}

}  // namespace
}  // namespace wattune::simulate
