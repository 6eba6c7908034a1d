// Roles of parameters, in both forms.
#include <gmock/gmock.h>

#include "spec/spec_fixture.h"

namespace wattune::inline v0_1::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Roles : public SpecTest {
 protected:
  Result<KernelSpec> parse(const std::string& parameters) const {
    return parse_toml(R"([kernel]
file = "add.cl"
function = "add"
arguments = []
[launch]
global = 64
local = 32
[parameters]
)" + parameters,
                      path("spec.toml"));
  }
  std::vector<ParameterRole> roles(const std::string& parameters) const {
    const KernelSpec spec = parse(parameters).value();
    std::vector<ParameterRole> all;
    for (const Parameter& parameter : spec.parameters) all.push_back(parameter.role);
    return all;
  }
};

TEST_F(Roles, AreReadFromTheParametersTable) {
  EXPECT_THAT(roles("a = [1]\n"
                    "b = { values = [1], role = \"launch\" }\n"
                    "c = { values = [1], role = \"graphics_clock\" }\n"
                    "d = { values = [1], role = \"memory_clock\" }\n"
                    "e = { values = [1.5], role = \"power_limit\" }\n"),
              ElementsAre(ParameterRole::code, ParameterRole::launch, ParameterRole::graphics_clock,
                          ParameterRole::memory_clock, ParameterRole::power_limit));
}

TEST_F(Roles, KernelTunersNamesAreClocksUnlessTheSpecSaysOtherwise) {
  EXPECT_THAT(roles("nvml_gr_clock = [1410]\nnvml_mem_clock = [2619]\nnvml_pwr_limit = { values = [300] }\n"),
              ElementsAre(ParameterRole::graphics_clock, ParameterRole::memory_clock, ParameterRole::power_limit));
  EXPECT_THAT(roles("nvml_gr_clock = { values = [\"low\"], role = \"code\" }\n"), ElementsAre(ParameterRole::code));
}

TEST_F(Roles, AMisspeltOneNamesTheNearest) {
  EXPECT_EQ(described(parse("f = { values = [1], role = \"graphic_clock\" }")),
            "9:29: unknown role of parameter `f`: `graphic_clock` (did you mean `graphics_clock`?)");
}

TEST_F(Roles, WhatIsSetOnTheBoardIsAPositiveNumber) {
  for (const std::string value : {"0", "-5", "\"high\"", "true"})
    EXPECT_THAT(described(parse("f = { values = [1410, " + value + "], role = \"graphics_clock\" }")),
                HasSubstr("the values of `f`, a graphics_clock, must be positive numbers of MHz"))
        << value;
  EXPECT_THAT(described(parse("nvml_pwr_limit = [0]")), HasSubstr("must be positive numbers of W: `0`"));
}

TEST_F(Roles, OneParameterSetsAClock) {
  EXPECT_EQ(described(parse("nvml_gr_clock = [1410]\nf = { values = [1200], role = \"graphics_clock\" }")),
            "10:1: a second graphics_clock beside `nvml_gr_clock`: `f`");
}

TEST_F(Roles, OnlyCodeGoesToTheKernelInAWayOfItsOwn) {
  EXPECT_THAT(described(parse("b = { values = [1], role = \"launch\", as = \"constant\" }")),
              HasSubstr("`as` of parameter `b` is for parameters whose role is code"));
}

// A name is a doubt if it is a whole word of the text or of the function's name. A parameter that is code is expected
// there.
TEST_F(Roles, AKernelThatNamesAParameterThatIsNoMacroIsDoubted) {
  KernelSpec spec = parse("blocks = { values = [4], role = \"launch\" }\nunroll = [1]\n").value();
  spec.source.text = "void add() { int n_blocks = my_blocks + blocks2 + unroll; }";
  spec.geometry.sizes[1].text = "blocks";
  EXPECT_THAT(doubts(spec), IsEmpty());
  spec.source.text += "int i = 2*blocks;";
  EXPECT_THAT(doubts(spec), ElementsAre(HasSubstr("the kernel names `blocks`, whose role is launch")));
  spec.source.text.clear();
  spec.source.function = "add<blocks>";
  EXPECT_THAT(doubts(spec), ElementsAre(HasSubstr("spec.toml:9:1: ")));
}

TEST_F(Roles, OnlyCodeThatMayMeanTheParameterIsDoubted) {
  KernelSpec spec = parse("blocks = { values = [4], role = \"launch\" }\n").value();
  spec.geometry.sizes[1].text = "blocks";
  for (const char* harmless :
       {"// all blocks work\nvoid add() {}", "/* blocks */ void add() {}", "void add() { printf(\"blocks\"); }",
        "void add() { int blocks = get_num_groups(0); use(blocks); }", "void add(int n, int blocks) { use(blocks); }",
        "#define blocks 4\nvoid add() { use(blocks); }", "void add() { use(grid.blocks, p->blocks); }"}) {
    spec.source.text = harmless;
    EXPECT_THAT(doubts(spec), IsEmpty()) << harmless;
  }
  for (const char* doubtful :
       {"void add() { return blocks; }", "/* a */ int a[blocks];", "void add() { use(blocks); }"}) {
    spec.source.text = doubtful;
    EXPECT_EQ(doubts(spec).size(), 1u) << doubtful;
  }
}

TEST_F(Roles, T1HasThemByNameAndByAKeyOfItsOwn) {
  const auto read = [&](const std::string& parameters) {
    return parse_t1(R"({"ConfigurationSpace": {"TuningParameters": [)" + parameters + R"(]},
 "KernelSpecification": {"Language": "OpenCL", "KernelName": "add", "KernelFile": "add.cl", "LocalSize": {"X": "1"},
                         "GlobalSize": {"X": "1"}, "Arguments": []}})",
                    path("spec.json"));
  };
  const KernelSpec spec = read(R"({"Name": "nvml_gr_clock", "Type": "int", "Values": "[1410]"},
                                  {"Name": "n", "Type": "int", "Values": "[1]", "Role": "launch"},
                                  {"Name": "m", "Type": "int", "Values": "[1]"})")
                              .value();
  EXPECT_EQ(spec.parameters[0].role, ParameterRole::graphics_clock);
  EXPECT_EQ(spec.parameters[1].role, ParameterRole::launch);
  EXPECT_EQ(spec.parameters[2].role, ParameterRole::code);
  EXPECT_THAT(described(read(R"({"Name": "n", "Type": "int", "Values": "[1]", "Role": "lunch"})")),
              HasSubstr("unknown role of parameter `n`: `lunch`"));
}

}  // namespace
}  // namespace wattune::spec
