#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <string>

#include "search/models/acquisition.h"
#include "search/models/calibration.h"
#include "search/models/encoding.h"
#include "search/models/gaussian_process.h"
#include "search/models/length_scales.h"
#include "search/models/nearest.h"
#include "search/models/noise.h"
#include "search/strategies/start.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {
namespace {

// The response is 3 where the first place is 2 or more, else 1; the second parameter has no effect.
TEST(Forest, FindsTheParameterThatMatters) {
  std::vector<std::uint16_t> rows;
  std::vector<double> responses;
  for (std::uint16_t a = 0; a < 4; ++a) {
    for (std::uint16_t b = 0; b < 5; ++b) {
      rows.insert(rows.end(), {a, b});
      responses.push_back(a >= 2 ? 3.0 : 1.0);
    }
  }
  Random random(1);
  Forest forest;
  EXPECT_TRUE(forest.empty());
  forest.fit(rows, 2, responses, 50, random);
  for (std::uint16_t a = 0; a < 4; ++a) {
    const std::vector<std::uint16_t> row = {a, 2};
    EXPECT_NEAR(forest.predict(row).mean, a >= 2 ? 3.0 : 1.0, 1e-9);
    EXPECT_NEAR(forest.predict(row).deviation, 0.0, 1e-6);
  }
}

// There are 99 random columns and one that decides between 1 and 3. Each node tries 24 of them, so that trees find it
// early or late.
TEST(Forest, FindsTheColumnThatMattersAmongMany) {
  Random random(1);
  std::vector<std::uint16_t> rows;
  std::vector<double> responses;
  for (int row = 0; row < 200; ++row) {
    for (int column = 0; column < 100; ++column) rows.push_back(static_cast<std::uint16_t>(random.below(4)));
    responses.push_back(rows.back() >= 2 ? 3.0 : 1.0);
  }
  Forest forest;
  forest.fit(rows, 100, responses, 50, random);
  std::vector<std::uint16_t> row(100, 1);
  const double low = forest.predict(row).mean;
  row.back() = 2;
  EXPECT_GT(forest.predict(row).mean, low + 0.5);
}

TEST(Forest, IsUnsureWhereItHasSeenNothing) {
  const std::vector<std::uint16_t> rows = {0, 10};
  std::vector<std::uint16_t> many;
  std::vector<double> responses;
  for (int i = 0; i < 4; ++i) {
    many.insert(many.end(), rows.begin(), rows.end());
    responses.insert(responses.end(), {1.0, 5.0});
  }
  Random random(1);
  Forest forest;
  forest.fit(many, 1, responses, 50, random);
  const std::vector<std::uint16_t> middle = {5};
  EXPECT_GT(forest.predict(middle).deviation, 1.0);
}

TEST(GaussianProcess, PassesThroughItsObservations) {
  GaussianProcess process({0.5});
  std::vector<Coordinates> points;
  for (int i = 0; i <= 10; ++i) points.push_back({i / 10.0});
  process.set_candidates({{0.0}, {0.3}, {0.35}, {1.0}});
  for (const Coordinates& point : points) process.add({point, std::sin(3.0 * point[0])});
  EXPECT_NEAR(process.predict(0).mean, 0.0, 0.02);
  EXPECT_NEAR(process.predict(1).mean, std::sin(0.9), 0.02);
  EXPECT_NEAR(process.predict(2).mean, std::sin(1.05), 0.02);
  EXPECT_LT(process.predict(1).deviation, 0.05);
}

// One observation lies at 0 and one at 1, with opposite responses, under Matern 5/2. The mean between them is (k(x) -
// k(1 - x)) / (1 + noise - k(1)), as solving two equations by hand gives.
TEST(GaussianProcess, PredictsByTheKernelOfMatern) {
  const auto kernel = [](double distance) {
    const double d = std::sqrt(5.0) * distance / 0.8;
    return (1.0 + d + d * d / 3.0) * std::exp(-d);
  };
  GaussianProcess process({0.8});
  process.set_candidates({{0.3}, {0.5}});
  process.add({{0.0}, 1.0});
  process.add({{1.0}, -1.0});
  EXPECT_NEAR(process.predict(0).mean, (kernel(0.3) - kernel(0.7)) / (1.001 - kernel(1.0)), 1e-9);
  EXPECT_NEAR(process.predict(1).mean, 0.0, 1e-12);
}

// A variance of 0.5 more at both observations keeps predictions away from them.
TEST(GaussianProcess, FollowsNoisyObservationsLoosely) {
  const double d = std::sqrt(5.0) / 0.8;
  const double kernel = (1.0 + d + d * d / 3.0) * std::exp(-d);
  GaussianProcess process({0.8});
  process.set_candidates({{0.0}});
  process.add({{0.0}, 1.0, 0.5});
  process.add({{1.0}, -1.0, 0.5});
  EXPECT_NEAR(process.predict(0).mean, (1.0 - kernel) / (1.501 - kernel), 1e-9);
  EXPECT_GT(process.predict(0).deviation, 0.5);
}

// Candidates set before, between or after the observations get the same predictions.
TEST(GaussianProcess, GrowsAsIfItHadBeenBuiltAtOnce) {
  GaussianProcess early({0.7, 0.7});
  GaussianProcess late({0.7, 0.7});
  early.set_candidates({{0.2, 0.9}});
  for (const auto& [x, y] : {std::pair(0.1, 0.2), {0.5, 0.5}, {0.9, 0.1}, {0.3, 0.8}}) {
    early.add({{x, y}, x * y});
    late.add({{x, y}, x * y});
  }
  late.set_candidates({{0.2, 0.9}});
  EXPECT_DOUBLE_EQ(early.predict(0).mean, late.predict(0).mean);
  EXPECT_DOUBLE_EQ(early.predict(0).deviation, late.predict(0).deviation);
}

TEST(GaussianProcess, PrefersTheLengthScaleOfTheData) {
  GaussianProcess rough({0.01});
  GaussianProcess smooth({1.0});
  for (int i = 0; i <= 20; ++i) {
    rough.add({{i / 20.0}, i / 20.0});
    smooth.add({{i / 20.0}, i / 20.0});
  }
  EXPECT_GT(smooth.log_likelihood(), rough.log_likelihood());
}

TEST(GaussianProcess, SurvivesRepeatedPointsAndConstantTargets) {
  GaussianProcess process({1.0});
  for (int i = 0; i < 5; ++i) process.add({{0.5}, 7.0});
  process.set_candidates({{0.5}});
  EXPECT_NEAR(process.predict(0).mean, 7.0, 1e-6);
  EXPECT_TRUE(std::isfinite(process.log_likelihood()));
}

// Responses are 1 and 5, as many of each: their standard deviation is 2. With n observations the share is 0.1 * 50 /
// (50 + n) at one deviation.
TEST(Noise, GrowsWithTheSquareOfTheDistanceFromTheBest) {
  std::vector<ObservedRow> rows(50, {.response = 1.0});
  for (std::size_t i = 0; i < rows.size(); i += 2) rows[i].response = 5.0;
  const Noise noise(rows);
  EXPECT_EQ(noise.of(1.0), 0.0);
  EXPECT_DOUBLE_EQ(noise.of(3.0), 0.05);
  EXPECT_DOUBLE_EQ(noise.of(5.0), 0.2);
  EXPECT_EQ(noise.of(0.5), 0.0) << "a new best one";
  rows.resize(4);
  EXPECT_DOUBLE_EQ(Noise(rows).of(3.0), 0.1 * 50 / 54);
}

TEST(Noise, IsNoneWhereAllAreAlike) {
  EXPECT_EQ(Noise({{.response = 7.0}, {.response = 7.0}}).of(8.0), 0.0);
  EXPECT_EQ(Noise().of(8.0), 0.0);
}

// The weights of 0.95^k add up to 20; five more outcomes of error 1 are trusted beforehand.
TEST(Calibration, IsTheRootMeanSquareOfRecentErrors) {
  Calibration calibration;
  EXPECT_EQ(calibration.factor(), 1.0);
  for (int i = 0; i < 500; ++i) calibration.add({.mean = 1.0, .deviation = 0.1}, i % 2 == 0 ? 1.3 : 0.7);
  EXPECT_NEAR(calibration.factor(), std::sqrt((20 * 9 + 5) / 25.0), 1e-6);
  for (int i = 0; i < 500; ++i) calibration.add({.mean = 1.0, .deviation = 0.1}, 1.1);
  EXPECT_NEAR(calibration.factor(), 1.0, 1e-6);
}

// The result is (25 + 5) / (1 + 5): an error counts as five deviations at most, also if no deviation was predicted.
TEST(Calibration, OutlivesOneWildError) {
  for (const double deviation : {1e-3, 0.0}) {
    Calibration calibration;
    calibration.add({.mean = 0.0, .deviation = deviation}, 1e6);
    EXPECT_NEAR(calibration.factor(), std::sqrt(5.0), 1e-9);
  }
}

TEST(Calibration, NeverNarrows) {
  Calibration calibration;
  for (int i = 0; i < 100; ++i) calibration.add({.mean = 1.0, .deviation = 1.0}, 1.0);
  EXPECT_EQ(calibration.factor(), 1.0);
}

// The second coordinate has no effect, so that its scale grows: it starts as the first one's and the two can only part.
TEST(LengthScales, AreLongWhereNothingChanges) {
  std::vector<GaussianProcess::Observed> observed;
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 5; ++b) observed.push_back({{a / 4.0, b / 4.0}, std::sin(6.0 * a / 4.0)});
  }
  const std::vector<double> scales = fit_length_scales(observed, {false, false});
  EXPECT_GE(scales[1], 2.0 * scales[0]);
}

