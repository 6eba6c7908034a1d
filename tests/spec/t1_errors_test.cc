// Mistakes in T1 files, at their places.
#include <string>

#include "spec/spec_fixture.h"

namespace wattune::inline v0_1::spec {
namespace {

constexpr std::string_view kGoodT1Spec = R"json({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "WX", "Type": "uint", "Values": "[16, 32]", "Default": 16}
    ],
    "Conditions": [{"Parameters": ["WX"], "Expression": "WX % 16 == 0"}]
  },
  "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 10}],
  "KernelSpecification": {
    "Language": "OpenCL", "KernelName": "add", "KernelFile": "add.cl",
    "GlobalSize": {"X": "256 // WX"},
    "LocalSize": {"X": "WX"},
    "Arguments": [
      {"Name": "a", "Type": "float", "Size": 256, "FillType": "Random", "MemoryType": "Vector"},
      {"Name": "n", "Type": "int32", "FillValue": 64, "MemoryType": "Scalar"}
    ]
  }
})json";

class T1Errors : public SpecTest {
 protected:
  std::string after(std::string_view from, std::string_view to) const {
    std::string text(kGoodT1Spec);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return described(parse_t1(text.replace(at, from.size(), to), path("spec.json")));
  }
};

TEST_F(T1Errors, NoneInTheGoodFile) { EXPECT_EQ(after("WX", "WX"), "fine"); }

TEST_F(T1Errors, SyntaxErrors) {
  EXPECT_EQ(after("\"Budget\":", "\"Budget\""),
            "8:12: syntax error while parsing object separator - unexpected '['; expected ':': `\"Budget\" [{\"Type\": "
            "\"ConfigurationCount\", \"BudgetValue\": 10}],`");
  EXPECT_TRUE(after("    ]\n  }\n}", "").starts_with("16:")) << "cut off";
  EXPECT_EQ(described(parse_t1("[]", path("spec.json"))), "1:1: the T1 file must be a table: `[]`");
  EXPECT_EQ(described(parse_t1(std::string(100, '['), path("spec.json"))), "1:65: nested too deeply");
}

TEST_F(T1Errors, MissingAndMisspeltKeys) {
  EXPECT_EQ(after("\"Name\": \"WX\", ", ""), "4:7: each of `TuningParameters` needs the key `Name`");
  EXPECT_EQ(after("\"Values\"", "\"Value\""), "4:38: unknown key in parameter `WX`: `Value` (did you mean `Values`?)");
  EXPECT_EQ(after("Conditions", "Condition"),
            "6:5: unknown key in ConfigurationSpace: `Condition` (did you mean `Conditions`?)");
  EXPECT_EQ(after("\"KernelName\": \"add\", ", ""), "9:26: KernelSpecification needs the key `KernelName`");
  EXPECT_EQ(after("{\"X\": \"256", "{\"x\": \"256"), "11:20: unknown key in `GlobalSize`: `x` (did you mean `X`?)");
  EXPECT_EQ(after("\"Budget\"", "\"Remark\": [{\"anything\": 1}], \"Budget\""), "fine");
}

TEST_F(T1Errors, WrongValues) {
  EXPECT_EQ(after("\"uint\"", "\"uintt\""), "4:31: unknown type of parameter `WX`: `uintt` (did you mean `uint`?)");
  EXPECT_EQ(after("[16, 32]", "[16, -1]"), "4:49: a value of `WX` is not of its type uint: `-1`");
  EXPECT_EQ(after("[16, 32]", "['16']"),
            "4:49: a value of `WX` is not of its type uint: `16` (numbers have no quotes)");
  EXPECT_EQ(after("[16, 32]", "['wide']"), "4:49: a value of `WX` is not of its type uint: `wide`");
  EXPECT_EQ(after("[16, 32]", "[]"), "4:49: `WX` has no values: `[]`");
  EXPECT_EQ(after("\"BudgetValue\": 10", "\"BudgetValue\": \"10\""),
            "8:61: `BudgetValue` of each of `Budget` must be a number: `10` (numbers have no quotes)");
  EXPECT_EQ(after("ConfigurationCount", "ConfigCount").substr(0, 44), "8:24: unknown type of budget: `ConfigCount` ");
  EXPECT_EQ(after("\"OpenCL\"", "\"Vulkan\""),
            "10:18: this language cannot be run here: `Vulkan` (one of: OpenCL, CUDA, C++, C)");
  EXPECT_EQ(after("\"Random\"", "\"Script\""),
            "14:64: unknown `FillType` of argument `a`: `Script` (one of: Constant, Random, Generator, BinaryRaw)");
  EXPECT_EQ(after("\"Vector\"", "\"Symbol\""),
            "14:88: unknown `MemoryType` of argument `a`: `Symbol` (one of: Vector, Scalar, Local)");
  EXPECT_EQ(after("\"n\"", "\"a\""), "15:17: a second argument of this name: `a`");
  EXPECT_EQ(after("\"float\"", "\"flot\""), "14:30: unknown `Type` of argument `a`: `flot` (did you mean `float`?)");
}

TEST_F(T1Errors, MistakesInsideExpressions) {
  EXPECT_EQ(after("WX % 16", "WY % 16"), "6:58: unknown name in constraint: `WY` (did you mean `WX`?)");
  EXPECT_EQ(after("WX % 16", "WX % % 16").substr(0, 5), "6:63:");
  EXPECT_EQ(after("256 // WX", "256 // WZ"), "11:33: unknown name in the launch sizes: `WZ` (did you mean `WX`?)");
  EXPECT_EQ(after("[16, 32]", "[16, 32").substr(0, 2), "4:");
}

TEST_F(T1Errors, MissingKernelFile) {
  EXPECT_EQ(after("add.cl", "ad.cl"),
            "10:63: `KernelFile` of KernelSpecification does not exist: `ad.cl` (did you mean `add.cl`?)");
}

}  // namespace
}  // namespace wattune::spec
