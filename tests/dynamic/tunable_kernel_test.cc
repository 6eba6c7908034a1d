// Tunable kernels in an application's own OpenCL context: which configurations calls run, which mistakes they refuse,
// and that they tune themselves meanwhile.
#include "wattune/dynamic/tunable_kernel.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "dynamic/children.h"
#include "dynamic/opencl_application.h"
#include "dynamic/scale_spec.h"
#include "wait.h"
#include "wattune/dynamic/tuner.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using test::OpenClApplication;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr int kElements = 256;

// ROUNDS makes the kernel slower without changing its result.
constexpr char kScale[] = R"(
kernel void scale(global float* x, int n, float by) {
  float y = 0.0f;
  for (int i = 0; i < ROUNDS; ++i) y = y * 0.5f + x[0];
  const int i = get_global_id(0);
  if (i < n) x[i] = x[i] * by + (y > 1e30f ? 1.0f : 0.0f);
}
)";

KernelSpec scale_spec() {
  return test::scale_spec(Language::opencl, kScale, kElements,
                          {{.name = "ROUNDS", .values = {4'000, 400, 1}}, {.name = "BLOCK", .values = {32, 64}}});
}

class TunableKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    application = OpenClApplication::make();
    if (!application) GTEST_SKIP() << "no OpenCL device on this machine";
    device = backend::attach_opencl(application->context(), application->device()).value();
    x = application->make_memory(std::vector<float>(kElements, 1.0f));
  }

  // Attaches a tuner whose compilers have the same priority as other tests.
  std::unique_ptr<Tuner> attach(TunerOptions options = {}) {
    options.worker.niceness = 0;
    return Tuner::attach(*device, options).value();
  }
  static KernelOptions best() { return {.policy = {.mode = Mode::best, .safety = Safety::trusted}}; }
  // Returns the same options with a fallback that only counts its calls.
  static KernelOptions best_or_counted(int& calls) {
    KernelOptions options = best();
    options.fallback = [&calls](const CallStream&, std::span<const CallArgument>) {
      ++calls;
      return Result<void>();
    };
    return options;
  }
  std::vector<float> values() const { return application->values(x, kElements); }
  // Calls the kernel so often that its time is known.
  void call_often(TunableKernel& scale) const {
    for (int i = 0; i < 20; ++i) {
      scale(application->queue(), x, kElements, 1.0f).value();
      values();  // the application waits
    }
  }
  void call_until_tuned(TunableKernel& scale) const {
    EXPECT_TRUE(test::wait_until([&] {
      call_often(scale);
      return scale.report().keys.front().stage == TuningStage::complete;
    }));
  }
  // Calls the kernel until its first configuration is ready.
  void call_until_known(TunableKernel& scale) const {
    EXPECT_TRUE(test::wait_until([&] {
      scale(application->queue(), x, kElements, 1.0f).value();
      return scale.best({{"n", kElements}});
    }));
  }
  static TunerOptions generous(const std::filesystem::path& wisdom) {
    return {.budget = {.share = 1.0, .longest = nanoseconds_from_seconds(1)}, .wisdom = wisdom};
  }

  std::unique_ptr<OpenClApplication> application;
  std::unique_ptr<backend::Device> device;
  cl_mem x = nullptr;
};

TEST_F(TunableKernels, AreCalledLikeFunctions) {
  const auto tuner = attach();
  const auto scale = tuner->kernel(scale_spec(), best()).value();
  for (int i = 0; i < 3; ++i) (*scale)(application->queue(), x, kElements, 2.0f).value();
  EXPECT_THAT(values(), Each(8.0f));
  (*scale)(application->queue(), x, kElements / 2, 3.0f).value();  // another size, another scalar
  EXPECT_EQ(values()[0], 24.0f);
  EXPECT_EQ(values()[kElements - 1], 8.0f);
  const KernelReport report = scale->report();
  EXPECT_EQ(report.calls, 4u);
  EXPECT_EQ(report.keys.size(), 2u);
  EXPECT_EQ(report.explored, 0u);
  EXPECT_GT(report.blocked.value(), 0.0);  // the first call of each key compiled
  EXPECT_EQ(scale->best({{"n", kElements}})->find("ROUNDS")->as_integer(), 4'000);
}

TEST_F(TunableKernels, OtherMemoryAndQueuesOfTheApplicationServeAsWell) {
  const auto tuner = attach();
  const auto scale = tuner->kernel(scale_spec(), best()).value();
  const cl_mem y = application->make_memory(std::vector<float>(kElements, 5.0f));
  const cl_command_queue second = application->make_queue(0);
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  (*scale)(second, y, kElements, 2.0f).value();
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  EXPECT_THAT(values(), Each(4.0f));
  EXPECT_THAT(OpenClApplication::values(second, y, kElements), Each(10.0f));
}

TEST_F(TunableKernels, RefuseWhatDoesNotFit) {
  const auto tuner = attach();
  const auto scale = tuner->kernel(scale_spec(), best()).value();
  EXPECT_EQ((*scale)(application->queue(), x, kElements).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ((*scale)(application->queue(), x, 2.0f, 2.0f).error().code(), ErrorCode::invalid_argument);
  const Error small = (*scale)(application->queue(), x, 2 * kElements, 2.0f).error();
  EXPECT_EQ(small.code(), ErrorCode::mismatch);
  EXPECT_THAT(small.to_string(),
              HasSubstr("argument `x` of kernel `scale` needs 2048 bytes for these sizes, has 1024"));
  EXPECT_EQ((*scale)(application->queue(), nullptr, kElements, 2.0f).error().code(), ErrorCode::mismatch);
  EXPECT_THAT(values(), Each(1.0f));
  EXPECT_TRUE((*scale)(application->queue(), x, kElements, 2.0f));
}

// PoCL mostly gives the handle of a released buffer to the next buffer.
TEST_F(TunableKernels, RefuseASmallerBufferThatHasTheHandleOfAReleasedOne) {
  const auto tuner = attach();
  const auto scale = tuner->kernel(scale_spec(), best()).value();
  const backend::opencl::ClApi& cl = *backend::opencl::cl_api().value();
  const auto make = [&](std::size_t elements) {
    return cl.clCreateBuffer(application->context(), CL_MEM_READ_WRITE, elements * sizeof(float), nullptr, nullptr);
  };
  int recycled = 0;
  for (int i = 0; i < 20; ++i) {
    const cl_mem large = make(kElements);
    for (int call = 0; call < 2; ++call) (*scale)(application->queue(), large, kElements, 2.0f).value();
    values();
    cl.clReleaseMemObject(large);
    (*scale)(application->queue(), x, kElements, 1.0f).value();
    values();
    const cl_mem smaller = make(kElements - 1);
    recycled += smaller == large ? 1 : 0;
    const Result<void> called = (*scale)(application->queue(), smaller, kElements, 2.0f);
    EXPECT_FALSE(called) << (smaller == large ? "the handle of a released one" : "a new handle");
    cl.clReleaseMemObject(smaller);
  }
  if (recycled == 0) GTEST_SKIP() << "the driver gives no handle twice";
}

TEST_F(TunableKernels, RunTheFallbackUntilTheFirstConfigurationIsReady) {
  const auto tuner = attach();
  int fallbacks = 0;
  KernelOptions options = best();
  options.policy.mode = Mode::automatic;
  options.fallback = [&](const CallStream&, std::span<const CallArgument> arguments) -> Result<void> {
    EXPECT_EQ(arguments.size(), 3u);
    ++fallbacks;
    return {};
  };
  const auto scale = tuner->kernel(scale_spec(), options).value();
  call_until_known(*scale);
  EXPECT_GT(fallbacks, 0);
  EXPECT_EQ(scale->report().fallbacks, static_cast<std::uint64_t>(fallbacks));
  EXPECT_EQ(scale->report().blocked.value(), 0.0);
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  EXPECT_THAT(values(), Each(2.0f));
}

TEST_F(TunableKernels, TheGenericConfigurationServesNewKeysWithoutCompilingAgain) {
  const auto tuner = attach();
  KernelOptions options = best();
  options.generic = {Value(1), Value(64)};
  const auto scale = tuner->kernel(scale_spec(), options).value();
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  (*scale)(application->queue(), x, kElements / 2, 2.0f).value();
  EXPECT_EQ(values()[0], 4.0f);
  EXPECT_EQ(values()[kElements - 1], 2.0f);
  EXPECT_GE(scale->report().fallbacks, 1u);  // the second key runs what the first one has loaded by then
  call_until_known(*scale);
  EXPECT_EQ(scale->report().blocked.value(), 0.0);
  options.generic = {Value(1)};
  EXPECT_EQ(tuner->kernel(scale_spec(), options).error().code(), ErrorCode::invalid_argument);
}

TEST_F(TunableKernels, UntilTheGenericConfigurationIsCompiledTheFallbackRuns) {
  const auto tuner = attach();
  int fallbacks = 0;
  KernelOptions options = best_or_counted(fallbacks);
  options.generic = {Value(1), Value(64)};
  const auto scale = tuner->kernel(scale_spec(), options).value();
  (*scale)(application->queue(), x, kElements, 1.0f).value();
  EXPECT_EQ(fallbacks, 1) << "compiling takes longer than coming here";
  call_until_known(*scale);
  EXPECT_EQ(scale->report().blocked.value(), 0.0);
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  EXPECT_THAT(values(), Each(2.0f));
}

TEST_F(TunableKernels, TryNothingInAQueueThatKeepsNoTimes) {
  const auto tuner = attach();
  const auto scale = tuner->kernel(scale_spec(), {.policy = {.safety = Safety::trusted}}).value();
  const cl_command_queue untimed = application->make_queue(0);
  for (int i = 0; i < 20; ++i) (*scale)(untimed, x, kElements, 1.0f).value();
  EXPECT_EQ(scale->report().explored, 0u);
  ASSERT_EQ(tuner->report().notes.size(), 1u);
  EXPECT_THAT(tuner->report().notes.front(), HasSubstr("CL_QUEUE_PROFILING_ENABLE"));
}

TEST_F(TunableKernels, PreloadedKeysBlockNoCall) {
  const auto tuner = attach();
  const auto scale = tuner->kernel(scale_spec(), best()).value();
  scale->preload(std::vector<NamedSize>{{"n", 64}}).value();
  const Nanoseconds blocked = scale->report().blocked;
  (*scale)(application->queue(), x, 64, 2.0f).value();
  EXPECT_EQ(scale->report().blocked.value(), blocked.value());
}

TEST_F(TunableKernels, AKeyOfWhichNothingIsKnownBeginsWithTheGuess) {
  const auto tuner = attach();
  KernelOptions options = best();
  options.guess = [](const std::vector<NamedSize>& sizes) {
    EXPECT_EQ(sizes.front().value, kElements);
    return std::vector<NamedValues>{{{"ROUNDS", 1}}};
  };
  const auto scale = tuner->kernel(scale_spec(), options).value();
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  EXPECT_EQ(scale->best({{"n", kElements}})->to_string(), "ROUNDS=1, BLOCK=32");
}

// Returns a spec whose code has this many statements, and compiles as long, if ROUNDS is 2. The result is the same.
KernelSpec spec_of_statements(int count) {
  std::string source = R"(
kernel void scale(global volatile float* x, int n, float by) {
  float y = 0.0f;
  const int i = get_global_id(0);
  if (i >= n) return;
#if ROUNDS == 2
)";
  for (int i = 0; i < count; ++i) source += "y = y * 0.999f + x[i];\n";
  source += R"(
#endif
  x[i] = x[i] * by + (y > 1e30f ? 1.0f : 0.0f);
}
)";
  return test::scale_spec(Language::opencl, source, kElements,
                          {{.name = "ROUNDS", .values = {1, 2, 3}}, {.name = "BLOCK", .values = {32}}});
}

// Sets a guess in which the configuration that compiles long is the likelier one.
KernelOptions with_guess_that_compiles_long(KernelOptions options) {
  options.guess = [](const std::vector<NamedSize>&) {
    return std::vector<NamedValues>{{{"ROUNDS", 2}}, {{"ROUNDS", 3}}};
  };
  return options;
}

TEST_F(TunableKernels, CallsThatWaitBeginWithWhicheverGuessIsCompiledFirst) {
  const auto tuner = attach();
  int fallbacks = 0;
  const auto scale =
      tuner->kernel(spec_of_statements(20'000), with_guess_that_compiles_long(best_or_counted(fallbacks))).value();
  call_until_known(*scale);
  EXPECT_GT(fallbacks, 0);
  EXPECT_EQ(scale->best({{"n", kElements}})->to_string(), "ROUNDS=3, BLOCK=32");
}

// The key waits for as long again as the first configuration took to compile.
TEST_F(TunableKernels, AKeyThatIsOnlyExpectedWaitsAWhileForTheLikeliestGuess) {
  const auto begins_with = [this](int statements) {
    const auto tuner = attach();
    int fallbacks = 0;
    const auto scale =
        tuner->kernel(spec_of_statements(statements), with_guess_that_compiles_long(best_or_counted(fallbacks)))
            .value();
    scale->expect(std::vector<NamedSize>{{"n", kElements}}).value();
    EXPECT_TRUE(test::wait_until([&] { return scale->best({{"n", kElements}}); }));
    return scale->best({{"n", kElements}})->to_string();
  };
  EXPECT_EQ(begins_with(100), "ROUNDS=2, BLOCK=32");
  EXPECT_EQ(begins_with(20'000), "ROUNDS=3, BLOCK=32");
}

// The macros are the same for all sizes, so the second key has nothing to compile or load.
TEST_F(TunableKernels, ANewKeyRunsWhatTheNearestHasLoadedInItsFirstCall) {
  const auto tuner = attach();
  int fallbacks = 0;
  const KernelOptions options = best_or_counted(fallbacks);
  const auto scale = tuner->kernel(scale_spec(), options).value();
  scale->preload(std::vector<NamedSize>{{"n", kElements}}).value();
  (*scale)(application->queue(), x, kElements / 2, 3.0f).value();
  EXPECT_EQ(fallbacks, 0);
  EXPECT_EQ(values()[0], 3.0f);
  EXPECT_EQ(tuner->report().loads, 0u);
}

TEST_F(TunableKernels, AnExpectedKeyIsReadyWhenItIsCalled) {
  const auto tuner = attach();
  int fallbacks = 0;
  const KernelOptions options = best_or_counted(fallbacks);
  const auto scale = tuner->kernel(scale_spec(), options).value();
  scale->expect(std::vector<NamedSize>{{"n", kElements}}).value();
  EXPECT_TRUE(test::wait_until([&] { return scale->best({{"n", kElements}}); }));
  (*scale)(application->queue(), x, kElements, 3.0f).value();
  EXPECT_EQ(fallbacks, 0);
  EXPECT_THAT(values(), Each(3.0f));
  EXPECT_EQ(scale->report().blocked, Nanoseconds());
}

// The call waits for the compilation that has begun, and does not begin another.
TEST_F(TunableKernels, ACallThatComesBeforeWhatIsExpectedWaitsForTheRest) {
  const auto tuner = attach();
  const auto scale = tuner->kernel(scale_spec(), best()).value();
  scale->expect(std::vector<NamedSize>{{"n", kElements}}).value();
  (*scale)(application->queue(), x, kElements, 3.0f).value();
  EXPECT_THAT(values(), Each(3.0f));
  EXPECT_EQ(scale->best({{"n", kElements}})->to_string(), "ROUNDS=4000, BLOCK=32");
}

TEST_F(TunableKernels, AForgottenQueueIsReleased) {
  const auto tuner = attach();
  const auto scale = tuner->kernel(scale_spec(), best()).value();
  const cl_command_queue queue = application->make_queue();
  (*scale)(queue, x, kElements, 3.0f).value();
  EXPECT_GT(application->references(queue, x), 1u);
  tuner->forget(queue).value();
  EXPECT_EQ(application->references(queue, x), 1u);
  (*scale)(queue, x, kElements, 2.0f).value();  // as if it were new
  EXPECT_THAT(OpenClApplication::values(queue, x, kElements), Each(6.0f));
}

TEST_F(TunableKernels, AKeyFunctionThatThrowsIsTheCallsError) {
  const auto tuner = attach();
  KernelOptions options = best();
  options.key = [](const std::vector<NamedSize>& sizes) -> Key {
    if (sizes.front().value == 7) throw std::runtime_error("seven is no size");
    return {{"n", 256}};
  };
  const auto scale = tuner->kernel(scale_spec(), options).value();
  const Error thrown = (*scale)(application->queue(), x, 7, 2.0f).error();
  EXPECT_EQ(thrown.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(thrown.to_string(), HasSubstr("the key function of kernel `scale` threw: seven is no size"));
  // Sizes of one key share its configuration and its code, and each is launched at its own size.
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  (*scale)(application->queue(), x, 100, 2.0f).value();
  EXPECT_EQ(values()[99], 4.0f);
  EXPECT_EQ(values()[100], 2.0f);
  EXPECT_EQ(scale->report().keys.size(), 1u);
}

TEST_F(TunableKernels, AConfigurationThatDoesNotCompileIsPassedOver) {
  const auto tuner = attach();
  KernelSpec spec = scale_spec();
  spec.source.text = std::string("#if ROUNDS == 4000\n#error not this one\n#endif\n") + kScale;
  const auto scale = tuner->kernel(spec, best()).value();
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  EXPECT_THAT(values(), Each(2.0f));
  EXPECT_NE(scale->best({{"n", kElements}})->find("ROUNDS")->as_integer(), 4'000);
}

TEST_F(TunableKernels, WithoutAnyThatCompilesTheCallSaysWhy) {
  const auto tuner = attach();
  KernelSpec spec = scale_spec();
  spec.source.text = "#error none of them\n";
  const auto scale = tuner->kernel(spec, best()).value();
  for (int i = 0; i < 2; ++i) {
    const Error failed = (*scale)(application->queue(), x, kElements, 2.0f).error();
    EXPECT_EQ(failed.code(), ErrorCode::compile_failed);
    EXPECT_THAT(failed.to_string(), HasSubstr("none of them"));
  }
}

TEST_F(TunableKernels, TuneThemselvesWhileTheyAreCalled) {
  const auto wisdom = std::filesystem::temp_directory_path() / ("wattune-tunes-itself-" + std::to_string(getpid()));
  {
    const auto tuner = attach(generous(wisdom));
    const auto scale = tuner->kernel(scale_spec(), {.policy = {.safety = Safety::trusted}}).value();
    float expected = 1.0f;
    for (int i = 0;; ++i) {
      const float by = i % 2 == 0 ? 2.0f : 0.5f;
      expected *= by;
      (*scale)(application->queue(), x, kElements, by).value();
      if (i % 16 == 0) {
        ASSERT_THAT(values(), Each(expected)) << "call " << i;  // the application waits now and then
        if (scale->report().keys.front().stage == TuningStage::complete) break;
      }
    }
    const KernelReport report = scale->report();
    ASSERT_EQ(report.keys.size(), 1u);
    EXPECT_NE(report.keys.front().stage, TuningStage::under_way);
    EXPECT_EQ(report.explored, 6u);  // all of them: 3 times 2
    EXPECT_EQ(report.keys.front().best->find("ROUNDS")->as_integer(), 1);
    EXPECT_GT(tuner->report().loads, 0u);
    EXPECT_GT(tuner->report().saved, Nanoseconds());
  }
  const auto tuner = attach({.wisdom = wisdom});
  const auto scale = tuner->kernel(scale_spec(), {.policy = {.safety = Safety::trusted}}).value();
  (*scale)(application->queue(), x, kElements, 1.0f).value();
  EXPECT_EQ(scale->best({{"n", kElements}})->find("ROUNDS")->as_integer(), 1);  // known at once
  EXPECT_NE(scale->report().keys.front().stage, TuningStage::under_way);
  std::filesystem::remove(wisdom);
}

TEST_F(TunableKernels, CompilersThatAreKilledCostNoResult) {
  const auto tuner = attach({.budget = {.share = 1.0, .longest = nanoseconds_from_seconds(1)}});
  const auto scale = tuner->kernel(scale_spec(), {.policy = {.safety = Safety::trusted}}).value();
  std::atomic<bool> stop = false;
  std::thread killer([&] {  // at three moments of the tuning
    for (int i = 0; i < 3 && !stop; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      for (const pid_t child : test::children()) kill(child, SIGKILL);
    }
  });
  float expected = 1.0f;
  for (int i = 0; i < 2'000; ++i) {
    expected *= i % 2 == 0 ? 2.0f : 0.5f;
    (*scale)(application->queue(), x, kElements, i % 2 == 0 ? 2.0f : 0.5f).value();
    if (i % 100 == 0) {
      ASSERT_THAT(values(), Each(expected));
    }
  }
  stop = true;
  killer.join();
  EXPECT_TRUE(scale->best({{"n", kElements}}));
}

TEST_F(TunableKernels, WisdomThatCannotBeWrittenDoesNotStopCalls) {
  const auto tuner = attach({.wisdom = "/proc/nowhere/app.wisdom"});
  const auto scale = tuner->kernel(scale_spec(), best()).value();
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  EXPECT_TRUE(tuner->save());  // there is nothing to write yet
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  EXPECT_THAT(values(), Each(4.0f));
}

// A limit on the size of files simulates a full disk.
TEST_F(TunableKernels, OnAFullDiskNothingThatIsKnownIsLost) {
  const auto file = std::filesystem::temp_directory_path() / ("wattune-full-disk-" + std::to_string(getpid()));
  const auto tuner = attach({.budget = {.share = 0.0}, .wisdom = file});
  const auto scale = tuner->kernel(scale_spec(), {.policy = {.safety = Safety::trusted}}).value();
  call_often(*scale);
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit full{10, usual.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  const Result<void> saved = tuner->save();
  setrlimit(RLIMIT_FSIZE, &usual);
  signal(SIGXFSZ, before);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), ErrorCode::io_error);
  EXPECT_TRUE(std::filesystem::is_empty(file)) << "made to be locked";
  EXPECT_TRUE((*scale)(application->queue(), x, kElements, 1.0f));
  ASSERT_TRUE(tuner->save());
  EXPECT_FALSE(std::filesystem::is_empty(file));
  std::filesystem::remove(file);
}

TEST_F(TunableKernels, WisdomOfAnotherVersionOfTheKernelIsNotUsed) {
  const auto file = std::filesystem::temp_directory_path() / ("wattune-other-version-" + std::to_string(getpid()));
  KernelSpec spec = scale_spec();
  for (const char* const version : {"", "// as before\n"}) {
    const auto tuner = attach(generous(file));
    spec.source.text = std::string(version) + kScale;
    const auto scale = tuner->kernel(spec, {.policy = {.safety = Safety::trusted}}).value();
    (*scale)(application->queue(), x, kElements, 1.0f).value();
    EXPECT_EQ(scale->best({{"n", kElements}})->find("ROUNDS")->as_integer(), 4'000) << "nothing is known";
    call_until_tuned(*scale);
  }
  const auto tuner = attach({.wisdom = file});
  const auto scale = tuner->kernel(spec, {.policy = {.safety = Safety::trusted}}).value();
  (*scale)(application->queue(), x, kElements, 1.0f).value();
  EXPECT_NE(scale->report().keys.front().stage, TuningStage::under_way) << "the same version is known";
  std::filesystem::remove(file);
}

// The first time of the default is in wisdom too, but that is no reason to keep it.
TEST_F(TunableKernels, TuningThatWasCutShortGoesOnInTheNextRun) {
  const auto file = std::filesystem::temp_directory_path() / ("wattune-cut-short-" + std::to_string(getpid()));
  {
    const auto tuner = attach({.budget = {.share = 0.0}, .wisdom = file});
    const auto scale = tuner->kernel(scale_spec(), {.policy = {.safety = Safety::trusted}}).value();
    call_often(*scale);
    EXPECT_EQ(scale->report().keys.front().stage, TuningStage::under_way);
  }
  EXPECT_FALSE(std::filesystem::is_empty(file));
  const auto tuner = attach(generous(file));
  const auto scale = tuner->kernel(scale_spec(), {.policy = {.safety = Safety::trusted}}).value();
  call_until_tuned(*scale);
  EXPECT_EQ(scale->best({{"n", kElements}})->find("ROUNDS")->as_integer(), 1);
  std::filesystem::remove(file);
}

// Measurements are kept although other files cannot be read.
TEST_F(TunableKernels, EachLineOfWisdomThatIsLeftOutIsANote) {
  const auto file = std::filesystem::temp_directory_path() / ("wattune-left-out-" + std::to_string(getpid()));
  const auto lines_of = [](const std::filesystem::path& of) {
    std::ifstream stream(of);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  };
  {
    const auto tuner = attach({.budget = {.share = 0.0}, .wisdom = file});
    const auto scale = tuner->kernel(scale_spec(), {.policy = {.safety = Safety::trusted}}).value();
    call_often(*scale);
  }
  const std::string whole = lines_of(file).at(0);
  std::string changed = whole;
  changed[changed.find("\"time\":") + 7] = '9';
  std::ofstream(file) << changed << "\n" << whole << "\r\n" << whole.substr(0, 50) << "\n" << whole.substr(0, 40);
  {
    const auto tuner = attach({.wisdom = file, .known = {file.string() + ".missing"}});
    const std::string name = file.string();
    EXPECT_THAT(tuner->report().notes,
                testing::ElementsAre(HasSubstr(name + ".missing"),
                                     HasSubstr(name + ":1: this line of the wisdom is left out: its checksum"),
                                     HasSubstr(name + ":3: this line"),
                                     HasSubstr(name + ":4: this line of the wisdom is left out: it was")));
    auto other = scale_spec();
    other.source.text += "\n";
    ASSERT_TRUE(tuner->kernel(other, best()));
    EXPECT_THAT(tuner->report().notes.back(), HasSubstr("is for other versions of its code"));
  }
  const auto tuner = attach({.wisdom = file.string() + ".folder/app.wisdom"});
  EXPECT_THAT(tuner->report().notes, testing::ElementsAre(HasSubstr("there is no folder")));
  std::filesystem::remove(file);
}

TEST_F(TunableKernels, WisdomThatIsNoneIsNotedAndLeftAlone) {
  const auto file = std::filesystem::temp_directory_path() / ("wattune-no-wisdom-" + std::to_string(getpid()));
  std::ofstream(file) << "a letter to a friend\n";
  {
    const auto tuner = attach({.wisdom = file});
    ASSERT_EQ(tuner->report().notes.size(), 1u);
    EXPECT_THAT(tuner->report().notes.front(), HasSubstr(file.filename().string()));
    const auto scale = tuner->kernel(scale_spec(), best()).value();
    EXPECT_TRUE((*scale)(application->queue(), x, kElements, 2.0f));
  }
  std::string line;
  std::getline(std::ifstream(file), line);
  EXPECT_EQ(line, "a letter to a friend");
  std::filesystem::remove(file);
}

TEST_F(TunableKernels, FailInAProcessThatWasForkedSince) {
  const auto tuner = attach();
  auto scale = tuner->kernel(scale_spec(), best()).value();
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  const pid_t child = fork();
  if (child == 0) {
    const Result<void> called = (*scale)(application->queue(), x, kElements, 2.0f);
    const bool refused = !called && called.error().to_string().find("forked") != std::string::npos;
    scale.reset();  // harms nothing
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  (*scale)(application->queue(), x, kElements, 2.0f).value();
  EXPECT_THAT(values(), Each(4.0f));
}

}  // namespace
}  // namespace wattune::dynamic
