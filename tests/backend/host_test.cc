// Functions in C++ and C as kernels, with the system's compilers. Functions that behave run in this process, the others
// in a worker.
#include <stdlib.h>

#include <algorithm>
#include <fstream>

#include "backend/host/host_device.h"
#include "backend/support.h"
#include "programs.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

KernelSource function_source(Language language, std::string text, std::vector<FunctionCall> calls) {
  KernelSource source = source_of(std::move(text));
  source.language = language;
  source.function = calls.front().function;
  source.calls = std::move(calls);
  return source;
}

// A scope in which an environment variable has another value, or none.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* const before = getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class HostDevice : public ::testing::Test {
 protected:
  Result<Nanoseconds> run(const KernelSource& source, std::vector<LaunchArgument> arguments,
                          const std::vector<Macro>& macros = {}, Nanoseconds limit = kLimit) {
    WATTUNE_ASSIGN(const auto program, device->build(source, macros, kLimit));
    WATTUNE_ASSIGN(const auto kernel, program->kernel(source.function));
    WATTUNE_ASSIGN(const auto event, stream->launch(*kernel, {}, arguments));
    WATTUNE_TRY(stream->finish(limit));
    return event->duration();
  }

  // Returns the error of a launch with `y` and an argument of this type.
  Error refusal(Language language, const std::string& text, const std::string& type) {
    const auto program =
        device->build(function_source(language, text, {{"f", {{"y", "float*"}, {"x", type}}}}), {}, kLimit);
    EXPECT_TRUE(program) << program.error().to_string();
    const auto kernel = (*program)->kernel("f");
    EXPECT_FALSE(kernel);
    return kernel ? Error(ErrorCode::internal, "no error") : kernel.error();
  }

  std::unique_ptr<Device> device = open_device("host:0").value();
  std::unique_ptr<Stream> stream = device->create_stream().value();
  std::unique_ptr<Buffer> y = buffer_with<float>(*device, *stream, {1, 2, 3, 4});
};

TEST_F(HostDevice, IsOneCpuThatBothLanguagesAreCompiledFor) {
  EXPECT_EQ(device->info().kind, DeviceKind::cpu);
  EXPECT_GE(device->info().compute_units, 1u);
  EXPECT_THAT(device->info().languages, ElementsAre(Language::cpp, Language::c));
  EXPECT_THAT(device->info().driver_version, Not(IsEmpty()));
  EXPECT_EQ(open_device("host:1").error().code(), ErrorCode::not_found);
  EXPECT_THAT(stream->prepare_graph({}, 1).error().to_string(), HasSubstr("host:0 has no graphs of launches"));
}

// Whether a compiler knows _Float16 is seen by a function that computes with it.
TEST_F(HostDevice, IsFoundWithTheTypesThatItsCompilerComputesWith) {
  const std::vector<std::string> types = host::discover_devices().value().front().types;
  const auto halves = device->build(
      function_source(Language::cpp, "void f(float* y) { _Float16 h = (_Float16)y[0]; y[0] = (float)(h * h); }",
                      {{"f", {{"y", "float*"}}}}),
      {}, kLimit);
  EXPECT_EQ(std::ranges::count(types, "half"), halves ? 1 : 0);
  EXPECT_THAT(types, ::testing::Contains("double"));
}

// The structs have 16 bytes: a double, an int and the padding behind it.
TEST_F(HostDevice, PassesBuffersScalarsAndStructs) {
  const std::vector<CallArgument> arguments{
      {"y", "float*"}, {"x", "void*"}, {"factor", "float"}, {"pair", "struct { double field_0; int field_1; }"}};
  struct Pair {
    double offset;
    int n;
  };
  const auto x = buffer_with<float>(*device, *stream, {10, 20, 30, 40});
  const std::string text =
      "struct Pair { double offset; int n; };\n"
      "LINKAGE void f(float* y, const float* x, float factor, struct Pair pair) {\n"
      "  for (int i = 0; i < pair.n; ++i) y[i] = factor * x[i] + (float)pair.offset + ADDED;\n}\n";
  for (const Language language : {Language::cpp, Language::c}) {
    const auto time = run(function_source(language, text, {{"f", arguments}}),
                          {y.get(), x.get(), scalar(2.0f), scalar(Pair{0.5, 3})}, {{"LINKAGE", ""}, {"ADDED", "1"}});
    ASSERT_TRUE(time) << time.error().to_string();
    EXPECT_GT(*time, Nanoseconds());
    EXPECT_THAT(contents_of<float>(*y, *stream), ElementsAre(21.5f, 41.5f, 61.5f, 4.0f));
    y = buffer_with<float>(*device, *stream, {1, 2, 3, 4});
  }
}

