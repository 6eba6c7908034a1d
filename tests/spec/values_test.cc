// Specs without parameters, unusual values of arguments, vectors, sizes in templates, and parameters that nothing
// reads.
#include <gmock/gmock.h>

#include <limits>

#include "spec/spec_fixture.h"

namespace wattune::inline v0_1::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns the spec of a kernel with these arguments and this text behind.
std::string spec_of(const std::string& arguments, const std::string& rest = {}, const std::string& kernel = "add.cl") {
  return "[kernel]\nfile = \"" + kernel + "\"\nfunction = \"add\"\narguments = [\n" + arguments +
         "]\n[problem]\nn = 1024\n[launch]\nglobal = \"n\"\nlocal = 64\n" + rest;
}

class Values : public SpecTest {
 protected:
  Result<KernelSpec> parse(const std::string& text, SourcePolicy policy = SourcePolicy::required) const {
    return parse_toml(text, path("spec.toml"), policy);
  }
  // Returns the text of a scalar's value, or the message of an error.
  std::string value_of(const std::string& value, const std::string& type = "float") const {
    const auto spec = parse(spec_of("{ name = \"a\", type = \"" + type + "\", value = " + value + " },\n"));
    return spec ? std::get<ScalarArgument>(spec->arguments[0].kind).value.text : described(spec);
  }
};

TEST_F(Values, ASpecMayHaveNoParameters) {
  EXPECT_THAT(parse(spec_of("")).value().parameters, IsEmpty());
  EXPECT_THAT(parse(spec_of("", "[parameters]\n")).value().parameters, IsEmpty());
  const auto t1 = parse_t1(R"({"ConfigurationSpace": {"TuningParameters": []}, "KernelSpecification": {
"Language": "OpenCL", "KernelName": "add", "KernelFile": "add.cl", "LocalSize": {"X": "1"}, "GlobalSize": {"X": "1"},
"Arguments": [{"Name": "a", "Type": "uint64", "MemoryType": "Scalar", "FillType": "Constant",
               "FillValue": 18446744073709551615}]}})",
                           path("spec.json"));
  ASSERT_TRUE(t1) << t1.error().to_string();
  EXPECT_THAT(t1->parameters, IsEmpty());
  EXPECT_EQ(std::get<ScalarArgument>(t1->arguments[0].kind).value.text, "'18446744073709551615'");
}