TEST(LengthScales, AreCommonWithFewObservationsOrManyCoordinates) {
  const auto common = [](const std::vector<double>& scales) {
    return std::ranges::all_of(scales, [&](double scale) { return scale == scales.front(); });
  };
  EXPECT_TRUE(common(fit_length_scales({{{0.0, 0.0}, 1.0}, {{1.0, 0.0}, 2.0}, {{0.0, 1.0}, 1.0}}, {false, false})));
  std::vector<GaussianProcess::Observed> wide;
  for (int i = 0; i < 20; ++i) {
    wide.push_back({Coordinates(100, 0.0), static_cast<double>(i)});
    wide.back().point[0] = i / 20.0;
  }
  EXPECT_TRUE(common(fit_length_scales(wide, std::vector<bool>(100, false))));
}

// Four observations are too few for scales of their own. If the response follows the first coordinate whatever the
// flags are, the flags have four times its scale. If it differs for each pair of flags, they have the same scale.
TEST(LengthScales, AreLongForFlagsThatChangeLittle) {
  const std::vector<Coordinates> points = {{0.0, 0.0, 0.0}, {0.3, 1.0, 1.0}, {0.6, 0.0, 1.0}, {0.9, 1.0, 0.0}};
  const auto scales = [&](const std::vector<double>& responses) {
    std::vector<GaussianProcess::Observed> observed;
    for (std::size_t i = 0; i < points.size(); ++i) observed.push_back({points[i], responses[i]});
    return fit_length_scales(observed, {false, true, true});
  };
  const std::vector<double> of_little = scales({0.0, 0.3, 0.6, 0.9});
  EXPECT_EQ(of_little[1], 4.0 * of_little[0]);
  EXPECT_EQ(of_little[2], of_little[1]);
  const std::vector<double> of_much = scales({0.0, 5.0, -5.0, 0.0});
  EXPECT_EQ(of_much[1], of_much[0]);
}