TEST_F(HostDevice, CallsInstancesOfTemplatesAndFunctionsInNamespaces) {
  const std::string text =
      "namespace inner { template <int kFactor, typename T> void scale(T* y) { y[0] *= kFactor; } }\n";
  const KernelSource source =
      function_source(Language::cpp, text, {{"inner::scale<FACTOR, float>", {{"y", "float*"}}}});
  run(source, {y.get()}, {{"FACTOR", "7"}}).value();
  EXPECT_EQ(contents_of<float>(*y, *stream)[0], 7.0f);
}

// The parameters are macros in the code behind the source too.
TEST_F(HostDevice, ParametersMayHaveAnyName) {
  const KernelSource source =
      function_source(Language::cpp, "void f(float* y, float x) { y[0] = T * N * value + x; }\n",
                      {{"f", {{"y", "float*"}, {"x", "float"}}}});
  run(source, {y.get(), scalar(0.5f)}, {{"T", "2"}, {"N", "3"}, {"value", "4"}, {"a", "5"}}).value();
  EXPECT_EQ(contents_of<float>(*y, *stream)[0], 24.5f);
}

// GCC makes static variables of templates and inline functions unique in the process.
TEST_F(HostDevice, ConfigurationsShareNoStaticVariable) {
  const KernelSource source = function_source(
      Language::cpp,
      "inline int& count() { static int value = START; return value; }\nvoid f(float* y) { y[0] = count()++; }\n",
      {{"f", {{"y", "float*"}}}});
  const auto first = device->build(source, std::vector<Macro>{{"START", "10"}}, kLimit).value();
  run(source, {y.get()}, {{"START", "20"}}).value();
  EXPECT_EQ(contents_of<float>(*y, *stream)[0], 20.0f);
}

TEST_F(HostDevice, SaysWhichArgumentTheFunctionDoesNotTake) {
  for (const Language language : {Language::cpp, Language::c}) {
    SCOPED_TRACE(to_string(language));
    const Error buffer = refusal(language, "void f(float* y, double* x) { y[0] = x[0]; }", "float*");
    EXPECT_EQ(buffer.code(), ErrorCode::mismatch);
    EXPECT_THAT(buffer.message(), AllOf(HasSubstr("`f` cannot be called as the spec says: argument `x`: "),
                                        ContainsRegex("float ?\\*"), ContainsRegex("double ?\\*")));
    const Error narrowed = refusal(language, "void f(float* y, float x) { y[0] = x; }", "double");
    EXPECT_THAT(narrowed.message(), AllOf(HasSubstr("argument `x`: "), HasSubstr("double")));
    EXPECT_THAT(refusal(language, "void f(float* y, float* x) { y[0] = x[0]; }", "float").message(),
                HasSubstr("argument `x`: "));
    EXPECT_THAT(refusal(language, "void f(float* y) { y[0] = 1; }", "float").message(),
                HasSubstr("too many arguments"));
  }
}

TEST_F(HostDevice, AStructOfAnotherSizeIsRefused) {
  EXPECT_THAT(refusal(Language::cpp, "struct S { int a, b, c; }; void f(float*, S) {}", "struct { int a; }").message(),
              HasSubstr("the struct of the spec has another size"));
}

TEST_F(HostDevice, AFunctionThatIsMissingConcernsOnlyThoseWhoCallIt) {
  for (const Language language : {Language::cpp, Language::c}) {
    KernelSource source = function_source(language, "void scale(float* y) { y[0] *= 2; }",
                                          {{"scale", {{"y", "float*"}}}, {"scael", {{"y", "float*"}}}});
    const auto program = device->build(source, {}, kLimit).value();
    const auto missing = program->kernel("scael");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().to_string(), AllOf(HasSubstr("scael"), HasSubstr("scale"), Not(HasSubstr("\n"))));
    y = buffer_with<float>(*device, *stream, {1, 2, 3, 4});
    run(source, {y.get()}).value();
    EXPECT_EQ(contents_of<float>(*y, *stream)[0], 2.0f);
  }
}