TEST_F(Values, OfArgumentsMayBeInfiniteAndNoNumber) {
  EXPECT_EQ(value_of("inf"), "inf");
  EXPECT_EQ(value_of("-inf"), "-inf");
  EXPECT_EQ(value_of("nan"), "nan");
  EXPECT_EQ(value_of("\"inf if n > 4 else nan\""), "inf if n > 4 else nan");
  EXPECT_THAT(value_of("\"infinity\""), HasSubstr("unknown name in `value` of argument `a`: `infinity`"));
  const auto spec = parse(spec_of(R"({ name = "x", type = "float*", length = 4, fill = "constant", value = -inf },
  { name = "y", type = "float*", length = 4, fill = "expression", expression = "inf if i == 0 else 0" },
)"));
  ASSERT_TRUE(spec) << spec.error().to_string();
  const auto& fill = std::get<VectorArgument>(spec->arguments[0].kind).fill;
  EXPECT_EQ(std::get<FillConstant>(fill).value, -std::numeric_limits<double>::infinity());
}

// A buffer's first value may be any number. In JSON a text stands for those that are not finite.
TEST_F(Values, OfConstantFillsMayBeAnyNumber) {
  const auto value_of_fill = [&](const std::string& value) {
    const auto spec = parse(
        spec_of("{ name = \"x\", type = \"ulong*\", length = 4, fill = \"constant\", value = " + value + " },\n"));
    return spec ? std::get<FillConstant>(std::get<VectorArgument>(spec->arguments[0].kind).fill).value.to_string()
                : described(spec);
  };
  EXPECT_EQ(value_of_fill("0xFFFFFFFFFFFFFFFF"), "18446744073709551615");
  EXPECT_EQ(value_of_fill("9007199254740993"), "9007199254740993");
  EXPECT_EQ(value_of_fill("\"nan\""), "nan");
  EXPECT_EQ(value_of_fill("-0.5"), "-0.5");
  EXPECT_THAT(value_of_fill("\"n\""), HasSubstr("`value` of argument `x` must be a number: `n` (fill = \"expression\" "
                                                "takes an expression)"));
  EXPECT_THAT(value_of_fill("true"), HasSubstr("must be a number: `True`"));
  const auto t1 = [&](const std::string& value) {
    const auto spec = parse_t1(
        R"({"ConfigurationSpace": {"TuningParameters": []}, "KernelSpecification": {
"Language": "OpenCL", "KernelName": "add", "KernelFile": "add.cl", "LocalSize": {"X": "1"}, "GlobalSize": {"X": "1"},
"Arguments": [{"Name": "a", "Type": "float", "MemoryType": "Vector", "Size": 4, "FillType": "Constant", "FillValue": )" +
            value + "}]}}",
        path("spec.json"));
    return spec ? std::get<FillConstant>(std::get<VectorArgument>(spec->arguments[0].kind).fill).value.to_string()
                : described(spec);
  };
  EXPECT_EQ(t1("\"-inf\""), "-inf");
  EXPECT_EQ(t1("18446744073709551615"), "18446744073709551615");
  EXPECT_THAT(t1("NaN"), HasSubstr("(JSON has no such number: the value may be a text, \"nan\", \"inf\" or \"-inf\")"));
}

// Integers beyond 63 bits are texts of digits, which are exact.
TEST_F(Values, OfArgumentsMayHaveSixtyFourBits) {
  const std::string largest = "'18446744073709551615'";
  for (const char* written : {"18446744073709551615", "18_446_744_073_709_551_615", "0xFFFFFFFFFFFFFFFF",
                              "\"18446744073709551615\"", "\"2**64 - 1\"", "\"2 ** 63 + (2**63 - 1)\""})
    EXPECT_EQ(value_of(written, "ulong"), largest) << written;
  EXPECT_EQ(value_of("\"2**63\"", "ulong"), "'9223372036854775808'");
  EXPECT_EQ(value_of("9223372036854775807", "ulong"), "9223372036854775807");
  EXPECT_THAT(value_of("18446744073709551616", "ulong"), HasSubstr("integer outside 64 bits"));
  EXPECT_THAT(value_of("-9223372036854775809", "long"), HasSubstr("integer outside 64 bits"));
  EXPECT_THAT(value_of("1.5e400", "double"), HasSubstr("could not be interpreted"));
}

TEST_F(Values, OfParametersKeepTheirDigits) {
  const auto spec = parse(spec_of("", "[parameters]\nseed = [1, 18446744073709551615]\n"));
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_THAT(spec->parameters[0].values, ElementsAre(Value(1), Value("18446744073709551615")));
}

const VectorArgument& buffer(const KernelSpec& spec) { return std::get<VectorArgument>(spec.arguments[0].kind); }

// Vectors of three take the room of four in OpenCL, and of three in CUDA.
TEST_F(Values, VectorsOfThreeHaveTheRoomOfTheirLanguage) {
  write("add.cu", "__global__ void add() {}");
  const std::string arguments =
      "{ name = \"v\", type = \"float3*\", length = \"n\" },\n{ name = \"o\", type = \"int3\", value = [1, 2, \"n\"] "
      "},\n";
  std::string text = spec_of(arguments);
  KernelSpec spec = parse(text.replace(text.find("function"), 0, "cuda = { file = \"add.cu\" }\n")).value();
  EXPECT_EQ(element_bytes(buffer(spec)), 16u);
  EXPECT_EQ(layout_of(std::get<StructArgument>(spec.arguments[1].kind)).bytes, 16u);
  ASSERT_TRUE(use_language(spec, {Language::cuda}));
  EXPECT_EQ(element_bytes(buffer(spec)), 12u);
  EXPECT_EQ(layout_of(std::get<StructArgument>(spec.arguments[1].kind)).bytes, 12u);
  EXPECT_EQ(element_bytes(buffer(parse(spec_of(arguments, "", "add.cu")).value())), 12u);
}

TEST_F(Values, VectorsMayBePassedByValue) {
  const auto spec = parse(spec_of(R"({ name = "a", type = "float4", value = [0.5, "n", -inf, 1] },
  { name = "b", type = "double2", value = 1.5 },
  { name = "c", type = "uchar4", value = [1, 2, 3, 4] },
  { name = "d", type = "int2*", length = 4 },
)"));
  ASSERT_TRUE(spec) << spec.error().to_string();
  const auto& first = std::get<StructArgument>(spec->arguments[0].kind);
  EXPECT_EQ(layout_of(first).bytes, 16u);
  EXPECT_EQ(first.fields[1].scalar.value.text, "n");
  const auto& second = std::get<StructArgument>(spec->arguments[1].kind);
  EXPECT_EQ(layout_of(second).bytes, 16u);
  EXPECT_EQ(second.fields[1].scalar.value.text, "1.5");
  EXPECT_EQ(layout_of(std::get<StructArgument>(spec->arguments[2].kind)).bytes, 4u);
  EXPECT_THAT(described(parse(spec_of("{ name = \"a\", type = \"float4\", value = [1, 2] },\n"))),
              HasSubstr("argument `a` has 2 values, and its type 4"));
  const auto again = parse_toml(write_toml(*spec).value(), path("again.toml"));
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(std::get<StructArgument>(again->arguments[0].kind).fields[2].scalar.value.text, "-inf");
}

TEST_F(Values, OfSizesStandInTemplateArguments) {
  write("add.cu", "template <int n, int block> __global__ void add() {}");
  std::string text = spec_of("", "[parameters]\nblock = [64]\n", "add.cu");
  const auto spec =
      parse(text.replace(text.find("\"add\""), 5, "\"nn::add<n, block, problem_size_x / 2, ProblemSize[0], n2>\""));
  ASSERT_TRUE(spec) << spec.error().to_string();
  const std::string instance = "nn::add<1024, block, 1024 / 2, 1024, n2>";
  EXPECT_EQ(launched_source(*spec).function, instance);
  EXPECT_EQ(launches_of(*spec).front().function, instance);
  KernelSpec other = *spec;
  other.problem_size[0].value = 7;
  EXPECT_EQ(launched_source(other).function, "nn::add<7, block, 7 / 2, 7, n2>");
}

// Counting a space and compiling need neither the data of arguments nor the reference.
TEST_F(Values, DataNeedNotBeThereForCompiling) {
  const std::string text = spec_of(R"({ name = "x", type = "float*", length = "n", fill = "file", file = "x.npy" },
  { name = "y", type = "float*", length = "n", access = "write" },
)",
                                   "[reference]\noutputs = { y = \"y.npy\" }\n");
  EXPECT_THAT(described(parse(text)), HasSubstr("does not exist"));
  EXPECT_EQ(described(parse(text, SourcePolicy::kernel)), "fine");
  EXPECT_EQ(described(parse(text, SourcePolicy::optional)), "fine");
  EXPECT_EQ(described(parse(spec_of("", "[reference]\nfile = \"none.cc\"\n"), SourcePolicy::kernel)), "fine");
  EXPECT_THAT(described(parse(spec_of("", "", "none.cl"), SourcePolicy::kernel)), HasSubstr("does not exist"));
  const std::string t1 =
      R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "b", "Type": "int", "Values": "[1]"}]},
