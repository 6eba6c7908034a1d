// Screened kernels: the way from a key that is to be searched to the configurations that calls try.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "dynamic/screening_support.h"
#include "programs.h"
#include "wait.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(ScreeningTest, WhatIsBestInItsProcessIsTriedInCalls) {
  const auto explorer = explore();
  const std::vector<Candidate> wanted = wait_for(*explorer);
  EXPECT_THAT(names(wanted), ElementsAre("block=64, mode=7"));
  EXPECT_EQ(wanted[0].expected, Nanoseconds(1000));
  EXPECT_EQ(explorer->explored(), 30u);
  EXPECT_EQ(explorer->failed(), 0u);
  EXPECT_EQ(explorer->state(), "trying 1 of 30 that were screened");
  EXPECT_FALSE(explorer->over());
  EXPECT_THAT(found, ElementsAre("block=64, mode=7"));
  explorer->tell(wanted[0].configuration, {});
  EXPECT_TRUE(explorer->over());
  EXPECT_TRUE(explorer->is_complete());
  EXPECT_THAT(explorer->state(), HasSubstr("screened: "));
}

// The process of the device compiles nothing, not even the reference.
TEST_F(ScreeningTest, WhatItWillTryIsCompiledAhead) {
  check_outputs();
  options.target = [](const KernelSource& source) { return wattune::fakes::FakeDevice().compile_target(source); };
  backend::WorkerOptions worker;
  worker.executable = test::program("wattune-fake-worker");
  backend::CompilePool pool({.processes = 2, .worker = worker});
  options.pool = &pool;
  options.compile_ahead = 4;
  std::atomic<bool> compiled_there = false;
  options.open = [&](const backend::WorkerOptions&) {
    auto device = open();
    static_cast<wattune::fakes::FakeDevice&>(**device).on_build([&](const auto&, const auto&) {
      compiled_there = true;
      return wattune::fakes::FakeCompilation();
    });
    return device;
  };
  const auto explorer = explore();
  EXPECT_THAT(names(wait_for(*explorer)), ElementsAre("block=64, mode=7"));
  EXPECT_EQ(explorer->explored(), 30u);
  EXPECT_FALSE(compiled_there);
  screening.reset();
}

// A device whose process has died, as is found when the device is asked for a target.
class DeviceOfADeadProcess : public wattune::fakes::FakeDevice {
 public:
  Result<backend::CompileTarget> compile_target(const KernelSource& source) override {
    if (counters().resets == 0) return wattune::fakes::crash("SIGKILL", 9);
    return FakeDevice::compile_target(source);
  }
};

TEST_F(ScreeningTest, AProcessThatDiedBeforeAKeyIsReplacedAndCompilesNothing) {
  backend::WorkerOptions worker;
  worker.executable = test::program("wattune-fake-worker");
  backend::CompilePool pool({.processes = 2, .worker = worker});
  options.pool = &pool;
  std::atomic<bool> compiled_there = false;
  options.open = [&](const backend::WorkerOptions&) -> Result<std::unique_ptr<backend::Device>> {
    auto device = std::make_unique<DeviceOfADeadProcess>();
    device->add_kernel("scale", 3, kernel);
    device->on_build([&](const auto&, const auto&) {
      compiled_there = true;
      return wattune::fakes::FakeCompilation();
    });
    return std::unique_ptr<backend::Device>(std::move(device));
  };
  EXPECT_THAT(names(wait_for(*explore())), ElementsAre("block=64, mode=7"));
  EXPECT_FALSE(compiled_there);
  screening.reset();
}

TEST_F(ScreeningTest, WhatCallsHaveShownAlreadyIsNotTriedAgain) {
  const auto explorer = explore();
  explorer->tell(Problem::make(spec, {}, {}).value()->space.configuration(27), {});
  EXPECT_EQ(Problem::make(spec, {}, {}).value()->space.configuration(27).to_string(), "block=64, mode=7");
  EXPECT_THAT(wait_for(*explorer), IsEmpty());
}

TEST_F(ScreeningTest, WhatFailsInACallIsCountedAndNotWanted) {
  const auto explorer = explore();
  const std::vector<Candidate> wanted = wait_for(*explorer);
  explorer->tell(wanted[0].configuration, {.status = Status::runtime});
  EXPECT_EQ(explorer->failed(), 1u);
  EXPECT_THAT(explorer->wanted(), IsEmpty());
}

