// Integer instructions: random and extreme operands, compared with the host's arithmetic, and values worked out by
// hand.
#include <algorithm>
#include <functional>
#include <limits>

#include "simulate/ptx_harness.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

struct IntegerRule {
  std::string instruction;
  std::string result;
  std::function<u64(u64, u64, u64)> expected;
};

// Returns random cases. Every third operand is one at which overflow, signs or counts of bits change.
std::vector<PtxCase> random_cases(std::size_t count) {
  constexpr std::array<u64, 10> kExtremes = {0, 1, 31, 32, 63, 0x7fff, 0x8000'0000, 0x7fff'ffff, ~u64{0}, u64{1} << 63};
  Random random(16);
  std::vector<PtxCase> cases(count);
  for (PtxCase& operands : cases)
    for (u64& operand : operands) operand = random.below(3) == 0 ? kExtremes[random.below(10)] : random.bits();
  return cases;
}

void expect_rules(const std::vector<IntegerRule>& rules) {
  const std::vector<PtxCase> cases = random_cases(200);
  for (const IntegerRule& rule : rules) {
    const std::vector<u64> results = evaluate(rule.instruction, rule.result, cases);
    for (std::size_t i = 0; i < cases.size(); ++i)
      ASSERT_EQ(results[i], rule.expected(cases[i][0], cases[i][1], cases[i][2]))
          << rule.instruction << std::hex << " of " << cases[i][0] << ", " << cases[i][1] << ", " << cases[i][2];
  }
}

u64 low(u64 value) { return value & 0xffff'ffff; }

TEST(PtxInteger, SumsAndProductsWrapAround) {
  expect_rules({
      {"add.u16 %dh, %ah, %bh;", "%dh", [](u64 a, u64 b, u64) { return (a + b) & 0xffff; }},
      {"add.s32 %d, %a, %b;", "%d", [](u64 a, u64 b, u64) { return low(a + b); }},
      {"sub.s64 %dl, %al, %bl;", "%dl", [](u64 a, u64 b, u64) { return a - b; }},
      {"mul.lo.u32 %d, %a, %b;", "%d", [](u64 a, u64 b, u64) { return low(a * b); }},
      {"mul.hi.u32 %d, %a, %b;", "%d", [](u64 a, u64 b, u64) { return low(a) * low(b) >> 32; }},
      {"mul.hi.s32 %d, %a, %b;", "%d",
       [](u64 a, u64 b, u64) { return low(static_cast<u64>(s64{static_cast<s32>(a)} * static_cast<s32>(b) >> 32)); }},
      {"mul.wide.s32 %dl, %a, %b;", "%dl",
       [](u64 a, u64 b, u64) { return static_cast<u64>(s64{static_cast<s32>(a)} * static_cast<s32>(b)); }},
      {"mul.wide.u16 %d, %ah, %bh;", "%d", [](u64 a, u64 b, u64) { return (a & 0xffff) * (b & 0xffff); }},
      {"mul.hi.u64 %dl, %al, %bl;", "%dl",
       [](u64 a, u64 b, u64) { return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64); }},
      {"mad.lo.s32 %d, %a, %b, %c;", "%d", [](u64 a, u64 b, u64 c) { return low(a * b + c); }},
      {"mad.wide.u32 %dl, %a, %b, %cl;", "%dl", [](u64 a, u64 b, u64 c) { return low(a) * low(b) + c; }},
      {"mad24.lo.u32 %d, %a, %b, %c;", "%d",
       [](u64 a, u64 b, u64 c) { return low((a & 0xff'ffff) * (b & 0xff'ffff) + c); }},
      {"neg.s32 %d, %a;", "%d", [](u64 a, u64, u64) { return low(0 - a); }},
  });
}