// 40 lies in the middle of 32 and 48, place 1.5 of its list: the nearest power is 32. Lists of powers alone, of other
// kinds, and without powers stay as they are, and miss nothing.
TEST(Start, KeepsToPowersOfTwoWhereOthersAreListed) {
  const auto space = space::SearchSpace::build({{"block", {16, 32, 48, 64}, {}, {}},
                                                {"tile", {1, 3, 5, 6}, {}, {}},
                                                {"unroll", {1, 2, 4}, {}, {}},
                                                {"flag", {0, 1}, {}, {}},
                                                {"odd", {3, 5, 7}, {}, {}},
                                                {"name", {"a", "b"}, {}, {}}},
                                               {})
                         .value();
  const PowersOfTwo powers(space);
  EXPECT_EQ(powers.nearest({1.5, 1.5, 1, 0.5, 1, 0.5}), (Coordinates{1, 0, 1, 0.5, 1, 0.5}));
  EXPECT_EQ(powers.nearest({2.6, 3, 0.4, 1, 2, 1}), (Coordinates{3, 0, 0.4, 1, 2, 1}));
  EXPECT_EQ(powers.missed({0, 0, 1, 1, 0, 0}), 0u);
  EXPECT_EQ(powers.missed({2, 0, 0, 0, 2, 1}), 1u);
  EXPECT_EQ(powers.missed({2, 3, 0, 0, 2, 1}), 2u);
}

