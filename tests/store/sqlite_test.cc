#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "hostile.h"
#include "store/sample_results.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {
namespace {

// Returns the sample run with another time of its start.
ResultSet run_started_at(int second, int trials = 6) {
  ResultSet results = sample_results(trials);
  results.info.started_at = second_of_2026(second);
  return results;
}

std::string error_of_loading(const std::filesystem::path& file) {
  const auto results = load_results(file);
  return results ? "" : results.error().to_string();
}

class SqliteFile : public FolderTest {
 protected:
  std::filesystem::path file() const { return path("all.sqlite"); }
  void add(const ResultSet& results) const { ASSERT_TRUE(add_to_database(file(), {results})); }
  // Runs statements with SQLite's own program.
  void run_sql(const std::string& sql) const {
    ASSERT_EQ(std::system(("sqlite3 " + file().string() + " \"" + sql + "\" > " + path("out").string()).c_str()), 0);
  }
};

TEST_F(SqliteFile, HasTheRunAsItWas) {
  const ResultSet written = sample_results(12);
  add(written);
  const ResultSet read = load_results(file()).value();
  expect_same_info(read.info, written.info);
  expect_same_trials(read.trials, written.trials);
}

TEST_F(SqliteFile, OfSeveralRunsGivesTheOneThatIsNamed) {
  add(run_started_at(1, 3));
  ASSERT_TRUE(add_to_database(file(), {run_started_at(2, 4), run_started_at(3, 5)}));
  EXPECT_EQ(load_database(file()).value().size(), 3u);
  EXPECT_EQ(load_results(file().string() + "#2").value().trials.size(), 4u);
  EXPECT_EQ(load_results(file().string() + "#3").value().trials.size(), 5u);
  const std::string beyond = error_of_loading(file().string() + "#4");
  EXPECT_EQ(beyond.find(file().string() + ": there is no run 4"), 0u) << beyond;
  const std::string several = error_of_loading(file());
  EXPECT_EQ(several.find(file().string() + ": the database holds 3 runs (name one, as in "), 0u) << several;
  EXPECT_NE(several.find("#2 is convolution, 4096, 4096 on Some \"GPU\""), std::string::npos) << several;
}

TEST_F(SqliteFile, ARunThatGrewTakesThePlaceOfItsBeginning) {
  add(sample_results(3));
  add(sample_results(12));
  EXPECT_EQ(load_results(file()).value().trials.size(), 12u);
}

TEST_F(SqliteFile, ShowsTheLastTrialOfAConfigurationThatHasSeveral) {
  ResultSet twice = sample_results(1);
  twice.trials.push_back(twice.trials[0]);
  twice.trials[1].observation.message = "later";
  add(twice);
  EXPECT_EQ(load_evaluations(file()).value().trials.size(), 2u);
  const ResultSet counting = load_results(file()).value();
  ASSERT_EQ(counting.trials.size(), 1u);
  EXPECT_EQ(counting.trials[0].observation.message, "later");
}

TEST_F(SqliteFile, IsAloneInItsFolderWhenNobodyHasItOpen) {
  add(sample_results());
  ASSERT_TRUE(load_results(file()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1);
}

// 6 processes add 5 runs each; the first one makes the tables.
TEST_F(SqliteFile, ProcessesThatAddAtTheSameTimeLoseNothing) {
  constexpr int kProcesses = 6, kRuns = 5;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int i = 0; i < kRuns; ++i)
      if (!add_to_database(file(), {run_started_at(process * kRuns + i)})) ::_exit(1);
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(load_database(file()).value().size(), std::size_t{kProcesses * kRuns});
}

TEST_F(SqliteFile, AnswersQueries) {
  if (std::system("command -v sqlite3 > /dev/null") != 0) GTEST_SKIP() << "there is no program sqlite3 here";
  add(sample_results(12));
  run_sql("SELECT count(*), min(time_ns), json_extract(configuration, '$.block') FROM trials WHERE status = 'correct'");
  // Every sixth Trial is correct: numbers 0 and 6, with medians of 1001 and 7001 ns.
  EXPECT_EQ(contents_of(path("out")), "2|1001.0|16\n");
}

TEST_F(SqliteFile, OfOthersIsRefusedAndLeftAlone) {
  if (std::system("command -v sqlite3 > /dev/null") != 0) GTEST_SKIP() << "there is no program sqlite3 here";
  run_sql("CREATE TABLE songs(name)");
  EXPECT_EQ(error_of_loading(file()), file().string() + ": a database, but none of Wattune's");
  EXPECT_FALSE(add_to_database(file(), {sample_results()}));
  run_sql(".tables");
  EXPECT_EQ(contents_of(path("out")), "songs\n");
}

TEST_F(SqliteFile, WithAnotherSchemaIsRefused) {
  if (std::system("command -v sqlite3 > /dev/null") != 0) GTEST_SKIP() << "there is no program sqlite3 here";
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM trials; END", "the database has other tables"},
      {"DROP TABLE trials; CREATE VIEW trials AS SELECT 1 AS run, 1 AS number, 1 AS trial",
       "the database has other tables"},
      {"ALTER TABLE runs ADD COLUMN more", "the database has other tables"},
      {"PRAGMA user_version = 2", "the database has format 2, this Wattune reads up to 1"}};
  for (const auto& [change, message] : changes) {
    std::filesystem::remove(file());
    add(sample_results());
    run_sql(change);
    EXPECT_NE(error_of_loading(file()).find(message), std::string::npos) << change << ": " << error_of_loading(file());
    EXPECT_FALSE(add_to_database(file(), {run_started_at(1)})) << change;
  }
}

TEST_F(SqliteFile, WithTextThatIsNoTrialIsRefused) {
  if (std::system("command -v sqlite3 > /dev/null") != 0) GTEST_SKIP() << "there is no program sqlite3 here";
  add(sample_results());
  run_sql("UPDATE trials SET trial = 'nonsense'");
  EXPECT_NE(error_of_loading(file()).find("not valid JSON"), std::string::npos) << error_of_loading(file());
}

TEST_F(SqliteFile, ThatIsDamagedIsOneErrorOrStillRight) {
  add(sample_results(24));
  const std::string good = contents_of(file());
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    for (int edit = 0; edit < 20; ++edit)
      bad[16 + random.below(bad.size() - 16)] = static_cast<char>(random.below(256));
    if (i % 3 == 0) bad.resize(16 + random.below(bad.size() - 16));
    write_contents(file(), bad);
    EXPECT_TRUE(is_one_clean_line(error_of_loading(file())));
  }
}

TEST_F(SqliteFile, CanBeReadWhereItCannotBeWritten) {
  add(sample_results());
  std::filesystem::permissions(path(""), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(error_of_loading(file()), "");
  std::filesystem::permissions(path(""), std::filesystem::perms::owner_all);
}

TEST_F(SqliteFile, ThatCannotBeMadeIsOneError) {
  const auto added = add_to_database(path("absent/all.sqlite"), {sample_results()});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().to_string(), path("absent/all.sqlite").string() + ": unable to open database file");
}

}  // namespace
}  // namespace wattune::store
