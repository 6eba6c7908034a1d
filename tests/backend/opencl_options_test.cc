// Options with blanks and quotes: how they are read, and that compilers get them.
#include "backend/compile/opencl_options.h"

#include "backend/compile/code_text.h"
#include "backend/compile/preprocessor.h"
#include "backend/interface/compile.h"
#include "backend/interface/included_files.h"
#include "backend/support.h"
#include "folder_test.h"

namespace wattune::inline v0_1::backend {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OpenclOptions options_of(std::vector<std::string> options) {
  KernelSource source = source_of("");
  source.options = std::move(options);
  return opencl_options(source);
}

TEST(OpenclOptions, ABlankIsPartOfAFolderOrADefinition) {
  for (const std::vector<std::string>& spelt :
       {std::vector<std::string>{"-I", "my inc"}, {"-Imy inc"}, {"-I my inc"}, {"-I \"my inc\""}, {"-I\"my inc\""}})
    EXPECT_THAT(options_of(spelt).folders, ElementsAre("my inc")) << spelt.front();
  for (const std::vector<std::string>& spelt : {std::vector<std::string>{"-D", "NAME=\"a b\""},
                                                {"-DNAME=\"a b\""},
                                                {"-D NAME=\"a b\""},
                                                {"-DNAME=\\\"a b\\\""}})
    EXPECT_THAT(options_of(spelt).macros, ElementsAre(Macro{"NAME", "\"a b\""})) << spelt.front();
  EXPECT_THAT(options_of({"-D\"NAME=a b\""}).macros, ElementsAre(Macro{"NAME", "a b"}));
  EXPECT_THAT(options_of({"-DSUM=1 + 2"}).macros, ElementsAre(Macro{"SUM", "1 + 2"}));
  EXPECT_THAT(options_of({"-DF(x)=(x -y)"}).macros, ElementsAre(Macro{"F(x)", "(x -y)"}));
  EXPECT_THAT(options_of({"-DON", "-DNONE="}).macros, ElementsAre(Macro{"ON", "1"}, Macro{"NONE", ""}));
}

TEST(OpenclOptions, OneTextMayHoldSeveral) {
  const OpenclOptions options = options_of({"-cl-mad-enable -D A=1 -I my inc -DB=\"x -y\" -w", "-cl-std=CL1.2"});
  EXPECT_THAT(options.folders, ElementsAre("my inc"));
  EXPECT_THAT(options.macros, ElementsAre(Macro{"A", "1"}, Macro{"B", "\"x -y\""}));
  EXPECT_THAT(options.others, ElementsAre("-cl-mad-enable", "-w", "-cl-std=CL1.2"));
}

TEST(SourceOptions, AValueBelongsToItsOption) {
  KernelSource source = source_of("");
  source.language = Language::cuda;
  source.file = "/kernels/k.cu";
  source.options = {"-I", "my inc", "-Iother inc", "-I \"third inc\"", "-D", "NAME=\"a b\"", "-isystem=sys", "-O3"};
  EXPECT_THAT(options_with_own_folder(source),
              ElementsAre("-I/kernels/my inc", "-I/kernels/other inc", "-I/kernels/third inc", "-DNAME=\"a b\"",
                          "-isystem", "/kernels/sys", "-O3", "-I/kernels"));
}

TEST(SourceOptions, OneTextMayHoldSeveral) {
  KernelSource source = source_of("");
  source.language = Language::cuda;
  source.file = "/kernels/k.cu";
  source.options = {"-O3 -lineinfo -I my inc", "-arch sm_80", "-w"};
  EXPECT_THAT(options_with_own_folder(source),
              ElementsAre("-O3", "-lineinfo", "-I/kernels/my inc", "-arch sm_80", "-w", "-I/kernels"));
  EXPECT_EQ(named_architecture(source), "sm_80");
}

TEST(SourceOptions, ReadersOfTheSourceSeeTheSameDefinitions) {
  for (const Language language : {Language::opencl, Language::cuda}) {
    KernelSource source = source_of("#if A == 3\nint there;\n#endif");
    source.language = language;
    source.options = {"-D", "A=1 + 2", "-DTEXT=\"a b\""};
    const PlainCode code = read_code(source, {});
    EXPECT_THAT(code.text, HasSubstr("there"));
    EXPECT_EQ(code.macros.at("TEXT"), "\"a b\"");
  }
}

constexpr char kLetters[] = R"(
#include "seven.h"
kernel void letters(global float* y) {
  constant char* text = NAME;
  y[0] = SEVEN;
  y[1] = SUM(1, 2);
  for (int i = 0; text[i] != 0; ++i) y[2] = 10 * y[2] + (text[i] == ' ' ? 0 : text[i] - 'a' + 1);
})";

class OpenclFolders : public test::FolderTest {};

// "a b" is read as 1, 0, 2.
TEST_F(OpenclFolders, TheCompilerGetsWhatIsBehindBlanks) {
  SKIP_WITHOUT_OPENCL();
  fs::create_directories(path("my \"own\" inc"));
  std::ofstream(path("my \"own\" inc") / "seven.h") << "#define SEVEN 7\n";
  const auto device = open_device(*opencl_selector()).value();
  const auto stream = device->create_stream().value();
  KernelSource source = source_of(kLetters);
  source.file = path("letters.cl");
  source.options = {"-I", "my \"own\" inc", "-D", "NAME=\"a b\"", "-DSUM(x, y)=(x + y)", "-cl-mad-enable"};
  EXPECT_TRUE(included_files(source).complete);
  EXPECT_THAT(included_files(source).contents, HasSubstr("#define SEVEN 7"));
  const auto program = device->build(source, {}, kLimit);
  ASSERT_TRUE(program) << program.error().to_string();
  const auto kernel = program.value()->kernel("letters").value();
  const auto y = buffer_with<float>(*device, *stream, std::vector<float>(4));
  ASSERT_TRUE(stream->launch(*kernel, {.group_size = {1, 1, 1}}, std::vector<LaunchArgument>{y.get()}));
  stream->finish(kLimit).value();
  EXPECT_EQ(contents_of<float>(*y, *stream), (std::vector<float>{7, 3, 102, 0}));
}

TEST_F(OpenclFolders, MessagesNameTheFolderItself) {
  SKIP_WITHOUT_OPENCL();
  fs::create_directories(path("my inc"));
  std::ofstream(path("my inc/wrong.h")) << "no code\n";
  const auto device = open_device(*opencl_selector()).value();
  KernelSource source = source_of("#include \"wrong.h\"\nkernel void f(global float* y) {}");
  source.options = {"-I" + path("my inc").string()};
  const Error error = device->build(source, {}, kLimit).error();
  EXPECT_THAT(error.message(), HasSubstr(path("my inc/wrong.h").string()));
}

TEST_F(OpenclFolders, ACauseIsNamedOnlyIfItIsOne) {
  SKIP_WITHOUT_OPENCL();
  const auto device = open_device(*opencl_selector()).value();
  const auto advice = [&](const std::string& text) {
    return device->build(source_of(text), std::vector<Macro>{{"n", "32"}}, kLimit).error().advice();
  };
  EXPECT_THAT(advice("\nkernel void f(global int* a, int n) { a[0] = n; }"), HasSubstr("`int n` in line 2"));
  // The macro collides with a name that is never compiled.
  EXPECT_EQ(advice("#if 0\nint n;\n#endif\nkernel void f(global int* a) { a[0] = nowhere + n; }"), "");
}

}  // namespace
}  // namespace wattune::backend
