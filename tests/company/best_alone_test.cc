#include "company/best_alone.h"

#include <gtest/gtest.h>

#include "company/company_fixture.h"

namespace wattune::inline v0_1::company {
namespace {

// A fixture with soloists that count how often they are asked, and a search that has ended.
class BestAloneTest : public testing::Test {
 protected:
  BestAloneTest() {
    for (std::size_t k = 0; k < company_.size(); ++k)
      soloists_.push_back(soloist_of([this, k](const Configuration& own) {
        ++asked_;
        return alone_[k](own);
      }));
  }

  ConfigurationId own(std::size_t member, std::int64_t block) const {
    const std::vector<std::pair<std::string, Value>> values = {{"BLOCK", Value(block)}};
    return company_.own_space(member).find(values).value();
  }
  ConfigurationId together(std::int64_t one, std::int64_t two) const {
    return company_.together({own(0, one), own(1, two)});
  }
  // Evaluates the configuration as an evaluator of the company does: members after one that fails are not evaluated.
  void evaluate(search::Strategy& strategy, ConfigurationId id) {
    const Configuration all = company_.space().configuration(id);
    Observation observation = tune::measured(1e6);
    for (std::size_t k = 0; k < company_.size() && observation.ok(); ++k) {
      const Configuration its = company_.own(k, all);
      if (soloists_[k].find(its.id()) == nullptr) soloists_[k].evaluate(its).value();
      if (!soloists_[k].find(its.id())->ok()) observation = *soloists_[k].find(its.id());
    }
    strategy.tell(id, observation);
  }
  std::vector<ConfigurationId> all_of(search::Strategy& strategy) {
    std::vector<ConfigurationId> proposed;
    for (auto ids = strategy.ask(1); !ids.empty(); ids = strategy.ask(1)) {
      proposed.push_back(ids.front());
      evaluate(strategy, ids.front());
    }
    return proposed;
  }

  const CompanySpace company_ =
      CompanySpace::build({{"one", writing_spec("one")}, {"two", writing_spec("two")}}).value();
  std::vector<Alone> alone_ = {alone_by_block, alone_by_block};
  std::vector<Soloist> soloists_;
  std::size_t asked_ = 0;
};

// The search knew 32 of both. The configurations that are left of one are tried together with those that are left of
// the other.
TEST_F(BestAloneTest, ProposesWhatIsLeftToTimeAndThenEachAtItsBest) {
  alone_[1] = [](const Configuration& its) { return tune::measured(100.0 - its.find("BLOCK")->as_real()); };
  const auto strategy = make_best_alone(company_, soloists_);
  evaluate(*strategy, together(32, 32));
  EXPECT_EQ(all_of(*strategy), (std::vector<ConfigurationId>{together(16, 16), together(64, 64), together(16, 64)}));
}

TEST_F(BestAloneTest, EvaluatesNothingItselfAndWaitsForWhatItProposed) {
  const auto strategy = make_best_alone(company_, soloists_);
  EXPECT_EQ(strategy->ask(3), (std::vector<ConfigurationId>{together(16, 16)}));
  EXPECT_EQ(strategy->ask(1), std::vector<ConfigurationId>());
  EXPECT_EQ(asked_, 0u);
}

// 16 of the first fails alone, before the second had its turn; 16 of the second comes again.
TEST_F(BestAloneTest, TriesAgainWhatAnotherKeptFromBeingTried) {
  alone_[0] = [](const Configuration& its) {
    return its.find("BLOCK")->as_real() < 20 ? Observation{.status = Status::runtime} : alone_by_block(its).value();
  };
  const auto strategy = make_best_alone(company_, soloists_);
  evaluate(*strategy, together(32, 32));
  EXPECT_EQ(all_of(*strategy),
            (std::vector<ConfigurationId>{together(16, 16), together(64, 16), together(32, 64), together(32, 16)}));
}

// The failure of an earlier run is known, but not which member failed alone.
TEST_F(BestAloneTest, LeavesOutWhatFailedInAnEarlierRun) {
  const auto strategy = make_best_alone(company_, soloists_);
  evaluate(*strategy, together(32, 32));
  strategy->tell(together(16, 16), {.status = Status::runtime});
  EXPECT_EQ(all_of(*strategy), (std::vector<ConfigurationId>{together(64, 64)}));  // 32 by 32, each at its best
}

// The configurations that were best alone stay those whose ratios are tried, though a better one is met beside others.
TEST(BestAlone, TriesEveryRatioOfEachAtItsBest) {
  const auto company =
      CompanySpace::build({{"one", writing_spec("one"), {0, 1, 2}}, {"two", writing_spec("two"), {0, 4}}}).value();
  std::vector<Soloist> soloists;
  for (std::size_t k = 0; k < 2; ++k) soloists.push_back(soloist_of(alone_by_block));
  for (std::size_t k = 0; k < 2; ++k)
    for (ConfigurationId id = 0; id < 3; ++id) soloists[k].evaluate(company.own_space(k).configuration(id)).value();
  const auto strategy = make_best_alone(company, soloists);
  std::vector<ConfigurationId> proposed;
  for (auto ids = strategy->ask(1); !ids.empty(); ids = strategy->ask(1)) {
    proposed.push_back(ids.front());
    strategy->tell(ids.front(), tune::measured(1e6));
    soloists[0].know(2, Nanoseconds(1), true);
  }
  const ConfigurationId best = company.together({0, 0});
  EXPECT_EQ(proposed, company.ratios(best));
  EXPECT_EQ(proposed.size(), 6u);
}

TEST_F(BestAloneTest, HasNoAnswerWhereAMemberIsNeverRight) {
  alone_[1] = [](const Configuration&) { return Observation{.status = Status::correctness}; };
  const auto strategy = make_best_alone(company_, soloists_);
  EXPECT_EQ(all_of(*strategy).size(), 3u);  // each of the second's, but no ratio of the best
}

}  // namespace
}  // namespace wattune::company