TEST_F(ScreeningTest, WrongOutputsAreNeverTriedInCalls) {
  check_outputs();
  kernel = [](const wattune::fakes::FakeLaunch& launch) {
    Result<Nanoseconds> time = run(launch);
    if (launch.macro("mode") == 7) launch.elements<float>(0)[63] = -1.0f;
    return time;
  };
  const auto explorer = explore();
  EXPECT_THAT(names(wait_for(*explorer)), ElementsAre("block=8, mode=0", "block=16, mode=0", "block=64, mode=0"));
  EXPECT_EQ(explorer->failed(), 1u) << "of those that are slower nobody looks at the outputs";
}

TEST_F(ScreeningTest, WithoutAReferenceWrongIsWhatDiffersFromTheDefaultConfiguration) {
  kernel = [](const wattune::fakes::FakeLaunch& launch) {
    Result<Nanoseconds> time = run(launch);
    if (launch.macro("mode") == 7) launch.elements<float>(0)[63] = -1.0f;
    return time;
  };
  const auto explorer = explore();
  EXPECT_THAT(names(wait_for(*explorer)), ElementsAre("block=8, mode=0", "block=16, mode=0", "block=64, mode=0"));
  ASSERT_THAT(explorer->failures(), SizeIs(1));
  EXPECT_EQ(explorer->failures().front().configuration.to_string(), "block=64, mode=7");
  EXPECT_THAT(explorer->failures().front().message, HasSubstr("`y`: 1 of 64 elements is wrong"));
}

TEST_F(ScreeningTest, WhereTheDefaultConfigurationFailsNothingIsAdoptedUnlessThatIsAllowed) {
  kernel = [](const wattune::fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (launch.macro("mode") == 0 && launch.macro("block") == 8) return Error(ErrorCode::launch_failed, "no such luck");
    return run(launch);
  };
  const auto explorer = explore();
  ASSERT_TRUE(test::wait_until([&] { return explorer->over(); }));
  EXPECT_THAT(explorer->wanted(), IsEmpty());
  EXPECT_THAT(first_notes().front(), HasSubstr("the right outputs are not known: the default configuration block=8, "
                                               "mode=0 fails: no such luck"));
  const auto allowed = explore({.strategy = "exhaustive", .adopt_unverified = true});
  EXPECT_THAT(names(wait_for(*allowed)), ElementsAre("block=64, mode=7"));
}

// A key whose calls are known before its search begins. Whenever the screening thread reads the clock, the clock moves
// on and the key is called. So it does not matter when the threads run.
struct AKeyOnACountedClock : ScreeningTest {
  ~AKeyOnACountedClock() override { screening.reset(); }

  void begin() {
    const auto problem = Problem::make(spec, {}, {{"n", 64}}).value();
    KeySearch search = plan_key_search(*problem, {.strategy = "exhaustive"}, {}).value();
    key = std::make_shared<KeyScreening>(problem, std::move(search), stall_budget);
    key->note_calls(Nanoseconds());
    options.now = [this] {
      key->note_call();
      return nanoseconds_from_seconds(seconds += 0.1);
    };
    screening.emplace(options);
    screening->add(key);
  }

  std::shared_ptr<KeyScreening> key;
  double seconds = 1e6;  // of the screening thread
};

// After ten configurations of which the others gain nothing, another is expected to save 0.38 ms. That is less than its
// wait of 0.4 ms costs.
TEST_F(AKeyOnACountedClock, WhatDoesNotPayWithinTheExpectedCallsIsSaid) {
  begin();
  EXPECT_THAT(first_notes(), ElementsAre(HasSubstr("screening waits: in the calls that are expected one more")));
  EXPECT_FALSE(key->state().over);
  EXPECT_EQ(key->state().explored, 10u);
}

// The first eight configurations teach how slow a first launch may be. The next key profits from that as well.
TEST_F(ScreeningTest, WhatIsClearlySlowerIsLaunchedOnce) {
  check_outputs();
  std::mutex counting;
  std::map<std::string, int> launches;
  kernel = [&](const wattune::fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    const std::lock_guard lock(counting);
    ++launches[fmt::format("{}, {}", launch.macro("block"), launch.macro("mode"))];
    WATTUNE_ASSIGN(const Nanoseconds time, run(launch));
    return 100.0 * time;
  };
  const auto first = explore();
  wait_for(*first);
  for (int mode = 1; mode < 10; ++mode) EXPECT_EQ(launches[fmt::format("16, {}", mode)], 1) << mode;
  EXPECT_EQ(launches["64, 7"], 9) << "behind the first launch six samples in two waits, each begun by one that does "
                                     "not count; their outputs are compared";
  launches.clear();
  const auto second = explore();
  wait_for(*second);
  for (int mode = 1; mode < 8; ++mode) EXPECT_EQ(launches[fmt::format("8, {}", mode)], 1) << mode;
}

