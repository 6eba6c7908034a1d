// Specs of functions on the host.
#include <gmock/gmock.h>

#include "spec/spec_fixture.h"

namespace wattune::inline v0_1::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::string_view kGoodHostSpec = R"([kernel]
file = "f.cc"
function = "f<TILE>"
arguments = [
  { name = "a", type = "float*", length = 64, access = "write" },
  { name = "b", type = "half*", length = 64 },
  { name = "c", type = "uchar*", length = 64 },
  { name = "d", type = "double4*", length = 64 },
  { name = "n", type = "long", value = 64 },
  { name = "s", type = "struct", fields = [
    { name = "x", type = "int", value = 1 }, { name = "y", type = "double", value = 2 } ] },
]
[parameters]
TILE = [32, 64]
)";

class HostSpec : public SpecTest {
 protected:
  void SetUp() override {
    SpecTest::SetUp();
    for (const char* name : {"f.cc", "f.cpp", "f.cxx", "f.C", "f.c", "f.txt"}) write(name, "the function");
  }
  Result<KernelSpec> after(std::string_view from, std::string_view to, std::string_view more = "") const {
    std::string text(kGoodHostSpec);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return parse_toml(text.replace(at, from.size(), to).append(more), path("spec.toml"));
  }
};

TEST_F(HostSpec, NeedsNoLaunch) {
  const auto spec = after("f.cc", "f.cc");
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->source.language, Language::cpp);
  ASSERT_THAT(launches_of(*spec), SizeIs(1));
  EXPECT_EQ(launches_of(*spec).front().function, "f<TILE>");
}

TEST_F(HostSpec, TheExtensionTellsTheLanguage) {
  for (const char* file : {"f.cpp", "f.cxx", "f.C"})
    EXPECT_EQ(after("f.cc", file).value().source.language, Language::cpp) << file;
  EXPECT_EQ(after("f.cc", "f.c").value().source.language, Language::c);
  EXPECT_EQ(after("\"f.cc\"", "\"f.txt\"\nlanguage = \"c++\"").value().source.language, Language::cpp);
  EXPECT_EQ(to_string(Language::cpp), "C++");
  EXPECT_EQ(to_string(Language::c), "C");
}

// C has several names for types of one and of eight bytes, and none for half that all compilers know.
TEST_F(HostSpec, TheCallHasTheTypesOfTheArguments) {
  const std::vector<FunctionCall> calls = launched_source(after("f.cc", "f.cc").value()).calls;
  ASSERT_THAT(calls, SizeIs(1));
  std::vector<std::string> types;
  for (const CallArgument& argument : calls.front().arguments) types.push_back(argument.type);
  EXPECT_THAT(types,
              ElementsAre("float*", "void*", "void*", "void*", "long", "struct { int field_0; double field_1; }"));
}

TEST_F(HostSpec, AFunctionHasOneSignature) {
  constexpr std::string_view kSame = "[[launch]]\narguments = [\"a\", \"n\"]\n[[launch]]\narguments = [\"a\", \"n\"]\n";
  EXPECT_EQ(described(after("f.cc", "f.cc", kSame)), "fine");
  constexpr std::string_view kOther =
      "[[launch]]\narguments = [\"a\", \"n\"]\n[[launch]]\narguments = [\"n\", \"a\"]\n";
  EXPECT_THAT(described(after("f.cc", "f.cc", kOther)),
              HasSubstr("a function is launched with arguments of other types than before: `f<TILE>`"));
}

TEST_F(HostSpec, HasNoGridNoLocalMemoryAndNoTwin) {
  for (const char* key : {"global = 64", "grid = 8", "divide = 8", "local = 8", "cooperative = true"})
    EXPECT_THAT(described(after("f.cc", "f.cc", std::string("[launch]\n") + key + "\n")),
                HasSubstr("is for kernels of devices, not for functions in C++ or C"));
  EXPECT_THAT(described(after("type = \"uchar*\"", "type = \"local uchar\"")),
              HasSubstr("local memory as an argument of a function in C++: `c`"));
  EXPECT_THAT(described(after("type = \"uchar*\"", "type = \"constant uchar*\"")),
              HasSubstr("a constant symbol of a kernel in C++"));
  write("f.cu", "the kernel");
  EXPECT_THAT(described(after("function", "cuda = { file = \"f.cu\" }\nfunction")),
              HasSubstr("[kernel.cuda] is for a CUDA kernel beside an OpenCL one"));
}

TEST_F(HostSpec, NamesItsCompilerAndTheUnitOfTheTimeThatItReturns) {
  const auto spec = after("function", "compiler = \"g++-12\"\nreturned_time = \"ms\"\nfunction");
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->source.host_compiler, "g++-12");
  EXPECT_EQ(spec->source.returned_unit, nanoseconds_from_ms(1));
  const auto read = parse_toml(write_toml(*spec).value(), path("spec.toml"));
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->source.host_compiler, "g++-12");
  EXPECT_EQ(read->source.returned_unit, nanoseconds_from_ms(1));
  EXPECT_FALSE(after("f.cc", "f.cc").value().source.returned_unit);
}

TEST_F(HostSpec, RefusesAnUnknownUnitAndACompilerWithoutAName) {
  EXPECT_THAT(described(after("function", "returned_time = \"minutes\"\nfunction")),
              HasSubstr("unknown unit of `returned_time` of [kernel]: `minutes` (s, ms, us or ns)"));
  EXPECT_THAT(described(after("function", "compiler = \"\"\nfunction")),
              HasSubstr("`compiler` of [kernel] names no program"));
  EXPECT_THAT(described(after("function", "parameters_as = \"constants\"\nfunction")),
              HasSubstr("`parameters_as` of [kernel] is for CUDA kernels"));
}

TEST_F(HostSpec, AReferenceKernelRunsOnTheSameDevice) {
  EXPECT_EQ(described(after("f.cc", "f.cc", "[reference]\nfile = \"f.c\"\nfunction = \"right\"\n")), "fine");
  EXPECT_THAT(described(after("f.cc", "f.cc", "[reference]\nfile = \"add.cl\"\nfunction = \"add\"\n")),
              HasSubstr("a reference kernel in OpenCL for one in C++"));
}

}  // namespace
}  // namespace wattune::spec
