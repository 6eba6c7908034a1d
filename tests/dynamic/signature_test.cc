// Arguments of calls, and the sizes that they tell.
#include "dynamic/calls/signature.h"

#include <gmock/gmock.h>

namespace wattune::inline v0_1::dynamic {
namespace {

using ::testing::HasSubstr;

KernelSpec spec() {
  KernelSpec spec;
  spec.name = "scale";
  spec.problem_size = {{"n", 100}, {"rows", 7}};
  spec.parameters = {{.name = "BLOCK", .values = {32, 64}}, {.name = "TILE", .values = {1, 2}}};
  spec.arguments = {{"x", VectorArgument{.length = {"n"}}, {}},
                    {"cache", LocalArgument{.length = {"BLOCK"}}, {}},
                    {"n", ScalarArgument{.type = ElementType::int32, .value = {"n"}}, {}},
                    {"blocks", ScalarArgument{.type = ElementType::int32, .value = {"n // BLOCK"}}, {}},
                    {"by", ScalarArgument{.type = ElementType::float32, .value = {"2.0"}}, {}}};
  return spec;
}

float* const kMemory = reinterpret_cast<float*>(8);

Error refusal(std::vector<CallArgument> arguments) { return Signature::make(spec()).value().check(arguments).error(); }

CallSizes sizes_of(const Signature& signature, std::span<const CallArgument> arguments,
                   std::span<const NamedSize> given = {}) {
  CallSizes sizes;
  signature.read_sizes(arguments, given, sizes).value();
  return sizes;
}

TEST(Signature, ScalarsTellSizesAndOthersKeepTheSpecs) {
  const Signature signature = Signature::make(spec()).value();
  const std::vector<CallArgument> arguments{kMemory, 4096, 0, 2.0f};  // local memory is not passed
  EXPECT_TRUE(signature.check(arguments));
  const std::vector<NamedSize> sizes = signature.named(sizes_of(signature, arguments));
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(sizes[0].value, 4096);
  EXPECT_EQ(sizes[1].value, 7);
}

TEST(Signature, NamedSizesMayBeParametersInAnyOrder) {
  const Signature signature = Signature::make(spec()).value();
  const std::vector<CallArgument> arguments{kMemory, 10, 0, 2.0f};
  const std::vector<NamedSize> given{{"TILE", 2}, {"rows", 9}, {"BLOCK", 64}};
  const std::vector<NamedSize> turned{{"BLOCK", 64}, {"TILE", 2}, {"rows", 9}};
  const CallSizes sizes = sizes_of(signature, arguments, given);
  EXPECT_TRUE(sizes == sizes_of(signature, arguments, turned));
  const std::vector<NamedSize> named = signature.named(sizes);
  ASSERT_EQ(named.size(), 4u);
  EXPECT_EQ(named[1].value, 9);
  EXPECT_EQ(named[2].name, "BLOCK");
  EXPECT_EQ(named[3].name, "TILE");
  CallSizes unread;
  EXPECT_EQ(signature.read_sizes(arguments, std::vector<NamedSize>{{"colums", 1}}, unread).error().code(),
            ErrorCode::invalid_argument);
}

TEST(Signature, NegativeScalarsKeepTheirSign) {
  const Signature signature = Signature::make(spec()).value();
  const std::vector<CallArgument> arguments{kMemory, -3, 0, 2.0f};
  EXPECT_EQ(sizes_of(signature, arguments).numbers[0], -3);
}

TEST(Signature, ValuesThatReadParametersAreTheSpecs) {
  const Signature signature = Signature::make(spec()).value();
  EXPECT_FALSE(signature.passed()[1].is_computed);
  EXPECT_TRUE(signature.passed()[2].is_computed);
}

TEST(Signature, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal({kMemory, 1, 0}).to_string(), HasSubstr("kernel `scale` takes 4 arguments, the call passes 3"));
  EXPECT_THAT(refusal({kMemory, 1.0f, 0, 2.0f}).to_string(),
              HasSubstr("argument 2 of kernel `scale`, `n`, is a scalar of int32, not a scalar of float32"));
  EXPECT_THAT(refusal({kMemory, std::int64_t{1}, 0, 2.0f}).to_string(), HasSubstr("not a scalar of int64"));
  EXPECT_THAT(refusal({1, 1, 0, 2.0f}).to_string(), HasSubstr("`x`, is memory of float32, not a scalar of int32"));
  EXPECT_THAT(refusal({reinterpret_cast<double*>(8), 1, 0, 2.0f}).to_string(), HasSubstr("not memory of float64"));
}

TEST(Signature, TakesWhatCxxDoesNotTell) {
  const Signature signature = Signature::make(spec()).value();
  const std::vector<CallArgument> untyped{reinterpret_cast<void*>(8), 1u, 0, 2.0f};
  EXPECT_TRUE(signature.check(untyped));  // void*, and an integer without a sign
}

}  // namespace
}  // namespace wattune::dynamic