// Three of nine configurations, with that of the beginning, have each value of both parameters once.
TEST(Start, FewConfigurationsShowAllValues) {
  const auto space = space::SearchSpace::build({{"x", {0, 1, 2}, {}, {}}, {"y", {0, 1, 2}, {}, {}}}, {}).value();
  const std::vector<ConfigurationId> all{0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(spread_over_values(space, {0}, all, 2), (std::vector<ConfigurationId>{4, 8}));  // (1, 1), (2, 2)
  EXPECT_EQ(spread_over_values(space, {1}, all, 2), (std::vector<ConfigurationId>{3, 8}));
  EXPECT_EQ(spread_over_values(space, {0}, {0, 4, 4}, 5), (std::vector<ConfigurationId>{4}));
}

// x is 1 in one of the nine that were drawn: 1 is not shown before 0 was shown four times.
TEST(Start, ValuesThatFewConfigurationsHaveAreNotPreferred) {
  const auto space =
      space::SearchSpace::build({{"x", {0, 1}, {}, {}}, {"y", {0, 1, 2, 3, 4, 5, 6, 7}, {}, {}}}, {}).value();
  const std::vector<ConfigurationId> drawn{8, 0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(spread_over_values(space, {}, drawn, 4), (std::vector<ConfigurationId>{0, 1, 2, 3}));
}

TEST(Start, PairsAreCountedByWhatShowsThem) {
  const auto space =
      space::SearchSpace::build({{"x", {0, 1}, {}, {}}, {"y", {0, 1}, {}, {}}, {"z", {0, 1, 2}, {}, {}}}, {}).value();
  PairCounts shown(space);
  EXPECT_EQ(shown.of(0), 0);
  shown.add(0);   // (0, 0, 0)
  shown.add(11);  // (1, 1, 2)
  EXPECT_EQ(shown.of(0), 3);
  EXPECT_EQ(shown.of(1), 1);  // (0, 0, 1): x and y
  EXPECT_EQ(shown.of(3), 1);  // (0, 1, 0): x and z
  EXPECT_EQ(shown.of(4), 0);  // (0, 1, 1)
  shown.add(1);
  EXPECT_EQ(shown.of(0), 4);
}

// Four parameters of five values have 150 pairs. 40 draws show 121 of them in the mean (deviation 4), and more than 132
// in one of 500 cases. 25 would do (an orthogonal array).
TEST(Start, FortyInFlightShowNearlyAllPairsOfValues) {
  std::vector<Parameter> parameters;
  for (const char* const name : {"a", "b", "c", "d"}) parameters.push_back({name, {0, 1, 2, 3, 4}, {}, {}});
  const auto space = space::SearchSpace::build(parameters, {}).value();
  std::set<std::array<double, 4>> pairs;
  for (const ConfigurationId id : make_strategy("auto", space, {.seed = 2}).value()->ask(40)) {
    const Coordinates point = coordinates(space, id);
    for (std::size_t p = 0; p < point.size(); ++p)
      for (std::size_t q = 0; q < p; ++q)
        pairs.insert({static_cast<double>(p), static_cast<double>(q), point[p], point[q]});
  }
  EXPECT_GE(pairs.size(), 140);
}

// A cold search of these values proposes only powers before it is told an outcome, however many it is asked for.
// Without the option few are powers: 49 of 10,000. Some of the 49 are drawn twice, and give way to a uniform draw.
TEST(Start, IsHowAutoBegins) {
  std::vector<Value> values;
  for (int v = 1; v <= 100; ++v) values.emplace_back(v);
  const auto space = space::SearchSpace::build({{"a", values, {}, {}}, {"b", values, {}, {}}}, {}).value();
  const auto powers_among_twenty = [&](double powers) {
    int count = 0;
    for (const ConfigurationId id :
         make_strategy("auto", space, {.seed = 2, .parameters = {{"powers", powers}}}).value()->ask(20)) {
      const Coordinates point = coordinates(space, id);
      count += std::ranges::all_of(
          point, [](double place) { return std::has_single_bit(static_cast<std::uint64_t>(place) + 1); });
    }
    return count;
  };
  EXPECT_GE(powers_among_twenty(1), 7);
  EXPECT_LE(powers_among_twenty(0), 1);
}

// Returns the observation of a time in nanoseconds; 0 is a failure.
Observation timed(double time) {
  Observation observation;
  if (time > 0.0) observation.statistics = Statistics{.median = Nanoseconds(time)};
  if (time == 0.0) observation.status = Status::runtime;
  return observation;
}

// Times say nothing. In uniform draws 49 of 60 values would be no powers, and some 34 at first in those of the models
// alone. Later nothing is believed any more.
TEST(ModelSearch, BelievesInPowersWhileLittleIsKnown) {
  std::vector<Value> values;
  for (int v = 1; v <= 32; ++v) values.emplace_back(v);
  const auto space = space::SearchSpace::build({{"a", values, {}, {}}, {"b", values, {}, {}}}, {}).value();
  const PowersOfTwo powers(space);
  const auto strategy = make_strategy("auto", space, {.seed = 1}).value();
  Random times(1);
  std::size_t early = 0;
  std::size_t late = 0;
  for (int i = 0; i < 140; ++i) {
    const ConfigurationId id = strategy->ask(1).front();
    if (i >= 4 && i < 34) early += powers.missed(coordinates(space, id));
    if (i >= 110) late += powers.missed(coordinates(space, id));
    strategy->tell(id, timed(1000.0 * std::exp(times.uniform())));
  }
  EXPECT_LT(early, 20u);
  EXPECT_GT(late, 30u);
}

// If the first two parameters do not agree, all configurations are slow but one, the fastest of 46,656, which the
// models take for poor. It has the first parameter of some of the best, the second of others, and else what they have
// in common.
TEST(ModelSearch, LeavesTheModelsWhereNothingImproves) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 6; ++p) parameters.push_back({"p" + std::to_string(p), {0, 1, 2, 3, 4, 5}, {}, {}});
  const auto space = space::SearchSpace::build(std::move(parameters), {}).value();
  const ConfigurationId fastest = space.find({2, 3, 2, 2, 2, 2}).value();
  const auto time = [&](ConfigurationId id) {
    if (id == fastest) return 0.5;
    const Coordinates point = coordinates(space, id);
    const double alone = point[0] != point[1] ? 9.0 : point[0] == 2.0 || point[0] == 3.0 ? 1.0 : 3.0;
    return alone + 0.5 * static_cast<double>(4 - std::count(point.begin() + 2, point.end(), 2.0));
  };
  const auto finds = [&](double explore, std::uint64_t seed) {
    const auto strategy = make_strategy("auto", space, {.seed = seed, .parameters = {{"explore", explore}}}).value();
    for (int i = 0; i < 400; ++i) {
      const ConfigurationId id = strategy->ask(1).front();
      if (id == fastest) return true;
      strategy->tell(id, timed(time(id)));
    }
    return false;
  };
  int by_models_alone = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_TRUE(finds(5, seed)) << seed;
    by_models_alone += finds(0, seed) ? 1 : 0;
  }
  EXPECT_LE(by_models_alone, 1);
}