TEST_F(ScreeningTest, AProcessThatCrashesOrHangsCostsOneConfiguration) {
  kernel = [](const wattune::fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    if (launch.macro("mode") == 7) return wattune::fakes::crash("SIGSEGV");
    if (launch.macro("mode") == 0) return wattune::fakes::kForever;
    return run(launch);
  };
  check_outputs();
  const auto explorer = explore();
  EXPECT_THAT(names(wait_for(*explorer)), ElementsAre("block=8, mode=1", "block=16, mode=1", "block=64, mode=1"));
  EXPECT_EQ(explorer->explored(), 30u);
  EXPECT_EQ(explorer->failed(), 6u);
  EXPECT_EQ(opened, 1);
}

TEST_F(ScreeningTest, ForAKeyThatIsExpectedTheProcessIsThereBeforeIt) {
  screening.emplace(options);
  screening->expect_key();
  ASSERT_TRUE(test::wait_until([this] { return opened > 0; }));
  EXPECT_THAT(names(wait_for(*explore())), ElementsAre("block=64, mode=7"));
  EXPECT_EQ(opened, 1);
}

TEST_F(ScreeningTest, WhatIsRefusedRunsTheBestKnownOnlyAndSaysSoOnce) {
  options.open = [this](const backend::WorkerOptions&) -> Result<std::unique_ptr<backend::Device>> {
    ++opened;
    return Error(ErrorCode::unavailable, "the board is in exclusive-process mode");
  };
  const auto first = explore();
  const auto second = explore();
  EXPECT_THAT(wait_for(*first), IsEmpty());
  EXPECT_THAT(wait_for(*second), IsEmpty());
  EXPECT_TRUE(first->over());
  EXPECT_FALSE(first->is_complete());
  EXPECT_THAT(first->state(), HasSubstr("not screened: "));
  EXPECT_EQ(first->explored(), 0u);
  EXPECT_EQ(opened, 1);
  EXPECT_THAT(first_notes(),
              ElementsAre(HasSubstr("nothing is screened, so that kernels that are not trusted run the best "
                                    "known only: ")));
}

// The data take 512 bytes, a quarter of 2,048. Only half of the data fits into a quarter of 1,024.
TEST_F(ScreeningTest, TimesOfReducedDataAreNotExpectedInCalls) {
  free_memory = 1024;
  const auto explorer = explore();
  // Groups of 64 do not fit into 32 elements.
  const std::vector<Candidate> wanted = wait_for(*explorer);
  EXPECT_THAT(names(wanted), ElementsAre("block=8, mode=0", "block=16, mode=0"));
  for (const Candidate& each : wanted) EXPECT_EQ(each.expected, std::nullopt);
  EXPECT_THAT(found, IsEmpty());
}

// A share of 0.005 of 0.2 s pays for a step of 1 ms, in which 50 MB fit. So 134 MB are halved twice.
TEST_F(ScreeningTest, OnASmallBudgetItTriesMoreOnSmallerData) {
  StallBudget small({.share = 0.005});
  small.begin(Nanoseconds());
  spec.problem_size[0].value = std::int64_t{1} << 24;
  free_memory = std::uint64_t{1} << 40;
  std::atomic<std::size_t> floats = 0;
  kernel = [&](const wattune::fakes::FakeLaunch& launch) {
    floats = launch.elements<float>(0).size();
    launch.elements<float>(0)[0] = 1.0f;
    return Nanoseconds(1000);
  };
  std::atomic<double> now = 0.0;
  options.now = [&] { return Nanoseconds(now.load()); };
  screening.emplace(options);
  const auto explorer = make_screened_explorer(Problem::make(spec, {}, {{"n", 1}}).value(), {.strategy = "exhaustive"},
                                               {}, small, *screening, {})
                            .value();
  ASSERT_TRUE(test::wait_until([&] {
    static_cast<void>(explorer->wanted());
    now = now + 20e6;
    return explorer->explored() >= 5;
  }));
  EXPECT_EQ(floats, std::size_t{1} << 22);
  screening.reset();
}