"KernelSpecification": {"Language": "OpenCL", "KernelName": "add", "KernelFile": "add.cl", "LocalSize": {"X": "1"},
"GlobalSize": {"X": "1"}, "Arguments": [{"Name": "y", "Type": "float", "MemoryType": "Vector", "Size": 4,
"AccessType": "WriteOnly"}], "ReferenceArguments": [{"TargetName": "y", "FillType": "BinaryRaw", "DataSource": "y.bin"}]}})";
  EXPECT_THAT(described(parse_t1(t1, path("spec.json"))), HasSubstr("does not exist"));
  EXPECT_EQ(described(parse_t1(t1, path("spec.json"), SourcePolicy::kernel)), "fine");
  EXPECT_EQ(described(parse_t1(t1, path("spec.json"), SourcePolicy::optional)), "fine");
}

class Unread : public Values {
 protected:
  // Returns the doubts about a kernel with a parameter `tile`, and with options and more of the spec.
  std::vector<std::string> doubts_of(const std::string& kernel, const std::string& more = {}) const {
    write("k.cl", kernel);
    std::string text = spec_of("", "[parameters]\ntile = [1, 2]\n" + more, "k.cl");
    const auto spec = parse(text);
    EXPECT_TRUE(spec) << spec.error().to_string();
    return spec ? doubts(*spec) : std::vector<std::string>();
  }
};

TEST_F(Unread, AParameterThatNothingReadsIsDoubted) {
  EXPECT_THAT(doubts_of("void add() { int tiles; /* tile */ } // tile\n"),
              ElementsAre(HasSubstr("spec.toml:12:1: nothing reads the parameter `tile`: neither the kernel nor an "
                                    "expression of the spec")));
  EXPECT_THAT(doubts_of("void add() { int i = tile; }"), IsEmpty());
  EXPECT_THAT(doubts_of("void add() {}", "[search]\nconstraints = [\"tile > 0\"]\n"), IsEmpty());
  EXPECT_THAT(doubts_of("void add() {}", "[metrics]\nspeed = \"tile / time\"\n"), IsEmpty());
}

TEST_F(Unread, IncludedFilesAreReadOrNothingIsSaid) {
  write("used.h", "#include \"deeper.h\"\n");
  write("deeper.h", "\xEF\xBB\xBF#define N tile\r\n");
  EXPECT_THAT(doubts_of("#include \"used.h\"\nvoid add() {}"), IsEmpty());
  write("deeper.h", "#define N 4\n");
  EXPECT_EQ(doubts_of("#include \"used.h\"\n#include <math.h>\nvoid add() {}").size(), 1u);
  EXPECT_THAT(doubts_of("#include \"missing.h\"\nvoid add() {}"), IsEmpty());
  EXPECT_THAT(doubts_of("#include <missing.h>\nvoid add() {}"), IsEmpty());
  EXPECT_THAT(doubts_of("#include HEADER\nvoid add() {}"), IsEmpty());
}

TEST_F(Unread, RolesThatActOtherwiseAreNotDoubted) {
  write("k.cl", "void add() {}");
  const auto of = [&](const std::string& parameters) {
    return doubts(parse(spec_of("", "[parameters]\n" + parameters, "k.cl")).value());
  };
  EXPECT_THAT(of("nvml_gr_clock = [1005]\nwatts = { values = [250], role = \"power_limit\" }\n"), IsEmpty());
  EXPECT_THAT(of("blocks = { values = [4], role = \"launch\" }\n"),
              ElementsAre(HasSubstr("nothing reads the parameter `blocks`: no expression of the spec does")));
}

}  // namespace
}  // namespace wattune::inline v0_1::spec
