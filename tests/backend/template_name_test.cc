// Names of template instances in the spellings of users and of demanglers.
#include "backend/cuda/template_name.h"

#include <gmock/gmock.h>

#include "backend/cuda/function_name.h"

namespace wattune::inline v0_1::backend::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string normal(const std::string& argument) {
  const TemplateName name = template_name("f<" + argument + ">");
  return name.function == "f" && name.arguments.size() == 1 ? name.arguments[0] : "another number of arguments";
}

TEST(TemplateName, AValueIsItsNumber) {
  const char* const values[] = {"32",       "32u",       "4*8",
                                "(4 * 8)",  "1 << 5",    "0x20",
                                "(int)32",  "int(32)",   "(unsigned int)32",
                                "32ul",     "64 / 2u",   "static_cast<int>(32)",
                                "(Mode)32", "040",       "0b100000",
                                "' '",      "true * 32", "std::size_t(32)"};
  for (const char* value : values) EXPECT_EQ(normal(value), "32") << value;
  EXPECT_EQ(normal("true"), "1");
  EXPECT_EQ(normal("(bool)0"), "0");
  EXPECT_EQ(normal("-4"), "-4");
  for (const char* unclear : {"kBlock", "log2(8)", "(kBlock)+1", "sizeof(float)*8", "Mode::fast"})
    EXPECT_THAT(normal(unclear).substr(0, 1), Not(testing::AnyOf("1", "2", "3", "8"))) << unclear;
}

TEST(TemplateName, ATypeIsSpeltAsDemanglersDo) {
  const std::pair<const char*, const char*> types[] = {{"unsigned", "unsigned int"},
                                                       {"uint32_t", "unsigned int"},
                                                       {"std::uint32_t", "unsigned int"},
                                                       {"cuda::std::uint32_t", "unsigned int"},
                                                       {"int unsigned", "unsigned int"},
                                                       {"signed", "int"},
                                                       {"long int", "long"},
                                                       {"std::int64_t", "long"},
                                                       {"size_t", "unsigned long"},
                                                       {"unsigned long int", "unsigned long"},
                                                       {"long long int", "long long"},
                                                       {"short int", "short"},
                                                       {"half", "__half"},
                                                       {"float const *", "const float*"},
                                                       {"const float*", "const float*"},
                                                       {"std::pair<unsigned, 4u>", "pair<unsigned int,4>"},
                                                       {"struct point", "point"}};
  for (const auto& [spelt, meant] : types) EXPECT_EQ(normal(spelt), meant) << spelt;
}

TEST(TemplateName, ArgumentsAreSplitOutsideOfBrackets) {
  EXPECT_THAT(template_name("a::f<pair<int, 2>, (4 > 3), 1<<2>").arguments, ElementsAre("pair<int,2>", "1", "4"));
  EXPECT_EQ(template_name("a::f<pair<int, 2>, 3>").function, "a::f");
  EXPECT_EQ(template_name("outer<int>::f").function, "outer<int>::f");
  EXPECT_THAT(template_name("f").arguments, IsEmpty());
}

// nvcc's symbols of template <class T, unsigned N, bool B> f, of template <std::size_t N> g, and of
// template <Mode M, class T = float> h.
const std::vector<std::string> kSymbols{"_Z1fIdLj32ELb1EEvPT_", "_Z1fIfLj32ELb1EEvPT_", "_Z1fIfLj32ELb0EEvPT_",
                                        "_Z1fIjLj64ELb0EEvPT_", "_Z1gILm32EEvv",        "_Z1gILm64EEvv",
                                        "_Z1hIL4Mode1EfEvPT0_", "_Z1hIL4Mode1EiEvPT0_"};

std::string found(const std::string& wanted) {
  const Result<std::size_t> at = find_function(wanted, kSymbols);
  return at ? kSymbols[*at] : at.error().message();
}

TEST(TemplateName, AnInstanceIsFoundHoweverItIsSpelt) {
  for (const char* spelt :
       {"f<float, 32, true>", "f<float,32u,1>", "f<float, 4 * 8, true>", "f<float, (unsigned)32, !0>"})
    EXPECT_EQ(found(spelt), "_Z1fIfLj32ELb1EEvPT_") << spelt;
  EXPECT_EQ(found("f<float, 32, false>"), "_Z1fIfLj32ELb0EEvPT_");
  for (const char* spelt : {"f<unsigned, 64, false>", "f<std::uint32_t, 64, false>", "f<unsigned int, 64, 0>"})
    EXPECT_EQ(found(spelt), "_Z1fIjLj64ELb0EEvPT_") << spelt;
  EXPECT_EQ(found("g<32>"), "_Z1gILm32EEvv");
  EXPECT_EQ(found("g<sizeof(int) * 8>"), "several kernels are called `g<sizeof(int) * 8>`");
  EXPECT_EQ(found("h<Mode::fast, int>"), "_Z1hIL4Mode1EiEvPT0_");
  EXPECT_EQ(found("h<(Mode)1, float>"), "_Z1hIL4Mode1EfEvPT0_");
  EXPECT_EQ(found("f<real, 64, false>"), "_Z1fIjLj64ELb0EEvPT_");
}

TEST(TemplateName, AnotherInstanceIsNone) {
  EXPECT_EQ(find_function("g<128>", kSymbols).error().code(), ErrorCode::not_found);
  EXPECT_EQ(find_function("g<128>", {"_Z1gILm32EEvv"}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(find_function("g", {"_Z1gILm32EEvv"}).value(), 0u);
}

TEST(TemplateName, MessagesNameFiveAndCountTheOthers) {
  std::vector<std::string> many;
  for (int i = 10; i < 19; ++i) many.push_back("_Z4kernILi" + std::to_string(i) + "EEvv");
  EXPECT_THAT(find_function("kern", many).error().advice(),
              HasSubstr("_Z4kernILi10EEvv, _Z4kernILi11EEvv, _Z4kernILi12EEvv, _Z4kernILi13EEvv, _Z4kernILi14EEvv and "
                        "4 more"));
  EXPECT_THAT(find_function("elsewhere", many).error().advice(),
              HasSubstr("one of: kern<10>, kern<11>, kern<12>, kern<13>, kern<14> and 4 more"));
}

}  // namespace
}  // namespace wattune::backend::cuda
