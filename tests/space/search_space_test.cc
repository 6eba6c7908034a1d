// The operations of a SearchSpace: ids, counts, neighbours, sampling.
#include "wattune/space/search_space.h"

#include <cmath>
#include <map>
#include <numeric>

#include "space/space_support.h"

namespace wattune::inline v0_1::space {
namespace {

SearchSpace stencil() { return space_of(stencil_parameters(), stencil_constraints()); }

// --- ids ----------------------------------------------------------------------------------------------------------

TEST(SearchSpace, RankInvertsUnrankForEveryId) {
  const SearchSpace space = stencil();
  ValueIndices indices;
  for (ConfigurationId id = 0; id < space.count(); ++id) {
    space.unrank(id, indices);
    ASSERT_TRUE(space.contains(indices));
    ASSERT_EQ(space.rank(indices), id);
  }
}

TEST(SearchSpace, ContainsTellsValidFromInvalid) {
  const SearchSpace space = stencil();
  const std::set<ValueIndices> valid = brute_force(stencil_parameters(), stencil_constraints());
  for_each_combination(stencil_parameters(), [&](const ValueIndices& indices) {
    ASSERT_EQ(space.contains(indices), valid.contains(indices));
  });
  EXPECT_FALSE(space.contains({0, 0}));
}

TEST(SearchSpace, NamesTheValuesOfAConfiguration) {
  const SearchSpace space = space_of({range_parameter("a", 1, 3), parameter("mode", {"slow", "fast"})}, {"a >= 2"});
  const Configuration configuration = space.configuration(3);
  EXPECT_EQ(configuration.to_string(), "a=3, mode=fast");
  EXPECT_EQ(configuration.id(), 3U);
}

// Journals store ids and the hash. A change of either breaks resuming and needs a new kHashVersion.
TEST(SearchSpace, IdsAndHashStayTheSameAcrossVersions) {
  const SearchSpace space = stencil();
  EXPECT_EQ(space.content_hash(), "a555d4a55a29382e4a82ce61c8ce81d0");
  EXPECT_EQ(space.count(), 486U);
  EXPECT_EQ(space.configuration(0).to_string(), "bx=1, by=8, tx=1, ty=1, tt=1, sh=0");
  EXPECT_EQ(space.configuration(485).to_string(), "bx=32, by=2, tx=1, ty=2, tt=1, sh=0");
}

TEST(SearchSpace, HashCoversNamesValuesKindsAndConstraints) {
  const std::string base = space_of({parameter("a", {1, 2})}, {"a > 0"}).content_hash();
  EXPECT_EQ(base, space_of({parameter("a", {1, 2})}, {"a > 0"}).content_hash());
  EXPECT_NE(base, space_of({parameter("b", {1, 2})}, {"b > 0"}).content_hash());
  EXPECT_NE(base, space_of({parameter("a", {2, 1})}, {"a > 0"}).content_hash());
  EXPECT_NE(base, space_of({parameter("a", {1.0, 2.0})}, {"a > 0"}).content_hash());
  EXPECT_NE(base, space_of({parameter("a", {"1", "2"})}, {}).content_hash());
  EXPECT_NE(base, space_of({parameter("a", {1, 2})}, {"a >= 1"}).content_hash());
}

TEST(SearchSpace, NextVisitsEveryIdOnce) {
  const SearchSpace space = space_of({range_parameter("a", 1, 9)}, {"a % 2 == 1"});
  EXPECT_EQ(space.next(0), ConfigurationId{0});
  EXPECT_EQ(space.next(4), ConfigurationId{4});
  EXPECT_EQ(space.next(5), std::nullopt);
  EXPECT_EQ(contents(space).size(), 5U);
}

// --- finding ------------------------------------------------------------------------------------------------------

TEST(SearchSpace, FindsAConfigurationByItsValues) {
  const SearchSpace space = space_of({range_parameter("a", 1, 3), parameter("b", {0.5, 1.0})}, {"a != 2"});
  const std::vector<std::pair<std::string, Value>> values = {{"b", 1}, {"a", 3.0}};  // equal as in Python
  EXPECT_EQ(space.configuration(space.find(values).value()).to_string(), "a=3, b=1.0");
}

TEST(SearchSpace, FindSaysWhatIsWrong) {
  const SearchSpace space =
      space_of({range_parameter("tile_x", 1, 3), range_parameter("tile_y", 1, 3)}, {"tile_x < tile_y"});
  using Values = std::vector<std::pair<std::string, Value>>;
  const Error unknown = space.find(Values{{"tile_z", 1}}).error();
  EXPECT_EQ(unknown.code(), ErrorCode::not_found);
  EXPECT_EQ(unknown.to_string(), "unknown parameter `tile_z` (did you mean `tile_x`?)");
  EXPECT_EQ(space.find(Values{{"tile_x", 9}}).error().to_string(),
            "parameter `tile_x` has no value 9 (one of: 1, 2, 3)");
  EXPECT_EQ(space.find(Values{{"tile_x", 1}}).error().to_string(), "no value for parameter `tile_y`");
  const Error broken = space.find(Values{{"tile_x", 2}, {"tile_y", 2}}).error();
  EXPECT_EQ(broken.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(broken.to_string(), "this configuration breaks `tile_x < tile_y`");
  EXPECT_EQ(space.find(ValueIndices{0}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(space.find(ValueIndices{0, 3}).error().code(), ErrorCode::not_found);
}

TEST(SearchSpace, ListsEveryBrokenConstraintOnceWithItsPosition) {
  const auto space = SearchSpace::build({range_parameter("a", 0, 3), range_parameter("b", 0, 3)},
                                        {{"1 <= a <= b", {"spec.toml", 7, 14}}, {"a + b != 0", {"spec.toml", 8, 3}}});
  const std::vector<Violation> violations = space.value().violations({0, 0});
  ASSERT_EQ(violations.size(), 2U);
  EXPECT_EQ(violations[0].constraint, "1 <= a <= b");
  EXPECT_EQ(violations[0].position, (SourcePosition{"spec.toml", 7, 14}));
  EXPECT_EQ(violations[1].constraint, "a + b != 0");
  EXPECT_TRUE(space->violations({1, 2}).empty());
}

TEST(SearchSpace, AConstraintThatFaultsCountsAsBroken) {
  const SearchSpace space = space_of({range_parameter("a", 0, 3)}, {"6 % a == 0", "a > 0"});
  EXPECT_EQ(space.violations({0}).size(), 2U);
}

TEST(SearchSpace, DefaultConfigurationIsTheNearestValidOne) {
  std::vector<Parameter> parameters = {range_parameter("a", 1, 4), range_parameter("b", 1, 4),
                                       range_parameter("c", 1, 4)};
  // Changes c alone: without defaults, the first values a=1, b=1, c=1 are taken. c=2 comes before c=3.
  EXPECT_EQ(space_of(parameters, {"c > 1"})
                .configuration(space_of(parameters, {"c > 1"}).default_configuration())
                .to_string(),
            "a=1, b=1, c=2");
  parameters[0].default_value = 3;
  parameters[1].default_value = 2;
  parameters[2].default_value = 4;
  const SearchSpace valid = space_of(parameters, {"a > b"});
  EXPECT_EQ(valid.configuration(valid.default_configuration()).to_string(), "a=3, b=2, c=4");
  const SearchSpace changed = space_of(parameters, {"a < b", "a + b + c == 9"});  // b=3 or a=1 alone do not suffice
  const ConfigurationId id = changed.default_configuration();
  EXPECT_EQ(changed.configuration(id).to_string(), "a=1, b=4, c=4");
}

// A board whose clocks nobody sets runs at its highest clocks, in whatever order a spec lists them.
TEST(SearchSpace, DefaultConfigurationHasTheHighestOfWhatIsSetOnTheBoard) {
  const auto standard = [](std::vector<Value> clocks, std::vector<Value> limits) {
    std::vector<Parameter> parameters = {range_parameter("a", 1, 4), range_parameter("clock", 1, 1),
                                         range_parameter("limit", 1, 1)};
    parameters[1].role = ParameterRole::graphics_clock;
    parameters[1].values = std::move(clocks);
    parameters[2].role = ParameterRole::power_limit;
    parameters[2].values = std::move(limits);
    const SearchSpace space = space_of(parameters, {});
    return space.configuration(space.default_configuration()).to_string();
  };
  const std::string expected = "a=1, clock=1410, limit=250.5";
  EXPECT_EQ(standard({210, 1410, 900}, {250.5, 150}), expected);
  EXPECT_EQ(standard({1410, 900, 210}, {150, 250.5}), expected);
  EXPECT_EQ(standard({900, 210, 1410}, {200, 250.5, 150}), expected);
}

TEST(SearchSpace, AClockWithADefaultKeepsIt) {
  std::vector<Parameter> parameters = {range_parameter("clock", 900, 1410)};
  parameters[0].role = ParameterRole::graphics_clock;
  parameters[0].default_value = 1000;
  const SearchSpace space = space_of(parameters, {});
  EXPECT_EQ(space.configuration(space.default_configuration()).to_string(), "clock=1000");
}

TEST(SearchSpace, DefaultConfigurationMinimisesChangesAndThenTheId) {
  const SearchSpace space = stencil();
  std::size_t fewest = 100;
  ConfigurationId expected = 0;
  ValueIndices indices;
  for (ConfigurationId id = 0; id < space.count(); ++id) {
    space.unrank(id, indices);
    const auto changes = indices.size() - static_cast<std::size_t>(std::ranges::count(indices, 0));
    if (changes < fewest) {
      fewest = changes;
      expected = id;
    }
  }
  EXPECT_EQ(space.default_configuration(), expected);
}

TEST(SearchSpace, ProjectFindsEveryConfigurationFromItsOwnPlaces) {
  const SearchSpace space = stencil();
  ValueIndices indices;
  for (ConfigurationId id = 0; id < space.count(); ++id) {
    space.unrank(id, indices);
    const std::vector<double> point(indices.begin(), indices.end());
    ASSERT_EQ(space.project(point), id);
  }
}

// Places are 0 .. 9. b must be larger than a, so that a=7 leaves 8 and 9, of which 8 is nearer to 2.
TEST(SearchSpace, ProjectTakesTheNearestValueThatStaysValid) {
  const SearchSpace space = space_of({range_parameter("a", 0, 9), range_parameter("b", 0, 9)}, {"a < b"});
  ASSERT_EQ(space.report().order, (std::vector<std::string>{"a", "b"}));
  const auto projected = [&](double a, double b) {
    return space.configuration(space.project(std::vector<double>{a, b})).to_string();
  };
  EXPECT_EQ(projected(6.6, 2.0), "a=7, b=8");
  EXPECT_EQ(projected(2.5, 5.4), "a=2, b=5");  // halfway: the lower place
  EXPECT_EQ(projected(-1e300, 1e300), "a=0, b=9");
  EXPECT_EQ(projected(1e300, -1e300), "a=8, b=9");
}

// --- counting -----------------------------------------------------------------------------------------------------

TEST(SearchSpace, CountsConfigurationsPerValue) {
  const SearchSpace space = stencil();
  const std::vector<ValueIndices> all = contents(space);
  for (std::size_t p = 0; p < 6; ++p) {
    std::vector<Uint128> expected(stencil_parameters()[p].values.size(), 0);
    for (const ValueIndices& indices : all) ++expected[indices[p]];
    EXPECT_EQ(space.count_per_value(p), expected);
  }
}

TEST(SearchSpace, CountsOfParametersWithoutAChoice) {
  const SearchSpace space =
      space_of({parameter("one", {5}), range_parameter("a", 1, 4), range_parameter("b", 1, 4)}, {"a == 3"});
  EXPECT_EQ(space.count_per_value(0), (std::vector<Uint128>{4}));
  EXPECT_EQ(space.count_per_value(1), (std::vector<Uint128>{0, 0, 4, 0}));
  EXPECT_EQ(space.cartesian_count(), 16.0);
}

// --- neighbours ---------------------------------------------------------------------------------------------------

// Returns the neighbours by their definition: every other valid configuration for which `near` holds.
template <typename F>
std::vector<ConfigurationId> neighbours_by_definition(const SearchSpace& space, ConfigurationId id, F near) {
  const std::vector<ValueIndices> all = contents(space);
  std::vector<ConfigurationId> result;
  for (std::size_t other = 0; other < all.size(); ++other) {
    if (other != id && near(all[static_cast<std::size_t>(id)], all[other])) result.push_back(other);
  }
  return result;
}

TEST(SearchSpace, HammingNeighboursDifferInExactlyOneParameter) {
  const SearchSpace space = stencil();
  for (ConfigurationId id = 0; id < space.count(); id += 37) {
    const auto expected = neighbours_by_definition(space, id, [](const ValueIndices& a, const ValueIndices& b) {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0, std::plus(), std::not_equal_to()) == 1;
    });
    ASSERT_EQ(space.neighbours(id, Neighbourhood::hamming), expected);
  }
}

TEST(SearchSpace, StrictlyAdjacentNeighboursMoveAtMostOnePlaceInTheList) {
  const SearchSpace space = stencil();
  for (ConfigurationId id = 0; id < space.count(); id += 97) {
    const auto expected = neighbours_by_definition(space, id, [](const ValueIndices& a, const ValueIndices& b) {
      return std::ranges::equal(a, b, [](int x, int y) { return std::abs(x - y) <= 1; });
    });
    ASSERT_EQ(space.neighbours(id, Neighbourhood::strictly_adjacent), expected);
  }
}

TEST(SearchSpace, AdjacentNeighboursMoveAtMostOnePlaceAmongTheValuesThatOccur) {
  // a occurs as 1, 4, 5, 8 and b as 1, 4, 8: their places, not their lists, decide.
  const SearchSpace space = space_of({range_parameter("a", 1, 8), range_parameter("b", 1, 8)},
                                     {"a in (1, 4, 5, 8)", "b in (1, 4, 8)", "a != b"});
  const std::map<int, int> place_a = {{0, 0}, {3, 1}, {4, 2}, {7, 3}};
  const std::map<int, int> place_b = {{0, 0}, {3, 1}, {7, 2}};
  for (ConfigurationId id = 0; id < space.count(); ++id) {
    const auto expected = neighbours_by_definition(space, id, [&](const ValueIndices& x, const ValueIndices& y) {
      return std::abs(place_a.at(x[0]) - place_a.at(y[0])) <= 1 && std::abs(place_b.at(x[1]) - place_b.at(y[1])) <= 1;
    });
    ASSERT_EQ(space.neighbours(id, Neighbourhood::adjacent), expected);
  }
}

TEST(SearchSpace, TooManyAdjacentNeighboursKeepTheNearest) {
  // 40 free parameters with 3 values each: 3^40 - 1 neighbours of the middle, of which 80 change one parameter and
  // 4 * 40 * 39 / 2 = 3120 change two.
  std::vector<Parameter> parameters;
  for (int p = 0; p < 40; ++p) parameters.push_back(range_parameter("p" + std::to_string(p), 0, 2));
  const SearchSpace space = space_of(parameters, {});
  const ConfigurationId middle = space.rank(ValueIndices(40, 1));
  EXPECT_EQ(space.neighbours(middle, Neighbourhood::adjacent, 3500).size(), 80U + 3120U);
  EXPECT_EQ(space.neighbours(middle, Neighbourhood::adjacent, 3199).size(), 80U);
  EXPECT_EQ(space.neighbours(middle, Neighbourhood::strictly_adjacent, 10).size(), 80U);
}

// --- sampling -----------------------------------------------------------------------------------------------------

TEST(SearchSpace, SamplesUniformly) {
  const SearchSpace space =
      space_of({range_parameter("a", 1, 12), range_parameter("b", 1, 12), range_parameter("c", 1, 6)},
               {"a % b == 0", "a * c <= 30"});
  const auto n = static_cast<std::size_t>(space.count());
  ASSERT_GT(n, 100U);
  constexpr double kPerCell = 500;
  std::vector<double> hits(n, 0);
  Random random(12345);
  const auto draws = static_cast<std::size_t>(kPerCell * static_cast<double>(n));
  for (std::size_t i = 0; i < draws; ++i) ++hits[static_cast<std::size_t>(space.sample(random))];
  double chi_square = 0;
  for (double h : hits) chi_square += (h - kPerCell) * (h - kPerCell) / kPerCell;
  // Under uniformity chi^2 has n-1 degrees of freedom: mean n-1, variance 2(n-1). Above mean + 3.1 sigma lies 0.1 %. A
  // sampler that picks every child of a node alike gives, on this space, an excess of more than 50 sigma.
  const double freedom = static_cast<double>(n - 1);
  EXPECT_LT(chi_square, freedom + 3.1 * std::sqrt(2 * freedom));
  EXPECT_GT(chi_square, freedom - 3.1 * std::sqrt(2 * freedom));  // nor more even than chance
}

TEST(SearchSpace, StratifiedSampleHasOneIdPerSlice) {
  const SearchSpace space = stencil();
  Random random(3);
  constexpr std::size_t kSlices = 10;
  const std::vector<ConfigurationId> ids = space.sample_stratified(kSlices, random);
  ASSERT_EQ(ids.size(), kSlices);
  for (std::size_t i = 0; i < kSlices; ++i) {
    EXPECT_GE(ids[i] + 1, space.count() * i / kSlices);  // slices differ in size by one at most
    EXPECT_LE(ids[i], space.count() * (i + 1) / kSlices + 1);
  }
  EXPECT_TRUE(space.sample_stratified(0, random).empty());
}

TEST(SearchSpace, StratifiedSampleOfMoreThanAllIsAll) {
  const SearchSpace space = space_of({range_parameter("a", 1, 9)}, {"a % 2 == 1"});
  Random random(3);
  EXPECT_EQ(space.sample_stratified(1000, random), (std::vector<ConfigurationId>{0, 1, 2, 3, 4}));
}

// --- size ---------------------------------------------------------------------------------------------------------

TEST(SearchSpace, HundredParametersNeedNinetySixBits) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 100; ++p) parameters.push_back(parameter("p" + std::to_string(p), {0, 1}));
  const SearchSpace space = space_of(parameters, {"p0 + p1 == 1", "p98 <= p99"});
  // 2 of the first 4, 3 of the last 4: 2 * 3 * 2^96.
  EXPECT_EQ(space.count(), Uint128{6} << 96);
  EXPECT_LT(space.report().bytes, 10'000U);
  Random random(5);
  ValueIndices indices;
  for (int i = 0; i < 100; ++i) {
    const ConfigurationId id = space.sample(random);
    space.unrank(id, indices);
    ASSERT_EQ(space.rank(indices), id);
    ASSERT_EQ(indices[0] + indices[1], 1);
  }
  EXPECT_EQ(space.sample_stratified(7, random).size(), 7U);
  EXPECT_EQ(space.neighbours(0, Neighbourhood::hamming).size(), 97U);
  EXPECT_EQ(space.count_per_value(50), (std::vector<Uint128>{Uint128{3} << 96, Uint128{3} << 96}));
}

TEST(SearchSpace, ATrillionConnectedPoints) {
  // 10^12 points, and a sum over all of them: the partial sums, at most 109 per level, are the states.
  std::vector<Parameter> parameters;
  std::string sum = "p0";
  for (int p = 0; p < 12; ++p) parameters.push_back(range_parameter("p" + std::to_string(p), 0, 9));
  for (int p = 1; p < 12; ++p) sum += " + p" + std::to_string(p);
  const SearchSpace all = space_of(parameters, {sum + " >= 0"});
  EXPECT_EQ(to_string(all.count()), "1000000000000");
  const SearchSpace even = space_of(parameters, {"(" + sum + ") % 2 == 0"});
  EXPECT_EQ(to_string(even.count()), "500000000000");
  const SearchSpace two = space_of(parameters, {sum + " == 2"});  // 12 with a two, 66 with two ones
  EXPECT_EQ(two.count(), 78U);
}

TEST(SearchSpace, MoreThan128BitsAreRefusedWithTheirNumber) {
  std::vector<Parameter> parameters;
  for (int p = 0; p < 200; ++p) parameters.push_back(range_parameter("p" + std::to_string(p), 0, 9));
  const Error error = error_of(parameters, {});
  EXPECT_EQ(error.code(), ErrorCode::out_of_range);
  EXPECT_NE(error.message().find("about 10^200 configurations"), std::string::npos) << error.message();
}

TEST(SearchSpace, NoParametersIsOneConfiguration) {
  const SearchSpace space = space_of({}, {});
  EXPECT_EQ(space.count(), 1U);
  EXPECT_EQ(space.configuration(0).to_string(), "no parameters");
  EXPECT_EQ(space.default_configuration(), 0U);
  EXPECT_TRUE(space.neighbours(0, Neighbourhood::adjacent).empty());
}

TEST(SearchSpace, ReportsItsOrderAndSize) {
  const SearchSpace space = stencil();
  EXPECT_EQ(space.report().order.size(), 6U);
  EXPECT_GT(space.report().nodes, 6U);
  EXPECT_GT(space.report().states, 0U);
  EXPECT_LT(space.report().bytes, 20'000U);
  EXPECT_EQ(space.report().fallback, "");
  EXPECT_TRUE(space.exact());
}

}  // namespace
}  // namespace wattune::space
