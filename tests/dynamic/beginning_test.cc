// How a key finds its first configuration, and the states until then.
#include "dynamic/tuning/beginning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "dynamic/fakes.h"
#include "dynamic/scale_spec.h"
#include "fakes/fake_device.h"
#include "wait.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using fakes::FakeVariant;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Variants that are compiled at once, and load unless the test breaks them.
class FakeVariants : public VariantSource {
 public:
  void expect(const void*, const Problem&, std::span<const Configuration> configurations, bool urgently) override {
    announced.clear();
    for (const Configuration& each : configurations) announced.push_back(each.to_string());
    are_urgent = urgently;
  }
  bool is_ready(const Problem&, const Configuration&) const override { return true; }
  bool is_loaded(const Problem&, const Configuration& configuration) const override {
    return loaded_elsewhere.contains(configuration.to_string());
  }
  Result<std::shared_ptr<Variant>> make(std::shared_ptr<const Problem>, const Configuration& configuration) override {
    made.push_back(configuration.to_string());
    if (all_are_broken) return Error(ErrorCode::compile_failed, configuration.to_string() + " is broken");
    return std::shared_ptr<Variant>(std::make_shared<FakeVariant>(configuration));
  }
  void expect_generic(const Problem&, const Configuration&) override {}
  bool is_generic_ready() const override { return true; }
  Result<std::shared_ptr<Variant>> make_generic(std::shared_ptr<const Problem>, const Configuration&) override {
    ++generics;
    return Error(ErrorCode::compile_failed, "no generic one");
  }

  std::vector<std::string> announced;
  bool are_urgent = false;
  std::set<std::string> loaded_elsewhere;
  bool all_are_broken = false;
  std::vector<std::string> made;
  int generics = 0;
};

// A loader that keeps what it was asked until the test lets it work.
class WaitingLoader : public fakes::FakeLoader {
 public:
  void request(LoadRequest request) override { requests.push_back(std::move(request)); }
  void hurry(const void*) override { ++hurries; }
  void work() {
    const LoadRequest request = std::move(requests.front());
    requests.pop_front();
    request.loaded(request.load());
  }

  std::deque<LoadRequest> requests;
  int hurries = 0;
};

// An explorer that wants one configuration until it is told of it.
class FakeExplorer : public Explorer {
 public:
  explicit FakeExplorer(Configuration wanted) : wanted_(std::move(wanted)) {}
  std::vector<Candidate> wanted() override {
    return over_ ? std::vector<Candidate>() : std::vector{Candidate{wanted_}};
  }
  std::uint64_t news() override { return over_; }
  void tell(const Configuration& configuration, const Observation&) override {
    over_ = over_ || configuration == wanted_;
  }
  bool over() const override { return over_; }
  std::uint64_t explored() const override { return over_; }
  std::uint64_t failed() const override { return 0; }
  std::string state() const override { return "under way"; }

 private:
  const Configuration wanted_;
  bool over_ = false;
};

// A key with three configurations, of which BLOCK=32 is the default and therefore the likeliest.
struct BeginningTest : testing::Test {
  static KernelSpec make_spec() {
    return test::scale_spec(Language::opencl, "kernel void scale()", 64,
                            {{.name = "BLOCK", .values = {8, 16, 32}, .default_value = 32}});
  }
  static KernelParts make_parts() {
    KernelOptions options;
    options.generic = {16};
    return {make_spec(), std::move(options), {"scale", ""}, std::make_unique<FakeVariants>(), {}, {}};
  }
  void fail_best() {
    const std::shared_ptr<Variant> best = tuning.best();
    tuning.fail_best(best, Error(ErrorCode::launch_failed, "refused"));
  }
  // Makes the explorer of the key want this configuration.
  void want(const std::string& name) {
    parts.make_explorer = [this, name](auto, const auto&, const auto&) -> Result<std::unique_ptr<Explorer>> {
      for (ConfigurationId id = 0; id < 3; ++id)
        if (Configuration each = kernel.problem->space.configuration(id); each.to_string() == name)
          return std::unique_ptr<Explorer>(std::make_unique<FakeExplorer>(std::move(each)));
      return Error(ErrorCode::not_found, name);
    };
  }
  // Makes calls until something is requested, or until the key is tuned. Each takes no time.
  void call_until_requested() {
    EXPECT_TRUE(test::wait_until([&] {
      call();
      return !requested.requests.empty();
    }));
  }
  void call_until_settled() {
    EXPECT_TRUE(test::wait_until([&] {
      call();
      while (!requested.requests.empty()) requested.work();
      return tuning.state() == KeyState::settled;
    }));
  }
  void call() {
    path.count();
    const Turn turn = tuning.pairing().next(Mode::explore, around.now());
    if (turn.timed) tuning.pairing().sent(turn, TimedCall({}), {});
    tuning.look(Mode::explore);
  }