// Two searches know 70 outcomes of a noisy slope; one's acquisition is the probability of improvement. They want the
// same if the best was told 60 outcomes ago, and not if it was the last but ten.
TEST(ModelSearch, PrefersWhatIsLikelyBetterWhereNothingImproves) {
  std::vector<Value> values;
  for (int v = 0; v < 40; ++v) values.emplace_back(v);
  const auto space = space::SearchSpace::build({{"a", values, {}, {}}, {"b", values, {}, {}}}, {}).value();
  const auto wanted = [&](double acquisition, int idle) {
    const auto strategy =
        make_strategy("auto", space, {.seed = 1, .parameters = {{"acquisition", acquisition}}}).value();
    Random random(1);
    for (int i = 70; i > 0; --i) {
      const ConfigurationId id = space.sample(random);
      const double slope = 10.0 + coordinates(space, id)[0];
      strategy->tell(id, timed(i == idle + 1 ? 9.0 : slope * std::exp(0.2 * random.uniform())));
    }
    return strategy->ask(12);
  };
  EXPECT_EQ(wanted(expected_improvement, 60), wanted(improvement_probability, 60));
  EXPECT_NE(wanted(expected_improvement, 10), wanted(improvement_probability, 10));
}

// The parameter block has octaves 0, 1, 1.58, 2 above 16, and exponents 4, 5, 4, 6 of 6. unroll has octaves 0, 1, and
// exponents that only grow; flag and name have neither. Products are in 16ths of an octave: round(16 (log2(48 / 16) +
// 1)) = 41.
TEST(Encoding, GivesRatiosExponentsOfTwoAndProducts) {
  const auto space = space::SearchSpace::build({{"block", {16, 32, 48, 64}, {}, {}},
                                                {"unroll", {1, 2}, {}, {}},
                                                {"flag", {0, 1}, {}, {}},
                                                {"name", {"a", "b", "c"}, {}, {}}},
                                               {})
                         .value();
  const ConfigurationId id = space.find({2, 1, 0, 1}).value();
  const Encoding encoding(space);
  std::vector<std::uint16_t> row;
  encoding.append_row(id, row);
  EXPECT_EQ(row, (std::vector<std::uint16_t>{2, 1, 0, 1, 4, 41}));
  EXPECT_EQ(row.size(), encoding.width());
  const Coordinates point = encoding.point(id);
  ASSERT_EQ(point.size(), 5U);
  EXPECT_NEAR(point[0], std::log2(3.0) / 2.0, 1e-12);
  EXPECT_EQ((Coordinates{point.begin() + 1, point.end()}), (Coordinates{1.0, 0.0, 0.5, 0.5 * 4.0 / 6.0}));
}