TEST(PtxInteger, QuotientsAreTowardsZero) {
  const std::vector<PtxCase> cases = {
      {7, 2, 0}, {0xffff'fff9, 2, 0}, {7, 0xffff'fffe, 0}, {0x8000'0000, 0xffff'ffff, 0}};
  // -7 / 2 = -3 remainder -1; 7 / -2 = -3 remainder 1; the least number by -1 stays itself, remainder 0.
  EXPECT_EQ(evaluate("div.s32 %d, %a, %b;", "%d", cases), (std::vector<u64>{3, 0xffff'fffd, 0xffff'fffd, 0x8000'0000}));
  EXPECT_EQ(evaluate("rem.s32 %d, %a, %b;", "%d", cases), (std::vector<u64>{1, 0xffff'ffff, 1, 0}));
  EXPECT_EQ(evaluate("div.u64 %dl, %al, %bl;", "%dl", PtxCase{~u64{0}, 10, 0}), ~u64{0} / 10);
}

TEST(PtxInteger, DivisionByZeroIsAnErrorWithItsThreadAndLine) {
  const auto result = try_evaluate("div.u32 %d, %a, %b;", "%d", {{1, 1, 0}, {1, 0, 0}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::launch_failed);
  EXPECT_EQ(result.error().to_string(),
            "k.ptx:31:1: kernel `k`, block (0, 0, 0), thread (1, 0, 0): a division by zero, whose result is undefined: "
            "`div.u32 %d, %a, %b;`");
}

TEST(PtxInteger, ComparesAndChooses) {
  expect_rules({
      {"min.s32 %d, %a, %b;", "%d",
       [](u64 a, u64 b, u64) { return low(static_cast<u64>(std::min(static_cast<s32>(a), static_cast<s32>(b)))); }},
      {"max.u64 %dl, %al, %bl;", "%dl", [](u64 a, u64 b, u64) { return std::max(a, b); }},
      {"abs.s64 %dl, %al;", "%dl", [](u64 a, u64, u64) { return static_cast<s64>(a) < 0 ? 0 - a : a; }},
      {"setp.lt.s32 %p, %a, %b;", "%p", [](u64 a, u64 b, u64) { return static_cast<s32>(a) < static_cast<s32>(b); }},
      {"setp.hs.u32 %p, %a, %b;", "%p", [](u64 a, u64 b, u64) { return low(a) >= low(b); }},
      {"setp.ne.u64 %q, %al, 1; setp.ge.and.s16 %p|%r, %ah, %bh, !%q;", "%p",
       [](u64 a, u64 b, u64) { return static_cast<s16>(a) >= static_cast<s16>(b) && a == 1; }},
      {"setp.ne.u64 %q, %al, 1; setp.ge.or.s16 %r|%p, %ah, %bh, %q;", "%p",
       [](u64 a, u64 b, u64) { return static_cast<s16>(a) < static_cast<s16>(b) || a != 1; }},
      {"set.gt.u32.s32 %d, %a, %b;", "%d",
       [](u64 a, u64 b, u64) { return static_cast<s32>(a) > static_cast<s32>(b) ? 0xffff'ffff : 0; }},
      {"setp.eq.u32 %q, %a, 0; selp.b32 %d, %b, %c, %q;", "%d",
       [](u64 a, u64 b, u64 c) { return low(a) == 0 ? low(b) : low(c); }},
      {"slct.b64.s32 %dl, %al, %bl, %c;", "%dl", [](u64 a, u64 b, u64 c) { return static_cast<s32>(c) >= 0 ? a : b; }},
      {"sad.u32 %d, %a, %b, %c;", "%d",
       [](u64 a, u64 b, u64 c) { return low((low(a) > low(b) ? low(a) - low(b) : low(b) - low(a)) + c); }},
  });
}

TEST(PtxInteger, ShiftsByMoreThanTheBitsLeaveNothingButTheSign) {
  expect_rules({
      {"shl.b32 %d, %a, %b;", "%d", [](u64 a, u64 b, u64) { return low(b) > 31 ? 0 : low(low(a) << low(b)); }},
      {"shr.u64 %dl, %al, %b;", "%dl", [](u64 a, u64 b, u64) { return low(b) > 63 ? 0 : a >> low(b); }},
      {"shr.s32 %d, %a, %b;", "%d",
       [](u64 a, u64 b, u64) { return low(static_cast<u64>(s64{static_cast<s32>(a)} >> std::min<u64>(low(b), 31))); }},
      {"shf.l.wrap.b32 %d, %a, %b, %c;", "%d",
       [](u64 a, u64 b, u64 c) { return ((low(b) << 32 | low(a)) << (c & 31)) >> 32; }},
      {"shf.r.clamp.b32 %d, %a, %b, %c;", "%d",
       [](u64 a, u64 b, u64 c) { return low((low(b) << 32 | low(a)) >> std::min<u64>(low(c), 32)); }},
  });
}

TEST(PtxInteger, LogicAndCountsOfBits) {
  expect_rules({
      {"and.b64 %dl, %al, %bl;", "%dl", [](u64 a, u64 b, u64) { return a & b; }},
      {"not.b16 %dh, %ah;", "%dh", [](u64 a, u64, u64) { return ~a & 0xffff; }},
      {"cnot.b32 %d, %a;", "%d", [](u64 a, u64, u64) { return low(a) == 0 ? 1 : 0; }},
      // 0x96 is the exclusive or of three, 0xe8 their majority.
      {"lop3.b32 %d, %a, %b, %c, 0x96;", "%d", [](u64 a, u64 b, u64 c) { return low(a ^ b ^ c); }},
      {"lop3.b32 %d, %a, %b, %c, 0xe8;", "%d", [](u64 a, u64 b, u64 c) { return low((a & b) | (a & c) | (b & c)); }},
      {"popc.b64 %d, %al;", "%d", [](u64 a, u64, u64) { return static_cast<u64>(std::popcount(a)); }},
      {"clz.b32 %d, %a;", "%d",
       [](u64 a, u64, u64) { return static_cast<u64>(std::countl_zero(static_cast<u32>(a))); }},
      {"brev.b32 %e, %a; brev.b32 %d, %e;", "%d", [](u64 a, u64, u64) { return low(a); }},
      {"bfind.u32 %d, %a;", "%d",
       [](u64 a, u64, u64) {
         return low(a) == 0 ? 0xffff'ffff : 31u - static_cast<u32>(std::countl_zero(static_cast<u32>(a)));
       }},
  });
  EXPECT_EQ(evaluate("brev.b32 %d, %a;", "%d", PtxCase{0x8000'0001, 0, 0}), 0x8000'0001u);
  EXPECT_EQ(evaluate("brev.b32 %d, %a;", "%d", PtxCase{0x0000'0006, 0, 0}), 0x6000'0000u);
  // For a negative number it is the place of the highest zero: -9 is ...0111, so that is bit 3.
  EXPECT_EQ(evaluate("bfind.s32 %d, %a;", "%d", PtxCase{0xffff'fff7, 0, 0}), 3u);
}

TEST(PtxInteger, BitFieldsAreTakenAndPut) {
  // Bits 4 to 11 of 0x1234 are 0x23; of 0x9f0 they are 0x9f, with its sign -0x61.
  EXPECT_EQ(evaluate("bfe.u32 %d, %a, 4, 8;", "%d", PtxCase{0x1234, 0, 0}), 0x23u);
  EXPECT_EQ(evaluate("bfe.s32 %d, %a, 4, 8;", "%d", PtxCase{0x9f0, 0, 0}), 0xffff'ff9fu);
  // Bits above bit 31 equal the sign.
  EXPECT_EQ(evaluate("bfe.s32 %d, %a, 28, 8;", "%d", PtxCase{0x9000'0000, 0, 0}), 0xffff'fff9u);
  EXPECT_EQ(evaluate("bfe.u64 %dl, %al, 60, 10;", "%dl", PtxCase{u64{0xab} << 56, 0, 0}), 0xau);
  EXPECT_EQ(evaluate("bfi.b32 %d, %a, %b, 8, 4;", "%d", PtxCase{0xf5, 0x1111'1111, 0}), 0x1111'1511u);
  EXPECT_EQ(evaluate("bmsk.clamp.b32 %d, %a, %b;", "%d", PtxCase{4, 8, 0}), 0xff0u);
  EXPECT_EQ(evaluate("szext.clamp.s32 %d, %a, %b;", "%d", PtxCase{0x98, 8, 0}), 0xffff'ff98u);
  EXPECT_EQ(evaluate("fns.b32 %d, %a, 0, 2;", "%d", PtxCase{0b1010, 0, 0}), 3u);
}

TEST(PtxInteger, BytesArePermuted) {
  const PtxCase bytes = {0x3322'1100, 0x7766'5544, 0};
  EXPECT_EQ(evaluate("prmt.b32 %d, %a, %b, 0x7531;", "%d", bytes), 0x7755'3311u);
  // Bit 3 of a selector copies the sign of the byte: 0x80 has one, 0x7f has none.
  EXPECT_EQ(evaluate("prmt.b32 %d, %a, %b, 0x9810;", "%d", PtxCase{0x0000'7f80, 0, 0}), 0x00ff'7f80u);
  EXPECT_EQ(evaluate("prmt.b32.f4e %d, %a, %b, 3;", "%d", bytes), 0x6655'4433u);
  EXPECT_EQ(evaluate("prmt.b32.b4e %d, %a, %b, 1;", "%d", bytes), 0x6677'0011u);
  EXPECT_EQ(evaluate("prmt.b32.rc8 %d, %a, %b, 2;", "%d", bytes), 0x2222'2222u);
  EXPECT_EQ(evaluate("prmt.b32.rc16 %d, %a, %b, 1;", "%d", bytes), 0x3322'3322u);
}

TEST(PtxInteger, CarriesGoFromWordToWord) {
  const std::string sum =
      "mov.b64 {%d, %e}, %al; mov.b64 {%a, %b}, %bl; add.cc.u32 %d, %d, %a; addc.u32 %e, %e, %b; mov.b64 %dl, {%d, "
      "%e};";
  const std::string difference =
      "mov.b64 {%d, %e}, %al; mov.b64 {%a, %b}, %bl; sub.cc.u32 %d, %d, %a; subc.u32 %e, %e, %b; mov.b64 %dl, {%d, "
      "%e};";
  // The high half of a * b + (1 << 32) * c by words. Only the carry out of the low word makes it right.
  const std::string product = "mad.lo.cc.u32 %d, %a, %b, %c; madc.hi.u32 %e, %a, %b, 0; mov.b64 %dl, {%d, %e};";
  expect_rules({
      {sum, "%dl", [](u64 a, u64 b, u64) { return a + b; }},
      {difference, "%dl", [](u64 a, u64 b, u64) { return a - b; }},
      {product, "%dl", [](u64 a, u64 b, u64 c) { return low(a) * low(b) + low(c); }},
  });
}

TEST(PtxInteger, SaturatesWhereAsked) {
  EXPECT_EQ(evaluate("add.sat.s32 %d, %a, %b;", "%d", PtxCase{0x7fff'fff0, 0x20, 0}), 0x7fff'ffffu);
  EXPECT_EQ(evaluate("sub.sat.s32 %d, %a, %b;", "%d", PtxCase{0x8000'0000, 1, 0}), 0x8000'0000u);
}

TEST(PtxInteger, DotProductsHaveTheSignsOfTheirTypes) {
  // (1, 2, 3, -1) . (2, 2, 2, 2) + 5 = 15; with unsigned bytes -1 is 255: 2 + 4 + 6 + 510 + 5.
  EXPECT_EQ(evaluate("dp4a.s32.s32 %d, %a, %b, %c;", "%d", PtxCase{0xff03'0201, 0x0202'0202, 5}), 15u);
  EXPECT_EQ(evaluate("dp4a.u32.u32 %d, %a, %b, %c;", "%d", PtxCase{0xff03'0201, 0x0202'0202, 5}), 527u);
  // (-2, 3) . (the upper two bytes 4, 5) = -8 + 15.
  EXPECT_EQ(evaluate("dp2a.hi.s32.u32 %d, %a, %b, %c;", "%d", PtxCase{0x0003'fffe, 0x0504'0000, 0}), 7u);
}

TEST(PtxInteger, AddsTheDifferencesOfFourBytes) {
  // |255 - 1| + |3 - 5| + |2 - 2| + |1 - 0| + 5
  const PtxCase bytes{0xff03'0201, 0x0105'0200, 5};
  EXPECT_EQ(evaluate("vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", "%d", bytes), 262u);
  for (const std::string form : {"vabsdiff4.u32.u32.u32", "vabsdiff4.u32.s32.s32.add"}) {
    const auto refused = try_evaluate(form + " %d, %a, %b, %c;", "%d", {bytes});
    ASSERT_FALSE(refused) << form;
    EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
  }
}

}  // namespace
}  // namespace wattune::simulate