TEST_F(HostDevice, CompileErrorsNameTheUsersFileAndLine) {
  KernelSource source = function_source(Language::cpp, "// first line\nvoid f(float* y) { y[0] = nonsense; }\n",
                                        {{"f", {{"y", "float*"}}}});
  source.file = "/some/where/my kernel.cc";
  const auto built = device->build(source, {}, kLimit);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::compile_failed);
  EXPECT_THAT(built.error().message(),
              AllOf(HasSubstr("/some/where/my kernel.cc:2:27: error: "), HasSubstr("nonsense")));
}

TEST_F(HostDevice, HeadersLieBesideTheFileAndInItsFolders) {
  const std::filesystem::path folder = testing::TempDir() + "wattune_host_headers_" + std::to_string(getpid());
  std::filesystem::create_directories(folder / "more");
  std::ofstream(folder / "near.h") << "#define NEAR 1\n";
  std::ofstream(folder / "more/far.h") << "#define FAR 2\n";
  KernelSource source =
      function_source(Language::c, "#include \"near.h\"\n#include <far.h>\nvoid f(float* y) { y[0] = NEAR + FAR; }",
                      {{"f", {{"y", "float*"}}}});
  source.file = folder / "kernel.c";
  source.options = {"-Imore"};
  run(source, {y.get()}).value();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(contents_of<float>(*y, *stream)[0], 3.0f);
}

TEST_F(HostDevice, TheEnvironmentNamesTheCompiler) {
  const KernelSource source =
      function_source(Language::cpp, "void f(float* y) { y[0] = FROM_CXX; }", {{"f", {{"y", "float*"}}}});
  {
    const Environment environment("CXX", "c++ -DFROM_CXX=5");
    run(source, {y.get()}).value();
    EXPECT_EQ(contents_of<float>(*y, *stream)[0], 5.0f);
  }
  const Environment environment("CXX", "/no/such/compiler");
  const auto built = device->build(source, {}, kLimit);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().to_string(), "the compiler that CXX names was not found: `/no/such/compiler`");
}

TEST_F(HostDevice, TheSourceNamesTheCompiler) {
  const Environment ignored("CXX", "no-such-compiler");
  KernelSource source = function_source(Language::cpp, "void f(float* y) { y[0] = 5; }", {{"f", {{"y", "float*"}}}});
  source.host_compiler = "g++";
  ASSERT_TRUE(run(source, {y.get()}));
  EXPECT_EQ(contents_of<float>(*y, *stream)[0], 5.0f);
  source.host_compiler = "no-such-compiler-either";
  const Error error = run(source, {y.get()}).error();
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_THAT(error.to_string(), AllOf(HasSubstr("the compiler that the kernel names was not found"),
                                       HasSubstr("no-such-compiler-either")));
}

TEST_F(HostDevice, AReturnedTimeCountsInThePlaceOfTheClocks) {
  for (const Language language : {Language::cpp, Language::c}) {
    KernelSource source =
        function_source(language, "float f(float* y) { y[0] = 5; return 2.5f; }", {{"f", {{"y", "float*"}}}});
    EXPECT_NE(run(source, {y.get()}).value(), nanoseconds_from_ms(2.5)) << "nobody asked for it";
    source.returned_unit = nanoseconds_from_ms(1);
    EXPECT_NEAR(run(source, {y.get()}).value().value(), 2.5e6, 1.0);
  }
}

TEST_F(HostDevice, AFunctionThatReturnsNoTimeIsRefused) {
  for (const Language language : {Language::cpp, Language::c}) {
    KernelSource source = function_source(language, "void f(float* y) { y[0] = 5; }", {{"f", {{"y", "float*"}}}});
    source.returned_unit = nanoseconds_from_ms(1);
    const Error error = run(source, {y.get()}).error();
    EXPECT_EQ(error.code(), ErrorCode::mismatch);
    EXPECT_THAT(error.to_string(), AllOf(HasSubstr("`f` cannot be called as the spec says"), HasSubstr("void")));
  }
  KernelSource with_struct = function_source(Language::c, "struct s { int x; }; float f(struct s a) { return a.x; }",
                                             {{"f", {{"a", "struct { int x; }"}}}});
  with_struct.returned_unit = nanoseconds_from_ms(1);
  const int value = 1;
  EXPECT_THAT(run(with_struct, {scalar(value)}).error().to_string(),
              HasSubstr("in C, a function that takes a struct cannot return its time"));
}