// A parameter of one value says nothing to a process, which would take it for one more parameter without effect.
TEST(Encoding, HasNoCoordinateForParametersOfOneValue) {
  const auto space = space::SearchSpace::build(
                         {{"block", {16, 32, 48, 64}, {}, {}}, {"size", {4096}, {}, {}}, {"flag", {0, 1}, {}, {}}}, {})
                         .value();
  const Encoding encoding(space);
  EXPECT_EQ(encoding.point(space.find({3, 0, 1}).value()), (Coordinates{1.0, 1.0, 0.5}));
  EXPECT_EQ(encoding.flags(), (std::vector<bool>{false, true, false}));
}

// 20 parameters have 190 products, and a row of 210 columns would make every proposal expensive.
TEST(Encoding, LeavesOutTheProductsOfManyParameters) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 20; ++p) parameters.push_back({"p" + std::to_string(p), {1, 2}, {}, {}});
  const auto space = space::SearchSpace::build(parameters, {}).value();
  EXPECT_EQ(Encoding(space).width(), 20U);
}

// A product has 600 log2(10) octaves for each factor: 2 * 600 * 3.3219 * 16 = 63781 sixteenths.
TEST(Encoding, TakesValuesOfAnySizeAndParametersOfOneValue) {
  const auto space = space::SearchSpace::build({{"tiny", {1e-300, 1.0, 1e300}, {}, {}},
                                                {"huge", {1e-300, 1.0, 1e300}, {}, {}},
                                                {"negative", {-4, 0, 3}, {}, {}},
                                                {"fixed", {8}, {}, {}}},
                                               {})
                         .value();
  const ConfigurationId id = space.find({2, 2, 1, 0}).value();
  std::vector<std::uint16_t> row;
  Encoding(space).append_row(id, row);
  EXPECT_EQ(row, (std::vector<std::uint16_t>{2, 2, 1, 0, 63781}));
  EXPECT_EQ(Encoding(space).point(id), (Coordinates{1.0, 1.0, 0.5}));
}

