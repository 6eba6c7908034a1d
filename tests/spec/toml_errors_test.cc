// Mistakes in TOML specs: each is one line with the place, the offending text and the nearest valid name.
#include <string>
#include <vector>

#include "spec/spec_fixture.h"

namespace wattune::inline v0_1::spec {
namespace {

constexpr std::string_view kGoodTomlSpec = R"(name = "add"
[kernel]
file = "add.cl"
function = "add"
arguments = [
  { name = "a", type = "float*", length = "n * tile", fill = "iota" },
  { name = "c", type = "float*", length = "n", access = "write" },
  { name = "n", type = "int", value = "n" },
]
[problem]
n = 1024
[launch]
global = ["n // tile"]
local = ["block"]
[parameters]
block = [32, 64]
tile = { values = [1, 2, 4], default = 1 }
[search]
constraints = ["block * tile <= 128"]
evaluations = 10
[reference]
file = "reference.cc"
absolute = 0.1
)";

class TomlErrors : public SpecTest {
 protected:
  void SetUp() override {
    SpecTest::SetUp();
    write("reference.cc", "");
    write("naive.cl", "");
  }

  // Returns the message for the good spec with `from` replaced by `to`.
  std::string after(std::string_view from, std::string_view to) const {
    std::string text(kGoodTomlSpec);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return described(parse_toml(text.replace(at, from.size(), to), path("spec.toml")));
  }
};

TEST_F(TomlErrors, NoneInTheGoodSpec) { EXPECT_EQ(after("add", "add"), "fine"); }

// Objectives, metrics and constraints would confuse the parameter with the metric.
TEST_F(TomlErrors, NamesOfMetrics) {
  for (const std::string& name : figure_names())
    EXPECT_EQ(after("block = [32, 64]", "block = [32, 64]\n" + name + " = [1, 2]"),
              "17:1: a parameter has the name of a metric: `" + name +
                  "` (rename it: objectives, metrics and constraints would read the one for the other)");
  EXPECT_NE(
      after("n = 1024", "n = 1024\nenergy = 3").find("an extent of the problem has the name of a metric: `energy`"),
      std::string::npos);
}

TEST_F(TomlErrors, SyntaxErrors) {
  EXPECT_EQ(after("n = 1024", "n = "), "11:5: Error while parsing key-value pair: expected value, saw '\\n': `n =`");
  EXPECT_TRUE(after("block = [32, 64]", "tile = [1]").starts_with("17:")) << "a key twice";
  EXPECT_EQ(after("[search]", "[ =search]"), "18:3: malformed table header: `[ =search]`");
  EXPECT_TRUE(after("n = 1024", "n é= 1024").starts_with("11:3:"));
  EXPECT_EQ(after("n = 1024", "n = 2020-01-01"), "11:5: dates and times have no meaning here");
  const auto ends = [&](const std::string& values, const std::string& advice) {
    return after("[32, 64]", values).ends_with("(" + advice + ")");
  };
  EXPECT_TRUE(ends("range(1, 9)", "texts and expressions stand in quotes, and lists in []"));
  EXPECT_TRUE(ends("[True]", "TOML writes true and false"));
  EXPECT_TRUE(ends("[None]", "TOML has no null: leave the key out"));
  EXPECT_TRUE(ends("[\u201ca\u201d]", "quotes are \" or '"));
  EXPECT_TRUE(ends("[\"a\\k\"]", "write a backslash twice, or the text in single quotes"));
  EXPECT_TRUE(ends("{ values = [1],\n default = 1 }", "a table in { } stands on one line"));
}

TEST_F(TomlErrors, MisspeltKeysInEverySection) {
  EXPECT_EQ(after("name = \"add\"", "nam = \"add\""), "1:1: unknown key in the spec: `nam` (did you mean `name`?)");
  EXPECT_EQ(after("[launch]", "[lunch]"), "12:2: unknown key in the spec: `lunch` (did you mean `launch`?)");
  EXPECT_EQ(after("function", "fnction"), "4:1: unknown key in [kernel]: `fnction` (did you mean `function`?)");
  EXPECT_EQ(after("length = \"n * tile\"", "lenght = 1"),
            "6:34: unknown key in argument `a`: `lenght` (did you mean `length`?)");
  EXPECT_EQ(after("fill = \"iota\"", "fill = \"iota\", low = 0"),
            "6:70: unknown key in argument `a`: `low` (fill = \"uniform\" has it)");
  EXPECT_EQ(after("access = \"write\"", "access = \"write\", fill = \"iota\""),
            "7:66: unknown key in argument `c`: `fill` (one of: name, type, length, access, compare_length, compare)");
  EXPECT_EQ(after("value = \"n\"", "valu = 1"), "8:31: unknown key in argument `n`: `valu` (did you mean `value`?)");
  EXPECT_EQ(after("local =", "locale ="), "14:1: unknown key in [launch]: `locale` (did you mean `local`?)");
  EXPECT_EQ(after("default", "defualt"), "17:30: unknown key in parameter `tile`: `defualt` (did you mean `default`?)");
  EXPECT_EQ(after("constraints", "constrains"),
            "19:1: unknown key in [search]: `constrains` (did you mean `constraints`?)");
  EXPECT_EQ(after("absolute", "absolut"), "23:1: unknown key in [reference]: `absolut` (did you mean `absolute`?)");
}

TEST_F(TomlErrors, MissingKeys) {
  EXPECT_EQ(after("[kernel]\nfile = \"add.cl\"", "[kernel]"), "2:1: [kernel] needs the key `file`");
  EXPECT_EQ(after(", type = \"int\"", ""), "8:3: argument `n` needs the key `type`");
  EXPECT_EQ(after("name = \"a\", ", ""), "6:3: each of `arguments` needs the key `name`");
  EXPECT_EQ(after("values = [1, 2, 4], ", ""), "17:8: parameter `tile` needs the key `values`");
  EXPECT_EQ(after("global = [\"n // tile\"]", ""), "12:1: [launch] needs one of the keys global, grid, divide");
  EXPECT_EQ(after("local = [\"block\"]", ""),
            "12:1: [launch] needs the key `local` or `block`: no parameter is called block_size_x");
  EXPECT_EQ(after("file = \"reference.cc\"\n", ""), "21:1: [reference] needs the key `file`");
}

TEST_F(TomlErrors, WrongTypes) {
  EXPECT_EQ(after("file = \"add.cl\"", "file = 3"), "3:8: `file` of [kernel] must be a string: `3`");
  EXPECT_EQ(after("\"n * tile\"", "[1]"),
            "6:43: `length` of argument `a` must be an integer or an expression: `[...]`");
  EXPECT_EQ(after("n = 1024", "n = 10.5"), "11:5: `n` of [problem] must be an integer: `10.5`");
  EXPECT_EQ(after("n = 1024", "n = 0"), "11:5: `n` of [problem] must be positive: `0`");
  EXPECT_EQ(after("[32, 64]", "32"),
            "16:9: the values of `block` must be a list or a text such as \"range(1, 9)\": `32`");
  EXPECT_EQ(after("[32, 64]", "[32, []]"),
            "16:14: each value of `block` must be a number, a boolean or a string: `[]`");
  EXPECT_EQ(
      after("[32, 64]", "[nan]"),
      "16:10: each value of `block` must be a number, a boolean or a string: `nan` (write the kernel's own word as a "
      "text, such as \"INFINITY\" or \"NAN\")");
  EXPECT_EQ(
      after("[32, 64]", "\"[1e300 * 1e300]\""),
      "16:10: a value of `block` is not finite: `[1e300 * 1e300]` (write the kernel's own word as a text, such as "
      "\"INFINITY\" or \"NAN\")");
  EXPECT_EQ(after("n = 1024", "n = 18446744073709551615"),
            "11:6: `n` of [problem] must be below 2^63: `18446744073709551615`");
  EXPECT_EQ(after("evaluations = 10", "evaluations = 0"), "20:15: `evaluations` of [search] must be at least 1: `0`");
  EXPECT_EQ(after("evaluations = 10", "fraction = 1.5"), "20:12: `fraction` of [search] must be in (0, 1]: `1.5`");
  EXPECT_EQ(after("evaluations = 10", "seconds = inf"), "20:11: `seconds` of [search] must be a finite number: `inf`");
  EXPECT_EQ(after("absolute = 0.1", "seconds = 0"), "23:11: `seconds` of [reference] must be positive: `0`");
  EXPECT_EQ(after("absolute = 0.1", "absolute = -1"), "23:12: `absolute` of [reference] is negative: `-1`");
  EXPECT_EQ(after("[problem]\nn", "[[problem]]\nn"), "10:1: [problem] must be a table: `[...]`");
  EXPECT_EQ(after("[\"block * tile <= 128\"]", "\"block > 1\""),
            "19:16: `constraints` of [search] must be a list of strings: `block > 1` (write [\"block > 1\"])");
  EXPECT_EQ(after("evaluations = 10", "maximize = ['a', 3]"),
            "20:18: each of `maximize` of [search] must be a string: `3`");
  EXPECT_EQ(after("name = \"add\"", "name = \"a/b\""), "1:9: the name is part of file names and cannot be this: `a/b`");
}

TEST_F(TomlErrors, OutputsThatCannotBeComparedSo) {
  const std::string written = "access = \"write\"";
  EXPECT_EQ(after(written, written + ", compare = \"sum\", compare_length = \"n // 2\""), "fine");
  EXPECT_EQ(after(written, written + ", compare = \"sums\""),
            "7:77: unknown comparison of argument `c`: `sums` (did you mean `sum`?)");
  EXPECT_EQ(after(written, written + ", compare_length = \"m\""),
            "7:84: unknown name in `compare_length` of argument `c`: `m` (did you mean `n`?)");
  EXPECT_EQ(after("fill = \"iota\"", "compare = \"none\""),
            "6:66: argument `a` is only read, so that nothing is compared: `none`");
}

TEST_F(TomlErrors, BuffersOfStructsThatCannotBe) {
  const std::string floats = R"(type = "float*", length = "n", access = "write")";
  const std::string field = R"({ name = "x", type = "int")";
  const auto with = [&](const std::string& keys) {
    return after(floats, R"(type = "struct*", length = "n", )" + keys);
  };
  EXPECT_EQ(with("access = \"write\", fields = [" + field + " }]"), "fine");
  EXPECT_EQ(with("fields = [" + field + ", fill = \"iota\" }]"), "fine");
  EXPECT_EQ(with("access = \"write\""), "7:3: argument `c` needs the key `fields`");
  EXPECT_EQ(with("access = \"write\", fields = [" + field + ", fill = \"iota\" }]"),
            "7:105: unknown key in field `x` of argument `c`: `fill` (one of: name, type)");
  EXPECT_EQ(with("fill = \"iota\", fields = [" + field + " }]"),
            "7:57: argument `c` is only filled as a whole from a file: `iota` (give each of its fields a fill)");
  EXPECT_EQ(with("fields = [{ name = \"x\", type = \"float4\" }]"),
            "7:81: field `x` of argument `c` may not be a vector type: `float4` (give local memory the length of its "
            "components, and a struct a field for each)");
}

TEST_F(TomlErrors, LaunchesThatCannotBe) {
  const std::string launch = "[launch]\nglobal = [\"n // tile\"]\nlocal = [\"block\"]";
  const std::string step = "[[launch]]\nglobal = \"n\"\nlocal = \"block\"\n";
  EXPECT_EQ(after(launch, step + step + "function = \"last\"\narguments = [\"n\", \"c\"]\nwhen = \"tile > 1\""),
            "fine");
  EXPECT_EQ(after(launch, step + "arguments = [\"a\", \"d\"]"),
            "15:20: [kernel] has no argument of this name: `d` (did you mean `a`?)");
  EXPECT_EQ(after(launch, step + "wen = \"tile > 1\""),
            "15:1: unknown key in [[launch]] number 1: `wen` (did you mean `when`?)");
  EXPECT_EQ(after(launch, step + "when = \"tiles > 1\""),
            "15:9: unknown name in `when` of the launch: `tiles` (did you mean `tile`?)");
  EXPECT_EQ(after(launch, step + "function = \"add<tile>\"\nrepeat = \"tile // 2\""), "fine");
  EXPECT_EQ(after(launch, step + "repeat = \"tiles\""),
            "15:11: unknown name in `repeat` of the launch: `tiles` (did you mean `tile`?)");
  EXPECT_EQ(after(launch, launch + "\nwhen = \"tile > 1\""), "fine");
  EXPECT_EQ(after("[launch]\nglobal = [\"n // tile\"]\nlocal = [\"block\"]\n[parameters]", "launch = []\n[parameters]")
                .substr(0, 4),
            "12:1");
}

TEST_F(TomlErrors, StructsThatCannotBe) {
  const std::string number = R"(type = "int", value = "n")";
  EXPECT_EQ(after(number, R"(type = "struct", value = 1)"),
            "8:34: unknown key in argument `n`: `value` (one of: name, type, fields)");
  EXPECT_EQ(after(number, R"(type = "struct", fields = [])"),
            "8:43: `fields` of argument `n` must be a list of tables: `[]`");
  const auto with_field = [&](const std::string& field) {
    return after(number, R"(type = "struct", fields = [{ name = "f", )" + field + " }]");
  };
  EXPECT_EQ(with_field(R"(type = "int", value = "n")"), "fine");
  EXPECT_EQ(with_field(R"(type = "int*", value = 1)"),
            "8:66: field `f` of argument `n` must have the type of a scalar: `int*`");
  EXPECT_EQ(with_field(R"(type = "struct", value = 1)"),
            "8:66: field `f` of argument `n` must have the type of a scalar: `struct`");
  EXPECT_EQ(with_field(R"(type = "int", value = "m")"),
            "8:81: unknown name in field `f` of argument `n`: `m` (did you mean `n`?)");
}

TEST_F(TomlErrors, EmptyLists) {
  EXPECT_EQ(after("[32, 64]", "[]"), "16:9: `block` has no values: `[]`");
  EXPECT_EQ(after("[32, 64]", "\"range(3, 3)\""), "16:10: `block` has no values: `range(3, 3)`");
  EXPECT_EQ(after("[\"block\"]", "[]"), "14:9: `local` of [launch] must have one, two or three dimensions: `[]`");
}

TEST_F(TomlErrors, UnknownWords) {
  EXPECT_EQ(after("float*", "flaot*"), "6:25: unknown type of argument `a`: `flaot*` (did you mean `float`?)");
  EXPECT_EQ(after("float*", "const unsigned int*"),
            "6:25: unknown type of argument `a`: `const unsigned int*` (did you mean `uint*`?)");
  EXPECT_EQ(after("\"int\"", "\"size_t\""), "8:25: unknown type of argument `n`: `size_t` (did you mean `ulong`?)");
  EXPECT_EQ(after("\"int\"", "\"int8_t\""), "8:25: unknown type of argument `n`: `int8_t` (did you mean `char`?)");
  EXPECT_EQ(after("\"int\"", "\"matrix\""),
            "8:25: unknown type of argument `n`: `matrix` (such as float, uint, double4 or float*)");
  EXPECT_EQ(after("\"int\"", "\"ints\""), "8:25: unknown type of argument `n`: `ints` (did you mean `int`?)");
  EXPECT_EQ(after("type = \"int\", value = \"n\"", "type = \"local int4\", length = 4").substr(0, 40),
            "8:25: argument `n` may not be a vector t");
  EXPECT_EQ(after("\"iota\"", "\"itoa\""), "6:63: unknown fill of argument `a`: `itoa` (did you mean `iota`?)");
  EXPECT_EQ(after("\"write\"", "\"writ\""), "7:58: unknown access of argument `c`: `writ` (did you mean `write`?)");
  EXPECT_EQ(after("function = \"add\"", "function = \"add\"\nlanguage = \"OpenGL\""),
            "5:13: unknown language: `OpenGL` (did you mean `OpenCL`?)");
}

TEST_F(TomlErrors, Duplicates) {
  EXPECT_EQ(after("name = \"c\"", "name = \"a\""), "7:13: a second argument of this name: `a`");
  EXPECT_EQ(after("name = \"c\"", "name = \"\""), "7:13: an argument needs a name");
  EXPECT_EQ(after("block = [32, 64]", "n = [1]\nblock = [32]"),
            "16:1: a parameter and an extent of the problem of the same name: `n`");
  EXPECT_EQ(after("block = [32, 64]", "problem_size_x = [1]\nblock = [32]"),
            "16:1: a parameter and an extent of the problem of the same name: `problem_size_x`");
  EXPECT_EQ(after("block = [32, 64]", "\"b-c\" = [1]\nblock = [32]"),
            "16:1: a parameter's name must be an identifier, because it becomes a macro of the kernel: `b-c`");
  EXPECT_EQ(after("local =", "grid = 1\nlocal ="), "14:8: [launch] has both `global` and `grid`: `1`");
  EXPECT_EQ(after("default = 1", "default = 3"),
            "17:40: the default of `tile` is none of its values: `3` (one of: 1, 2, 4)");
}

TEST_F(TomlErrors, UnknownNamesInExpressions) {
  EXPECT_EQ(after("n * tile", "n * til"),
            "6:48: unknown name in `length` of argument `a`: `til` (did you mean `tile`?)");
  EXPECT_EQ(after("value = \"n\"", "value = \"2 * i\"").substr(0, 53),
            "8:44: unknown name in `value` of argument `n`: `i` (d");
  EXPECT_EQ(after("n // tile", "ProblemSize[1]"),
            "13:12: unknown name in the launch sizes: `ProblemSize[1]` (did you mean `ProblemSize[0]`?)");
  EXPECT_EQ(after("block * tile", "'tiles' == '' or tile * tiles"),
            "19:41: unknown name in constraint: `tiles` (did you mean `tile`?)");
  EXPECT_EQ(after("block * tile", "registers"),
            "19:17: unknown name in constraint: `registers` (conditions on what a compiled kernel takes belong in "
            "`resource_constraints`)");
  EXPECT_EQ(after("fill = \"iota\"", "fill = \"expression\", expression = \"i + j\"").substr(0, 52),
            "6:94: unknown name in `fill` of argument `a`: `j` (d");
}

TEST_F(TomlErrors, MistakesInsideExpressions) {
  EXPECT_EQ(after("block * tile <= 128", "block * <= 128").substr(0, 6), "19:25:");
  EXPECT_EQ(after("n // tile", "n // (tile").substr(0, 6), "13:22:");
  EXPECT_EQ(after("[32, 64]", "\"range(1, \"").substr(0, 3), "16:");
}

TEST_F(TomlErrors, MissingFiles) {
  EXPECT_EQ(after("add.cl", "ad.cl"), "3:9: `file` of [kernel] does not exist: `ad.cl` (did you mean `add.cl`?)");
  EXPECT_EQ(after("add.cl", "."), "3:9: `file` of [kernel] is a folder: `.`");
  EXPECT_EQ(after("add.cl", ""), "3:9: `file` of [kernel] names no file");
  EXPECT_EQ(after("reference.cc", "refrence.cc"),
            "22:9: `file` of [reference] does not exist: `refrence.cc` (did you mean `reference.cc`?)");
  EXPECT_EQ(after("fill = \"iota\"", "fill = \"file\", file = \"x\""),
            "6:78: `file` of argument `a` does not exist: `x`");
}

TEST_F(TomlErrors, ReferencesThatCannotBe) {
  EXPECT_EQ(after("reference.cc", "naive.cl"), "21:1: [reference] needs the key `function`");
  EXPECT_EQ(after("file = \"reference.cc\"", "outputs = { b = \"x\" }"),
            "22:13: unknown key in `outputs` of [reference]: `b` (did you mean `c`?)");
  EXPECT_EQ(after("file = \"reference.cc\"", "file = \"reference.cc\"\nglobal = 1").substr(0, 36),
            "23:1: unknown key in [reference]: `g");
}

TEST_F(TomlErrors, FilesThatAreNoSpecs) {
  EXPECT_EQ(load(path("spec.tom")).error().message(), "a spec is a .toml or .json file");
  const Result<KernelSpec> missing = load(path("spec.toml"));
  EXPECT_EQ(missing.error().code(), ErrorCode::not_found);
  write("spek.toml", kGoodTomlSpec);
  EXPECT_EQ(load(path("spec.toml")).error().advice(), "did you mean `spek.toml`?");
}

}  // namespace
}  // namespace wattune::spec
