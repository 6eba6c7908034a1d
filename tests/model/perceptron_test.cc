#include "model/interface/perceptron.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::model {
namespace {

using testing::HasSubstr;

// Computes a function whose inputs and values are far from 0 and of different sizes, like features of kernels.
double hill(double x, double y) { return 300.0 + 20.0 * std::sin(x / 10.0) * (y - 1000.0) / 500.0; }

std::vector<TrainingSample> hill_samples(std::size_t count, double noise = 0.0) {
  Random random(3);
  std::vector<TrainingSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = 40.0 * random.uniform(), y = 500.0 + 1000.0 * random.uniform();
    samples.push_back({{x, y}, hill(x, y) + noise * (2.0 * random.uniform() - 1.0)});
  }
  return samples;
}

// Returns the root mean squared error on a grid between the samples.
double error_on_hill(const Perceptron& network) {
  double squares = 0.0;
  for (int i = 0; i < 100; ++i) {
    const std::array at = {2.0 + 4.0 * (i % 10), 550.0 + 100.0 * (i / 10)};
    squares += std::pow(network.at(at) - hill(at[0], at[1]), 2) / 100.0;
  }
  return std::sqrt(squares);
}

// The hill reaches from 280 to 320.
TEST(Perceptron, LearnsAFunction) {
  EXPECT_LT(error_on_hill(*Perceptron::train(hill_samples(150), {.hidden = 10})), 0.2);
}

// 81 parameters would pass through all of 80 samples with errors of up to 5; the truth is between the samples.
TEST(Perceptron, DoesNotLearnNoise) {
  const auto samples = hill_samples(80, 5.0);
  const Perceptron network = *Perceptron::train(samples, {.hidden = 20});
  EXPECT_EQ(network.shape().parameters(), 81u);
  EXPECT_LT(error_on_hill(network), 2.5);
  double squares = 0.0;
  for (const TrainingSample& sample : samples) squares += std::pow(network.at(sample.inputs) - sample.output, 2) / 80.0;
  EXPECT_GT(std::sqrt(squares), 2.0);  // 5 / sqrt(3) is 2.9
}

TEST(Perceptron, IsDecidedByItsSeed) {
  const auto of = [](std::uint64_t seed) {
    return Perceptron::train(hill_samples(30), {.hidden = 4, .seed = seed})->to_text();
  };
  EXPECT_EQ(of(1), of(1));
  EXPECT_NE(of(1), of(2));
}

TEST(Perceptron, KnowsAnInputThatNeverChanges) {
  const std::vector<TrainingSample> samples = {{{1.0, 7.0}, 1.0}, {{2.0, 7.0}, 2.0}, {{3.0, 7.0}, 3.0}};
  const Perceptron network = *Perceptron::train(samples, {.hidden = 2});
  EXPECT_NEAR(network.at(std::array{2.5, 7.0}), 2.5, 0.1);
  EXPECT_EQ(network.at(std::array{2.5, 9.0}), network.at(std::array{2.5, 7.0}));
}

TEST(Perceptron, ComesBackFromItsText) {
  const Perceptron network = *Perceptron::train(hill_samples(30), {.hidden = 4});
  const std::string text = network.to_text();
  EXPECT_THAT(text, testing::StartsWith("wattune perceptron 1\n2-4-1\n"));
  const auto again = Perceptron::from_text(text, {.inputs = 2, .hidden = 4});
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(again->to_text(), text);
  EXPECT_EQ(again->at(std::array{10.0, 900.0}), network.at(std::array{10.0, 900.0}));
}

TEST(Perceptron, RefusesATextThatIsNotItsShape) {
  const std::string text = Perceptron::train(hill_samples(30), {.hidden = 4})->to_text();
  const auto refusal = [](const std::string& of, NetworkShape shape = {.inputs = 2, .hidden = 4}) {
    return Perceptron::from_text(of, shape).error().to_string();
  };
  EXPECT_THAT(refusal(text, {.inputs = 15, .hidden = 21}), HasSubstr("shape 15-21-1 is needed: `2-4-1`"));
  EXPECT_THAT(refusal("{}"), HasSubstr("this is no network: `{}`"));
  EXPECT_THAT(refusal(text.substr(0, text.size() / 2 - 3) + " x"), HasSubstr("this is no number"));
  EXPECT_THAT(refusal(text.substr(0, text.rfind('\n', text.size() - 2))), HasSubstr("the text ends early"));
  EXPECT_THAT(refusal(text + "1\n"), HasSubstr("goes on after the network: `1`"));
  EXPECT_THAT(refusal("wattune perceptron 1\n2-4-1\nnan 1\n"), HasSubstr("this is no number: `nan`"));
}

TEST(Perceptron, RefusesSamplesThatCannotBe) {
  const auto refusal = [](const std::vector<TrainingSample>& samples, std::size_t hidden = 2) {
    return Perceptron::train(samples, {.hidden = hidden}).error().to_string();
  };
  EXPECT_THAT(refusal({{{1.0}, 1.0}}), HasSubstr("training needs two samples at least: `1`"));
  EXPECT_THAT(refusal({{{1.0}, 1.0}, {{1.0, 2.0}, 1.0}}), HasSubstr("the first sample has 1 inputs: `2`"));
  EXPECT_THAT(refusal({{{}, 1.0}, {{}, 1.0}}), HasSubstr("a network has inputs and hidden neurons: `0-2-1`"));
  EXPECT_THAT(refusal({{{1.0}, 1.0}, {{std::numeric_limits<double>::infinity()}, 1.0}}), HasSubstr("no number: `inf`"));
}

}  // namespace
}  // namespace wattune::model