// The search goes on only once the test has seen its result.
TEST_F(ScreeningTest, WhatIsBetterThanTheBestKnownDoesNotWaitForTheSearchToEnd) {
  std::atomic<bool> found_best = false;
  std::atomic<bool> go_on = false;
  kernel = [&](const wattune::fakes::FakeLaunch& launch) {
    const bool best = launch.macro("block") == 64 && launch.macro("mode") == 7;
    EXPECT_TRUE(test::wait_until([&] { return !found_best || best || go_on; }));
    found_best = found_best || best;
    return run(launch);
  };
  const auto explorer = explore();
  EXPECT_TRUE(
      test::wait_until([&] { return names(explorer->wanted()) == std::vector<std::string>{"block=64, mode=7"}; }));
  EXPECT_FALSE(explorer->over());
  EXPECT_THAT(explorer->state(), HasSubstr("screening, "));
  go_on = true;
  EXPECT_THAT(names(wait_for(*explorer)), ElementsAre("block=64, mode=7"));
}

// Mode 1 seems to take 3 % longer. All later configurations wait until the test has seen that mode 1 is tried.
TEST_F(ScreeningTest, WhatMayBeAsGoodIsTriedInCallsAtOnce) {
  std::atomic<bool> go_on = false;
  kernel = [&](const wattune::fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    EXPECT_TRUE(test::wait_until([&] { return launch.macro("mode") <= 1 || go_on; }));
    WATTUNE_TRY(tune::scale(launch));
    return Nanoseconds(launch.macro("mode") == 1 ? 2060 : 2000 + 1000 * launch.macro("mode"));
  };
  const auto explorer = explore();
  EXPECT_TRUE(test::wait_until([&] { return explorer->wanted().size() >= 2; }));
  EXPECT_THAT(names(explorer->wanted()), ElementsAre("block=8, mode=0", "block=8, mode=1"));
  EXPECT_FALSE(explorer->over());
  go_on = true;
  wait_for(*explorer);
}