TEST_F(HostDevice, IsMissingWhereThereIsNoCompiler) {
  const Environment cpp("CXX", "/no/such/compiler");
  const Environment c("CC", "/no/such/compiler");
  const Discovery discovery = discover();
  EXPECT_THAT(discovery.devices, Each(testing::Field(&DeviceInfo::backend, Not("host"))));
  EXPECT_EQ(discovery.backends.back().backend, "host");
  EXPECT_THAT(discovery.backends.back().reason, HasSubstr("the compiler that CC names was not found"));
}

TEST_F(HostDevice, GuardZonesShowWritesOutOfBounds) {
  const KernelSource source =
      function_source(Language::c, "void f(float* y, int i) { y[i] = 1; }", {{"f", {{"y", "float*"}, {"i", "int"}}}});
  run(source, {y.get(), scalar(4)}).value();
  EXPECT_THAT(stream->check_guards(*y, kLimit).value(), ElementsAre(0, 4));
  run(source, {y.get(), scalar(-2)}).value();
  EXPECT_THAT(stream->check_guards(*y, kLimit).value(), ElementsAre(4, 0));
  EXPECT_THAT(stream->check_guards(*y, kLimit).value(), ElementsAre(0, 0));
}

// The buffer is so large that every processor takes part; the last part is longer than the others.
TEST_F(HostDevice, FillsEveryByteOfLargeBuffers) {
  const auto large = device->create_buffer((std::size_t{16} << 20) + 3).value();
  stream->fill(*large, std::byte{7}).value();
  EXPECT_EQ(contents_of<std::uint8_t>(*large, *stream), std::vector<std::uint8_t>(large->bytes(), 7));
  EXPECT_THAT(stream->check_guards(*large, kLimit).value(), ElementsAre(0, 0));
}

TEST_F(HostDevice, AKernelThatNeverEndsIsAbandoned) {
  const KernelSource source = function_source(
      Language::c, "void f(float* y) { while (((volatile float*)y)[0] > 0) {} }", {{"f", {{"y", "float*"}}}});
  const auto time = run(source, {y.get()}, {}, nanoseconds_from_ms(10));
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().code(), ErrorCode::timeout);
  EXPECT_EQ(stream->finish(kLimit).error().code(), ErrorCode::device_lost);
  device->reset().value();
  stream = device->create_stream().value();
  y = buffer_with<float>(*device, *stream, {0});
  run(source, {y.get()}).value();
}

class HostWorker : public HostDevice {
 protected:
  HostWorker() {
    y.reset();
    stream.reset();
    device = open_device_in_worker("host:0", options()).value();
    prepare();
  }
  ~HostWorker() override {
    y.reset();
    stream.reset();
    device.reset();
    EXPECT_THAT(children(), IsEmpty());
  }

  static WorkerOptions options() {
    WorkerOptions options;
    options.executable = test::program("wattune-worker");
    return options;
  }

  void prepare() {
    stream = device->create_stream().value();
    y = buffer_with<float>(*device, *stream, {1, 2, 3, 4});
  }

  // Returns the error of building, launching or finishing a function f(float* y). Checks that another one works
  // afterwards.
  Error misbehave(Language language, const std::string& text, Nanoseconds limit = kLimit) {
    const auto time = run(function_source(language, text, {{"f", {{"y", "float*"}}}}), {y.get()}, {}, limit);
    EXPECT_FALSE(time);
    device->reset().value();
    prepare();
    run(function_source(language, "void f(float* y) { y[0] = 5; }", {{"f", {{"y", "float*"}}}}), {y.get()}).value();
    EXPECT_EQ(contents_of<float>(*y, *stream)[0], 5.0f);
    return time ? Error(ErrorCode::internal, "no error") : time.error();
  }
};

TEST_F(HostWorker, ACrashAnExitAndAnExceptionCostTheWorker) {
  EXPECT_EQ(misbehave(Language::c, "void f(float* y) { *(volatile int*)8 = 1; }").message(),
            "worker killed by SIGSEGV");
  EXPECT_EQ(misbehave(Language::c, "#include <stdlib.h>\nvoid f(float* y) { exit(7); }").message(),
            "worker exited with status 7");
  const Error thrown =
      misbehave(Language::cpp, "#include <stdexcept>\nvoid f(float*) { throw std::runtime_error(\"why\"); }");
  EXPECT_EQ(thrown.code(), ErrorCode::device_lost);
  EXPECT_THAT(thrown.message(), AllOf(HasSubstr("SIGABRT"), HasSubstr("why")));
}