  wattune::fakes::FakeDevice device;
  Streams streams{device};
  StallBudget stall_budget{Budget{}};
  WaitingLoader requested;
  std::unique_ptr<Wisdom> wisdom = Wisdom::open({}).value();
  DeviceDrift device_drift;
  std::vector<std::string> notes;
  Surroundings around{device, streams, stall_budget, requested, *wisdom, device_drift, [this](const std::string& line) {
                        notes.push_back(line);
                      }};
  KernelParts parts = make_parts();
  FakeVariants& variants = static_cast<FakeVariants&>(*parts.variants);
  const KeyedKernel kernel{Problem::make(make_spec(), {}, {}).value(), parts, around};
  CallPath path{around, 64};
  std::mutex mutex;
  StartingCandidates starting{*kernel.problem, {}, parts.options};
  KeyLoader loader{kernel};
  KeyTuning tuning{kernel, path, mutex, loader, starting};
  Beginning beginning{kernel, path, mutex, loader, starting, tuning};
};

TEST_F(BeginningTest, ARequestIsHurriedOnceCallsWait) {
  EXPECT_EQ(beginning.state(), KeyState::unstarted);
  beginning.begin_beside();
  beginning.begin_beside();
  EXPECT_EQ(beginning.state(), KeyState::beginning);
  EXPECT_EQ(requested.requests.size(), 1u);
  EXPECT_EQ(requested.hurries, 0);
  beginning.begin_for_calls();
  beginning.begin_for_calls();
  EXPECT_EQ(beginning.state(), KeyState::hurried);
  EXPECT_EQ(requested.hurries, 1);
  EXPECT_FALSE(path.has_best());
  requested.work();
  EXPECT_TRUE(path.has_best());
  EXPECT_EQ(tuning.best()->configuration().to_string(), "BLOCK=32");
  EXPECT_EQ(tuning.state(), KeyState::running);
}

TEST_F(BeginningTest, AConfigurationThatFailsIsFollowedByTheNextUntilNoneIsLeft) {
  variants.all_are_broken = true;
  for (int i = 0; i < 3; ++i) {
    beginning.begin_for_calls();
    EXPECT_EQ(beginning.state(), KeyState::hurried);
    requested.work();
    EXPECT_EQ(beginning.state(), KeyState::unstarted);
  }
  EXPECT_EQ(std::set(variants.made.begin(), variants.made.end()).size(), 3u) << "each of the space, once";
  beginning.begin_for_calls();
  EXPECT_EQ(beginning.state(), KeyState::exhausted);
  EXPECT_THAT(requested.requests, IsEmpty());
  EXPECT_EQ(beginning.begin_now().error().code(), ErrorCode::compile_failed);
}

TEST_F(BeginningTest, ARequestThatComesTooLateLoadsNothing) {
  beginning.begin_beside();
  ASSERT_TRUE(beginning.begin_now());
  ASSERT_THAT(variants.made, ElementsAre("BLOCK=32"));
  EXPECT_EQ(beginning.state(), KeyState::beginning) << "the request is still at the loader";
  requested.work();
  EXPECT_THAT(variants.made, ElementsAre("BLOCK=32"));
  EXPECT_EQ(beginning.state(), KeyState::unstarted);
}

TEST_F(BeginningTest, AKeyWhoseOnlyConfigurationFailsBeginsAgain) {
  ASSERT_TRUE(beginning.begin_now());
  fail_best();
  EXPECT_FALSE(path.has_best());
  beginning.begin_beside();
  requested.work();
  ASSERT_TRUE(path.has_best());
  EXPECT_NE(tuning.best()->configuration().to_string(), "BLOCK=32");
}

