#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "wait.h"
#include "wattune/search/strategy.h"
#include "wattune/tune/search.h"

namespace wattune::inline v0_1::tune {
namespace {

class InstantEvaluator : public Evaluator {
  Result<Observation> evaluate(const Configuration&) override {
    Observation observation;
    observation.statistics = Statistics{.median = Nanoseconds(1)};
    return observation;
  }
};

class CountingSink : public TrialSink {
 public:
  std::atomic<std::uint64_t> count = 0;

 private:
  Result<void> add(const Trial&) override { return ++count, Result<void>(); }
};

class Silent : public TuningObserver {
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const TuningEvent&) override {}
};

TEST(Tune, EndsWhenAnotherThreadCancels) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 40; ++i) parameters.push_back({.name = "p" + std::to_string(i), .values = {0, 1}});
  const space::SearchSpace space = space::SearchSpace::build(parameters, {}).value();
  auto strategy = search::make_strategy("random", space).value();
  InstantEvaluator evaluator;
  CountingSink sink;
  Silent observer;
  std::atomic<bool> cancel = false;

  std::thread user([&] {
    EXPECT_TRUE(test::wait_until([&] { return sink.count >= 100; }));
    cancel = true;
  });
  const TuningResult result = tune(space, *strategy, evaluator, sink, observer, {}, {.cancel = &cancel}).value();
  user.join();

  EXPECT_GE(result.evaluated, 100u);
  EXPECT_EQ(result.evaluated, sink.count);
  EXPECT_TRUE(result.best);
}

}  // namespace
}  // namespace wattune::tune