TEST_F(HostWorker, AHangEndsAtItsLimit) {
  const Error error = misbehave(Language::c, "void f(float* y) { for (;;) y[0] = 1; }", nanoseconds_from_ms(50));
  EXPECT_EQ(error.code(), ErrorCode::timeout);
  EXPECT_THAT(error.message(), HasSubstr("the kernel ran longer than 50 ms"));
}

// Errors of loading and unloading belong to this configuration, not to the next.
TEST_F(HostWorker, StaticInitialisersAndDestructorsAreTheConfigurationsOwnFault) {
  EXPECT_EQ(misbehave(Language::c,
                      "__attribute__((constructor)) static void begin(void) { __builtin_trap(); }\nvoid f(float* y) {}")
                .code(),
            ErrorCode::device_lost);
  const KernelSource source = function_source(
      Language::cpp, "struct Bad { ~Bad() { __builtin_trap(); } } bad;\nvoid f(float*) {}", {{"f", {{"y", "float*"}}}});
  const auto built = device->build(source, {}, kLimit);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::device_lost);
}

TEST_F(HostWorker, WhatTheKernelPrintsAndReadsIsNotTheProgramsOwn) {
  const KernelSource source = function_source(
      Language::c,
      "#include <stdio.h>\nvoid f(float* y) { printf(\"loud\\n\"); fflush(stdout); y[0] = getchar() == EOF; }",
      {{"f", {{"y", "float*"}}}});
  testing::internal::CaptureStdout();
  run(source, {y.get()}).value();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(contents_of<float>(*y, *stream)[0], 1.0f);
}

TEST_F(HostWorker, TheMemoryLimitHoldsForKernelsAndCompilers) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end a program that is short of memory in their own way";
#endif
  WorkerOptions limited = options();
  limited.memory_limit_bytes = std::size_t{64} << 20;
  y.reset();
  stream.reset();
  device = open_device_in_worker("host:0", limited).value();
  prepare();
  const std::string allocate = "#include <stdlib.h>\nvoid f(float* y) { y[0] = malloc(1ul << 30) == NULL; }";
  run(function_source(Language::c, allocate, {{"f", {{"y", "float*"}}}}), {y.get()}).value();
  EXPECT_EQ(contents_of<float>(*y, *stream)[0], 1.0f);
  const std::string endless = "template <int n> struct Deep { Deep<n + 1> next; };\nDeep<0> deep;\nvoid f(float*) {}";
  KernelSource source = function_source(Language::cpp, endless, {{"f", {{"y", "float*"}}}});
  source.options = {"-ftemplate-depth=1000000"};
  const auto built = device->build(source, {}, kLimit);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::compile_failed);
}

TEST_F(HostWorker, ACompilerThatTakesTooLongIsEnded) {
  const std::filesystem::path compiler = testing::TempDir() + "wattune_slow_compiler_" + std::to_string(getpid());
  const std::string pid_file = compiler.string() + ".pid";
  std::ofstream(compiler) << "#!/bin/sh\necho $$ > " << pid_file << "\nexec sleep 1000\n";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const Environment environment("CC", compiler.c_str());
  device->reset().value();  // the new worker sees the new environment
  const KernelSource source = function_source(Language::c, "void f(float* y) {}", {{"f", {{"y", "float*"}}}});
  const auto built = device->build(source, {}, nanoseconds_from_ms(300));
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::timeout);
  device->reset().value();
  pid_t pid = 0;
  std::ifstream(pid_file) >> pid;
  EXPECT_TRUE(pid > 0 && ends(pid));
  std::filesystem::remove(compiler);
  std::filesystem::remove(pid_file);
}

// There are more threads than processors, in a pool that outlives the code that began it.
TEST_F(HostWorker, OpenMpThreadsWorkInOneConfigurationAfterAnother) {
  KernelSource source =
      function_source(Language::cpp,
                      "#include <omp.h>\nvoid f(float* y) {\n#pragma omp parallel num_threads(THREADS)\n"
                      "#pragma omp atomic\n  y[0] += 1;\n}\n",
                      {{"f", {{"y", "float*"}}}});
  source.options = {"-fopenmp"};
  for (const int threads : {4, 3, 1, 8}) {
    y = buffer_with<float>(*device, *stream, {0});
    run(source, {y.get()}, {{"THREADS", std::to_string(threads)}}).value();
    EXPECT_EQ(contents_of<float>(*y, *stream)[0], static_cast<float>(threads));
  }
}

}  // namespace
}  // namespace wattune::backend
