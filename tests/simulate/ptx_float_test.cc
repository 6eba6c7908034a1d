// Floating-point instructions and conversions, compared with the host's arithmetic and with values from IEEE 754.
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>

#include "simulate/ptx_harness.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::simulate {
namespace {

constexpr std::uint64_t kNan32 = 0x7fff'ffff;  // what single-precision instructions make

std::vector<PtxCase> float_cases(std::size_t count) {
  Random random(17);
  std::vector<PtxCase> cases(count);
  for (PtxCase& operands : cases)
    for (std::uint64_t& operand : operands) operand = bits(static_cast<float>((random.uniform() - 0.5) * 1e3));
  return cases;
}

float under(int rounding, const std::function<float()>& compute) {
  std::fesetround(rounding);
  const float result = compute();
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(PtxFloat, FollowsTheRoundingOfTheInstruction) {
  const std::vector<std::pair<std::string, int>> roundings = {
      {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  const std::vector<PtxCase> cases = float_cases(100);
  for (const auto& [name, mode] : roundings) {
    const auto sums = evaluate("add." + name + ".f32 %d, %a, %b;", "%d", cases);
    const auto fused = evaluate("fma." + name + ".f32 %d, %a, %b, %c;", "%d", cases);
    const auto quotients = evaluate("div." + name + ".f32 %d, %a, %b;", "%d", cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      volatile float a = as_float(cases[i][0]);
      volatile float b = as_float(cases[i][1]);
      volatile float c = as_float(cases[i][2]);
      EXPECT_EQ(sums[i], bits(under(mode, [&] { return a + b; }))) << name;
      EXPECT_EQ(fused[i], bits(under(mode, [&] { return std::fma(a, b, c); }))) << name;
      EXPECT_EQ(quotients[i], bits(under(mode, [&] { return a / b; }))) << name;
    }
  }
}

TEST(PtxFloat, FusedProductsAreRoundedOnce) {
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which a product rounded to 24 bits would lose.
  const PtxCase operands = {bits(1.0f + 0x1p-12f), bits(1.0f + 0x1p-12f), bits(-1.0f - 0x1p-11f)};
  EXPECT_EQ(as_float(evaluate("fma.rn.f32 %d, %a, %b, %c;", "%d", operands)), 0x1p-24f);
  EXPECT_EQ(as_float(evaluate("mul.rn.f32 %d, %a, %b; add.rn.f32 %d, %d, %c;", "%d", operands)), 0.0f);
}

TEST(PtxFloat, FlushesSubnormalNumbersAndSaturates) {
  const std::uint64_t subnormal = 1;  // the least
  EXPECT_EQ(evaluate("add.f32 %d, %a, %b;", "%d", PtxCase{subnormal, subnormal, 0}), 2u);
  EXPECT_EQ(evaluate("add.ftz.f32 %d, %a, %b;", "%d", PtxCase{subnormal, subnormal, 0}), 0u);
  EXPECT_EQ(evaluate("mul.ftz.f32 %d, %a, %b;", "%d", PtxCase{bits(-0x1p-100f), bits(0x1p-30f), 0}), bits(-0.0f));
  EXPECT_EQ(evaluate("add.sat.f32 %d, %a, %b;", "%d", PtxCase{bits(0.75f), bits(0.75f), 0}), bits(1.0f));
  EXPECT_EQ(evaluate("add.sat.f32 %d, %a, %b;", "%d", PtxCase{bits(-0.75f), bits(0.25f), 0}), bits(0.0f));
  EXPECT_EQ(evaluate("setp.eq.ftz.f32 %p, %a, %b;", "%p", PtxCase{subnormal, 0, 0}), 1u);
  EXPECT_EQ(evaluate("setp.eq.f32 %p, %a, %b;", "%p", PtxCase{subnormal, 0, 0}), 0u);
}

TEST(PtxFloat, NanIsTheOneThatGpusMake) {
  const std::uint64_t infinity = bits(std::numeric_limits<float>::infinity());
  EXPECT_EQ(evaluate("sub.f32 %d, %a, %b;", "%d", PtxCase{infinity, infinity, 0}), kNan32);
  // If one value is NaN, min gives the other one, but min.NaN does not; -0 is less than 0.
  EXPECT_EQ(evaluate("min.f32 %d, %a, %b;", "%d", PtxCase{kNan32, bits(2.0f), 0}), bits(2.0f));
  EXPECT_EQ(evaluate("min.NaN.f32 %d, %a, %b;", "%d", PtxCase{kNan32, bits(2.0f), 0}), kNan32);
  EXPECT_EQ(evaluate("min.f32 %d, %a, %b;", "%d", PtxCase{bits(0.0f), bits(-0.0f), 0}), bits(-0.0f));
  EXPECT_EQ(evaluate("max.f32 %d, %a, %b;", "%d", PtxCase{bits(-0.0f), bits(0.0f), 0}), bits(0.0f));
}

TEST(PtxFloat, ComparisonsKnowUnorderedNumbers) {
  const PtxCase unordered = {kNan32, bits(1.0f), 0};
  const PtxCase less = {bits(0.0f), bits(1.0f), 0};
  const std::vector<std::array<std::string, 3>> expected = {
      {"lt", "0", "1"},  {"ltu", "1", "1"}, {"ne", "0", "1"},  {"neu", "1", "1"}, {"eq", "0", "0"},
      {"equ", "1", "0"}, {"ge", "0", "0"},  {"geu", "1", "0"}, {"num", "0", "1"}, {"nan", "1", "0"}};
  for (const auto& [comparison, of_nan, of_numbers] : expected) {
    const std::string instruction = "setp." + comparison + ".f32 %p, %a, %b;";
    EXPECT_EQ(std::to_string(evaluate(instruction, "%p", unordered)), of_nan) << comparison;
    EXPECT_EQ(std::to_string(evaluate(instruction, "%p", less)), of_numbers) << comparison;
  }
}

TEST(PtxFloat, DoublesAreComputedAsDoubles) {
  EXPECT_EQ(evaluate("fma.rn.f64 %dl, %al, %bl, %cl;", "%dl", PtxCase{bits(0.1), bits(10.0), bits(-1.0)}),
            bits(std::fma(0.1, 10.0, -1.0)));
  EXPECT_EQ(evaluate("sqrt.rn.f64 %dl, %al;", "%dl", PtxCase{bits(2.0), 0, 0}), bits(std::sqrt(2.0)));
  EXPECT_EQ(evaluate("mul.rz.f64 %dl, %al, 0d3FB999999999999A;", "%dl", PtxCase{bits(3.0), 0, 0}),
            bits(std::nextafter(0.3 + 0x1p-54, 0.0)));
}

TEST(PtxFloat, ApproximateFunctionsAreWithinTheirTolerance) {
  const std::vector<std::pair<std::string, double (*)(double)>> functions = {
      {"rcp.approx.f32", [](double x) { return 1 / x; }},
      {"sqrt.approx.f32", [](double x) { return std::sqrt(x); }},
      {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }},
      {"sin.approx.f32", [](double x) { return std::sin(x); }},
      {"cos.approx.f32", [](double x) { return std::cos(x); }},
      {"lg2.approx.f32", [](double x) { return std::log2(x); }},
      {"ex2.approx.f32", [](double x) { return std::exp2(x); }},
      {"tanh.approx.f32", [](double x) { return std::tanh(x); }}};
  // 2^-11 is the loosest relative error in PTX's tables that counts here (tanh).
  for (const auto& [instruction, function] : functions) {
    const float result = as_float(evaluate(instruction + " %d, %a;", "%d", PtxCase{bits(0.7f), 0, 0}));
    EXPECT_NEAR(result, function(0.7f), std::fabs(function(0.7f)) * 0x1p-11) << instruction;
  }
}

TEST(PtxFloat, HalvesAreRoundedOnce) {
  const std::uint64_t one = 0x3c00;
  // The least number above 1 is 1 + 2^-10 = 0x3c01; a sum with half of that is a tie, which goes to even.
  EXPECT_EQ(evaluate("add.f16 %dh, %ah, %bh;", "%dh", PtxCase{one, 0x1000, 0}), one);
  EXPECT_EQ(evaluate("add.f16 %dh, %ah, %bh;", "%dh", PtxCase{one, 0x1001, 0}), 0x3c01u);
  // Computes 2 x 3 + 1 = 7 = 0x4700, and in the upper half 1 x 1 + 0 = 1.
  EXPECT_EQ(evaluate("fma.rn.f16x2 %d, %a, %b, %c;", "%d", PtxCase{0x3c00'4000, 0x3c00'4200, 0x0000'3c00}),
            0x3c00'4700u);
  // Tests a tie by the product alone, which c breaks upwards; rounding twice would lose it. In f16, a = b = 1 + 2^-10,
  // so the product is 1 + 2^-9 + 2^-20. With c = 2^-11 the sum is 2^-20 above a tie.
  EXPECT_EQ(evaluate("fma.rn.f16 %dh, %ah, %bh, %ch;", "%dh",
                     PtxCase{
                         0x3c01,
                         0x3c01,
                         0x1000,
                     }),
            0x3c03u);
  EXPECT_EQ(evaluate("mul.bf16 %dh, %ah, %bh;", "%dh", PtxCase{0x3f80, 0xc000, 0}), 0xc000u);
  EXPECT_EQ(evaluate("neg.f16x2 %d, %a;", "%d", PtxCase{0x3c00'8000, 0, 0}), 0xbc00'0000u);
  EXPECT_EQ(evaluate("setp.gt.f16 %p, %ah, %bh;", "%p", PtxCase{0x3c01, one, 0}), 1u);
}

TEST(PtxConversion, IntegersAreCutAndExtended) {
  EXPECT_EQ(evaluate("cvt.s64.s32 %dl, %a;", "%dl", PtxCase{0x8000'0000, 0, 0}), 0xffff'ffff'8000'0000u);
  EXPECT_EQ(evaluate("cvt.u64.u32 %dl, %a;", "%dl", PtxCase{0x8000'0000, 0, 0}), 0x8000'0000u);
  // A signed value is sign-extended into a wider register.
  EXPECT_EQ(evaluate("cvt.s8.s32 %d, %a;", "%d", PtxCase{0x1ff, 0, 0}), 0xffff'ffffu);
  EXPECT_EQ(evaluate("cvt.u8.u32 %d, %a;", "%d", PtxCase{0x1ff, 0, 0}), 0xffu);
  EXPECT_EQ(evaluate("cvt.sat.u8.s32 %d, %a;", "%d", PtxCase{0x1ff, 0, 0}), 0xffu);
  EXPECT_EQ(evaluate("cvt.sat.u8.s32 %d, %a;", "%d", PtxCase{0xffff'ffff, 0, 0}), 0u);
  EXPECT_EQ(evaluate("cvt.sat.s16.s32 %dh, %a;", "%dh", PtxCase{0x9000, 0, 0}), 0x7fffu);
}

TEST(PtxConversion, NumbersBeyondAnIntegerBecomeItsEnds) {
  const auto converted = [](const std::string& instruction, float value) {
    return evaluate(instruction, "%d", PtxCase{bits(value), 0, 0});
  };
  EXPECT_EQ(converted("cvt.rzi.s32.f32 %d, %a;", -2.7f), 0xffff'fffeu);
  EXPECT_EQ(converted("cvt.rni.s32.f32 %d, %a;", 2.5f), 2u);
  EXPECT_EQ(converted("cvt.rmi.s32.f32 %d, %a;", -2.1f), 0xffff'fffdu);
  EXPECT_EQ(converted("cvt.rpi.s32.f32 %d, %a;", 2.1f), 3u);
  EXPECT_EQ(converted("cvt.rzi.s32.f32 %d, %a;", 3e9f), 0x7fff'ffffu);
  EXPECT_EQ(converted("cvt.rzi.u32.f32 %d, %a;", -1.0f), 0u);
  EXPECT_EQ(converted("cvt.rzi.s32.f32 %d, %a;", std::numeric_limits<float>::quiet_NaN()), 0u);
  EXPECT_EQ(evaluate("cvt.rzi.s64.f64 %dl, %al;", "%dl", PtxCase{bits(1e30), 0, 0}), 0x7fff'ffff'ffff'ffffu);
  EXPECT_EQ(evaluate("cvt.rzi.u64.f32 %dl, %a;", "%dl", PtxCase{kNan32, 0, 0}), 0x8000'0000'0000'0000u);
}

TEST(PtxConversion, NumbersAreRoundedAsAsked) {
  // 2^24 + 1 lies between two numbers of single precision.
  EXPECT_EQ(evaluate("cvt.rn.f32.s32 %d, %a;", "%d", PtxCase{0x100'0001, 0, 0}), bits(0x1p24f));
  EXPECT_EQ(evaluate("cvt.rp.f32.u32 %d, %a;", "%d", PtxCase{0x100'0001, 0, 0}), bits(0x1p24f + 2));
  // 2^63 + 2^39 + 1 is just above a tie: by way of a double it would be the tie itself.
  EXPECT_EQ(evaluate("cvt.rn.f32.u64 %d, %al;", "%d", PtxCase{0x8000'0080'0000'0001, 0, 0}), bits(0x1p63f + 0x1p40f));
  EXPECT_EQ(evaluate("cvt.rn.f32.f64 %d, %al;", "%d", PtxCase{bits(1.0 + 0x1p-24), 0, 0}), bits(1.0f));
  EXPECT_EQ(evaluate("cvt.rp.f32.f64 %d, %al;", "%d", PtxCase{bits(1.0 + 0x1p-30), 0, 0}), bits(1.0f + 0x1p-23f));
  EXPECT_EQ(evaluate("cvt.f64.f32 %dl, %a;", "%dl", PtxCase{bits(0.1f), 0, 0}), bits(static_cast<double>(0.1f)));
  EXPECT_EQ(evaluate("cvt.rmi.f32.f32 %d, %a;", "%d", PtxCase{bits(-0.5f), 0, 0}), bits(-1.0f));
  EXPECT_EQ(evaluate("cvt.sat.f32.f32 %d, %a;", "%d", PtxCase{bits(3.0f), 0, 0}), bits(1.0f));
}

TEST(PtxConversion, SmallNumbersHaveTheirFormats) {
  const auto half = [](float value) { return evaluate("cvt.rn.f16.f32 %dh, %a;", "%dh", PtxCase{bits(value), 0, 0}); };
  EXPECT_EQ(half(1.0f), 0x3c00u);
  EXPECT_EQ(half(65504.0f), 0x7bffu);   // the largest
  EXPECT_EQ(half(65520.0f), 0x7c00u);   // half a step above it is a tie, which is infinity
  EXPECT_EQ(half(-0x1p-24f), 0x8001u);  // the least subnormal number
  EXPECT_EQ(half(0x1p-25f), 0u);        // a tie to even
  EXPECT_EQ(evaluate("cvt.rz.f16.f32 %dh, %a;", "%dh", PtxCase{bits(1e6f), 0, 0}), 0x7bffu);
  EXPECT_EQ(evaluate("cvt.f32.f16 %d, %ah;", "%d", PtxCase{0x8001, 0, 0}), bits(-0x1p-24f));
  EXPECT_EQ(evaluate("cvt.rn.bf16.f32 %dh, %a;", "%dh", PtxCase{0x3f80'8000, 0, 0}), 0x3f80u);
  EXPECT_EQ(evaluate("cvt.rn.bf16x2.f32 %d, %a, %b;", "%d", PtxCase{bits(1.0f), bits(2.0f), 0}), 0x3f80'4000u);
  EXPECT_EQ(evaluate("cvt.rn.relu.f16x2.f32 %d, %a, %b;", "%d", PtxCase{bits(-1.0f), bits(2.0f), 0}), 0x0000'4000u);
  EXPECT_EQ(evaluate("cvt.rna.tf32.f32 %d, %a;", "%d", PtxCase{bits(1.0f + 0x1p-11f), 0, 0}), bits(1.0f + 0x1p-10f));
}

TEST(PtxConversion, EveryHalfComesBackAsItWas) {
  std::vector<PtxCase> cases;
  for (std::uint64_t i = 0; i < 0x10000; i += 7)
    if ((i & 0x7c00) != 0x7c00) cases.push_back({i, 0, 0});
  const auto results = evaluate("cvt.f32.f16 %d, %ah; cvt.rn.f16.f32 %dh, %d;", "%dh", cases);
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(results[i], cases[i][0]);
}

}  // namespace
}  // namespace wattune::simulate