// Block 8 in mode 0 is the best known, with 2 us; block 64 in mode 7 takes half as long. The same holds in calls, whose
// times may become known after the screening.
TEST_F(ScreeningTest, OnReducedDataTheBestKnownTellsWhatCallsWillTake) {
  spec.problem_size[0].value = 128;
  free_memory = 2048;  // of which 512 bytes are those of 64 elements
  const auto explorer = explore();
  const std::vector<Candidate> screened = wait_for(*explorer);
  ASSERT_THAT(names(screened), ElementsAre("block=64, mode=7"));
  EXPECT_EQ(screened[0].expected, std::nullopt);
  explorer->tell(Problem::make(spec, {}, {}).value()->space.configuration(0),
                 {.statistics = Statistics{.median = Nanoseconds(50'000)}});
  const std::vector<Candidate> wanted = explorer->wanted();
  ASSERT_THAT(names(wanted), ElementsAre("block=64, mode=7"));
  EXPECT_EQ(wanted[0].expected, Nanoseconds(25'000));
}

// Calls report the least time for the best known, while the second configuration is screened.
TEST_F(ScreeningTest, OnReducedDataCallsSayThatNothingIsLeft) {
  spec.problem_size[0].value = 128;
  free_memory = 2048;
  std::atomic<bool> go_on = false;
  std::atomic<bool> is_held = false;
  kernel = [&](const wattune::fakes::FakeLaunch& launch) {
    is_held = launch.macro("mode") > 0 && !go_on;
    EXPECT_TRUE(test::wait_until([&] { return launch.macro("mode") == 0 || go_on; }));
    return run(launch);
  };
  const auto explores = [&](Nanoseconds least, bool more) {
    go_on = is_held = false;
    const auto explorer = explore({.strategy = "exhaustive", .least_time = [least](const Key&) { return least; }});
    explorer->note_calls(nanoseconds_from_seconds(1));
    EXPECT_TRUE(test::wait_until([&] { return explorer->explored() > 0 && is_held; }));
    explorer->tell(Problem::make(spec, {}, {}).value()->space.configuration(0),
                   {.statistics = Statistics{.median = Nanoseconds(50'000)}});
    const std::uint64_t before = explorer->explored();
    go_on = true;
    EXPECT_TRUE(test::wait_until([&] { return explorer->explored() > before + (more ? 1 : 0); }));
    if (more) return;
    // No event tells that nothing more comes. A screening that went on would do so within this time.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(explorer->explored(), before + 1);
  };
  explores(Nanoseconds(50'000), false);
  explores(Nanoseconds(10'000), true);
  screening.reset();  // its thread may still run a kernel, which reads `go_on`
}

// A configuration of 1.5 us was the best known before block 64 in mode 7.
TEST_F(ScreeningTest, OnReducedDataCallsTryWhatWasTheBestBeforeToo) {
  kernel = [](const wattune::fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    WATTUNE_ASSIGN(const Nanoseconds time, run(launch));
    return launch.macro("block") == 16 && launch.macro("mode") == 5 ? Nanoseconds(1500) : time;
  };
  EXPECT_THAT(names(wait_for(*explore())), ElementsAre("block=64, mode=7"));
  spec.problem_size[0].value = 128;
  free_memory = 2048;
  const auto explorer = explore();
  const std::vector<Candidate> wanted = wait_for(*explorer);
  EXPECT_THAT(names(wanted), ElementsAre("block=64, mode=7", "block=16, mode=5"));
  for (const Candidate& each : wanted) explorer->tell(each.configuration, {});
  EXPECT_TRUE(explorer->over());
  EXPECT_THAT(explorer->state(), HasSubstr("screened on smaller data: "));
}

TEST_F(ScreeningTest, WithoutMemoryAKeyIsRefusedInOneLine) {
  free_memory = 8;
  const auto explorer = explore();
  EXPECT_THAT(wait_for(*explorer), IsEmpty());
  EXPECT_THAT(first_notes(), ElementsAre(HasSubstr("of the device's memory, and may take")));
}

TEST_F(ScreeningTest, ASpecThatIsWrongEndsItsKeyOnly) {
  const KernelSpec good = spec;
  spec.arguments.pop_back();
  const auto wrong = explore();
  spec = good;
  const auto explorer = explore();
  EXPECT_THAT(wait_for(*wrong), IsEmpty());
  EXPECT_THAT(wait_for(*explorer), SizeIs(1));
}

// The failing configurations include the one that the application runs.
TEST_F(ScreeningTest, WhereNothingWorksANoteSaysWhy) {
  kernel = [](const wattune::fakes::FakeLaunch&) -> Result<Nanoseconds> { return wattune::fakes::crash("SIGSEGV"); };
  check_outputs();
  const auto explorer = explore();
  EXPECT_THAT(wait_for(*explorer), IsEmpty());
  EXPECT_EQ(explorer->failed(), 30u);
  EXPECT_THAT(first_notes(),
              ElementsAre(HasSubstr("none of 30 configurations works on generated data; block=8, mode=0: ")));
}

TEST_F(ScreeningTest, TimeOnTheDeviceIsCharged) {
  const auto explorer = explore();
  wait_for(*explorer);
  EXPECT_GT(stall_budget.stalls().screening, Nanoseconds());
  EXPECT_EQ(stall_budget.stalls().total(), stall_budget.stalls().screening);
}

// Screening would begin at the first call, but the application has no time to spare.
TEST_F(ScreeningTest, WaitsWhileTheBudgetIsSpentAndEndsInThat) {
  options.now = [] { return Nanoseconds(); };
  const auto explorer = explore();
  EXPECT_EQ(explorer->explored(), 0u);
  screening.reset();
  EXPECT_FALSE(explorer->over());
}

// The fake worker's compiler never ends. The limit of compiling is two minutes.
TEST_F(ScreeningTest, EndsThoughItsProcessIsBusy) {
  spec.source.text = "slow";
  spec.source.function = "scale";
  const std::filesystem::path log =
      std::filesystem::temp_directory_path() / fmt::format("wattune-busy-test-{}", getpid());
  setenv("WATTUNE_FAKE_COMPILER_LOG", log.c_str(), 1);
  options.worker.executable = test::program("wattune-fake-worker");
  options.open = [&](const backend::WorkerOptions& worker) { return backend::open_device_in_worker("fake:0", worker); };
  const auto explorer = explore();
  EXPECT_TRUE(test::wait_until([&] { return std::filesystem::exists(log); }));
  unsetenv("WATTUNE_FAKE_COMPILER_LOG");
  screening.reset();
  EXPECT_THAT(notes, IsEmpty());
  std::filesystem::remove(log);
}

}  // namespace
}  // namespace wattune::dynamic