TEST_F(BeginningTest, ABestThatFailsIsReplacedByAnEarlierOneThatWorks) {
  ASSERT_TRUE(beginning.begin_now());
  const std::shared_ptr<Variant> first = tuning.best();
  tuning.adopt(std::make_shared<FakeVariant>(kernel.problem->space.configuration(0)), {});
  ASSERT_NE(tuning.best(), first);
  EXPECT_EQ(tuning.state(), KeyState::settled);
  fail_best();
  EXPECT_EQ(tuning.best(), first);
  EXPECT_EQ(path.steady(Mode::best, 0), first.get());
}

// The launch fails on the device, long after the call has returned.
TEST_F(BeginningTest, ABestThatFailsWhileItIsTimedIsNotUsedAgain) {
  ASSERT_TRUE(beginning.begin_now());
  const bool is_ready = true;
  std::vector<std::unique_ptr<backend::Event>> events;
  events.push_back(std::make_unique<fakes::FakeEvent>(Error(ErrorCode::launch_failed, "out of bounds"), is_ready));
  tuning.pairing().sent(tuning.pairing().next(Mode::automatic, around.now()), TimedCall(std::move(events)), {});
  tuning.look(Mode::automatic);
  EXPECT_EQ(tuning.best(), nullptr);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("BLOCK=32 fails and is not used again: ")));
  ASSERT_TRUE(beginning.begin_now());
  EXPECT_NE(tuning.best()->configuration().to_string(), "BLOCK=32");
}

TEST_F(BeginningTest, ACandidateThatIsLoadedWhileNothingRunsIsTriedLater) {
  ASSERT_TRUE(beginning.begin_now());
  want(starting.first()->to_string() == "BLOCK=8" ? "BLOCK=16" : "BLOCK=8");
  call_until_requested();
  fail_best();
  requested.work();
  ASSERT_TRUE(beginning.begin_now());
  call_until_settled();
}

TEST_F(BeginningTest, TuningAgainDoesNotCancelTheFirstConfigurationForWhichCallsWait) {
  want("BLOCK=8");
  ASSERT_TRUE(beginning.begin_now());
  call_until_requested();
  fail_best();
  beginning.begin_for_calls();
  ASSERT_THAT(variants.announced, Not(IsEmpty()));
  tuning.retune();
  EXPECT_THAT(variants.announced, Not(IsEmpty()));
}

TEST_F(BeginningTest, AnExpectedKeyIsTunedAtOnceThoughItWasPreloadedMeanwhile) {
  want("BLOCK=8");
  tuning.expect({}, true);
  beginning.begin_beside();
  ASSERT_TRUE(beginning.begin_now());
  requested.work();
  EXPECT_EQ(tuning.state(), KeyState::tuning);
}

TEST_F(BeginningTest, WhatWasOnlyExpectedIsAnnouncedAgainOnceItIsUrgent) {
  const std::vector<Configuration> one{kernel.problem->space.configuration(0)};
  loader.expect(one);
  EXPECT_FALSE(variants.are_urgent);
  loader.expect(one, true);
  EXPECT_TRUE(variants.are_urgent);
}

TEST_F(BeginningTest, TheLikeliestIsTakenAtOnceOnlyIfItsCodeIsLoadedForAnotherKey) {
  beginning.begin_loaded();
  EXPECT_FALSE(path.has_best());
  variants.loaded_elsewhere = {"BLOCK=32"};
  beginning.begin_loaded();
  EXPECT_TRUE(path.has_best());
  EXPECT_THAT(requested.requests, IsEmpty());
}

TEST_F(BeginningTest, AGenericConfigurationThatFailsIsTriedAndNotedOnceButNotInACapture) {
  EXPECT_EQ(beginning.generic(true), nullptr);
  EXPECT_EQ(variants.generics, 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(beginning.generic(false), nullptr);
  EXPECT_EQ(variants.generics, 1);
  EXPECT_EQ(notes.size(), 1u);
}

}  // namespace
}  // namespace wattune::dynamic