// The distances from (0, 0, 0) are 0 with cost 4, twice 1 with costs 8 and 6, and 3 with cost 1.
TEST(NearestNeighbours, AverageTheNearestAndOfEquallyNearOnesTheBest) {
  NearestNeighbours neighbours(3);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 2), 0.0);
  neighbours.add({1, 1, 1}, 1.0);
  neighbours.add({0, 0, 9}, 8.0);
  neighbours.add({0, 0, 0}, 4.0);
  neighbours.add({5, 0, 0}, 6.0);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 1), 4.0);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 2), 5.0);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 3), 6.0);
  EXPECT_EQ(neighbours.predict({0, 0, 0}, 9), 4.75);
}

TEST(NearestNeighbours, CountFailuresAsTheWorstAndForgetTheOldest) {
  NearestNeighbours neighbours(1);
  neighbours.add({7}, 3.0);
  neighbours.add({0}, std::nullopt);
  EXPECT_EQ(neighbours.predict({0}, 1), 3.0);
  for (std::size_t i = 0; i + 1 < NearestNeighbours::kMostRememberedOutcomes; ++i) neighbours.add({1}, 2.0);
  EXPECT_EQ(neighbours.predict({7}, 1), 2.0);
  EXPECT_EQ(neighbours.predict({0}, 1), 3.0);
}

// Below 0, N(0, 1) has E[max(0, -x)] = 1 / sqrt(2 pi) = 0.39894 and the probability 1/2.
TEST(Acquisition, AgreesWithTheNormalDistribution) {
  const Prediction standard{.mean = 0.0, .deviation = 1.0};
  EXPECT_NEAR(acquire(expected_improvement, standard, 0.0, 1.0), 0.39894, 1e-5);
  EXPECT_NEAR(acquire(improvement_probability, standard, 0.0, 1.0), 0.5, 1e-12);
  EXPECT_NEAR(acquire(confidence_bound, standard, 0.0, 2.0), std::exp(2.0), 1e-9);
}

}  // namespace
}  // namespace wattune::search
