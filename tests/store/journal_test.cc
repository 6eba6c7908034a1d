#include "wattune/store/journal.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <limits>

#include "store/journal_fixture.h"
#include "store/journal_text.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::HasSubstr;

TEST_F(JournalTest, ReturnsWhatWasAdded) {
  write_journal(6);
  const auto results = read_journal(file_);
  ASSERT_TRUE(results) << results.error().to_string();
  expect_same_info(results->info, sample_info());
  expect_same_trials(results->trials, sample_results(6).trials);
}

TEST_F(JournalTest, GoesOnWhereItStopped) {
  write_journal(3);
  {
    auto journal = Journal::open(file_, sample_info(), Resume::checked);
    ASSERT_TRUE(journal) << journal.error().to_string();
    expect_same_trials((*journal)->recovered(), sample_results(3).trials);
    EXPECT_EQ((*journal)->file(), file_);
    for (int i = 3; i < 6; ++i) ASSERT_TRUE((*journal)->add(sample_trial(i)));
  }
  expect_same_trials(read_journal(file_)->trials, sample_results(6).trials);
}

// A finalist is recorded a second time.
TEST_F(JournalTest, AConfigurationMeasuredAgainTakesItsPlace) {
  write_journal(3);
  Trial again = sample_trial(0);
  again.observation.samples = {{Nanoseconds(7)}};
  again.observation.final_place = FinalPlace::tied;
  again.observation.over_default = PairedGain{1.25, 1.125, 1.5};
  again.observation.in_search = SearchFigures{Nanoseconds(6.5), -2.75};
  again.observation.objective_value = -2.5;
  again.device = "cuda:1";
  {
    auto journal = Journal::open(file_, sample_info(), Resume::checked);
    ASSERT_TRUE(journal && (*journal)->add(again));
  }
  std::vector<Trial> expected = sample_results(3).trials;
  expected[0] = again;
  const std::vector<Trial> trials = read_journal(file_)->trials;
  expect_same_trials(trials, expected);
  EXPECT_EQ(trials[0].observation, again.observation);
  EXPECT_EQ(recovered_trials(), 3);
}

TEST_F(JournalTest, KeepsObjectivesAndRefusesOthers) {
  RunInfo info = sample_info();
  info.objectives = {{"gflops", true, 0.05}, {"time", false}};
  ASSERT_TRUE(Journal::open(file_, info));
  EXPECT_EQ(read_journal(file_)->info.objectives, info.objectives);
  EXPECT_EQ(recovered_trials(), -1);
}

TEST_F(JournalTest, ResumingNothingBeginsANewOne) {
  EXPECT_EQ(recovered_trials(), 0);
  EXPECT_TRUE(read_journal(file_));
}

TEST_F(JournalTest, KeepsValuesThatAreHardToWrite) {
  Trial trial = sample_trial(0);
  trial.configuration =
      Configuration(~ConfigurationId{0}, std::make_shared<const std::vector<std::string>>(trial.configuration.names()),
                    trial.configuration.values());
  trial.observation.samples = {
      {Nanoseconds(0.1)}, {Nanoseconds(9.2e18)}, {Nanoseconds(5e-324)}, {Nanoseconds(1.0 / 3)}};
  trial.observation.samples[1].clock = Megahertz(1755);
  trial.observation.samples[3].throttled = true;
  trial.observation.build_log = "tab\t quote\" backslash\\ newline\n bell\a nul" + std::string(1, '\0') + " umlaut ü 😀";
  {
    auto journal = Journal::open(file_, sample_info());
    ASSERT_TRUE((*journal)->add(trial));
  }
  const auto results = read_journal(file_);
  ASSERT_TRUE(results) << results.error().to_string();
  expect_same_trial(results->trials.at(0), trial);
}

TEST_F(JournalTest, KeepsAMetricThatIsNoNumber) {
  Trial trial = sample_trial(0);
  trial.observation.metrics = {{"ratio", std::numeric_limits<double>::quiet_NaN(), ""}};
  {
    auto journal = Journal::open(file_, sample_info());
    ASSERT_TRUE((*journal)->add(trial));
  }
  EXPECT_TRUE(std::isnan(read_journal(file_)->trials.at(0).observation.metrics.at(0).value));
}

TEST_F(JournalTest, KeepsUncertaintiesAndRoles) {
  RunInfo info = sample_info();
  info.parameters[0].role = ParameterRole::graphics_clock;
  Trial trial = sample_trial(0);
  trial.observation.metrics = {{"energy", 2.5, "J", 0.125}, {"registers", 40, ""}};
  {
    auto journal = Journal::open(file_, info);
    ASSERT_TRUE((*journal)->add(trial));
  }
  const auto results = read_journal(file_);
  ASSERT_TRUE(results) << results.error().to_string();
  EXPECT_EQ(results->trials.at(0).observation.metrics, trial.observation.metrics);
  EXPECT_EQ(results->info.parameters[0].role, ParameterRole::graphics_clock);
  EXPECT_EQ(results->info.parameters[1].role, ParameterRole::code);
}

TEST_F(JournalTest, RefusesAnUncertaintyBelowZero) {
  Trial trial = sample_trial(0);
  trial.observation.metrics = {{"energy", 2.5, "J", -0.125}};
  const auto journal = Journal::open(file_, sample_info());
  EXPECT_FALSE((*journal)->add(trial));
}

TEST_F(JournalTest, ReplacesBytesThatAreNotUtf8) {
  Trial trial = sample_trial(1);
  // A lone continuation byte, an overlong slash, a surrogate, and a sequence cut off by the end.
  trial.observation.build_log = "a\x80z \xC0\xAF \xED\xA0\x80 \xE2\x82";
  {
    auto journal = Journal::open(file_, sample_info());
    ASSERT_TRUE((*journal)->add(trial));
  }
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(read_journal(file_)->trials.at(0).observation.build_log,
            "a" + r + "z " + r + r + " " + r + r + r + " " + r + r);
}

TEST_F(JournalTest, CutsLongBuildLogsWithANote) {
  Trial trial = sample_trial(1);
  trial.observation.build_log = std::string(16 * 1024 + 5, 'x');
  {
    auto journal = Journal::open(file_, sample_info());
    ASSERT_TRUE((*journal)->add(trial));
  }
  EXPECT_EQ(read_journal(file_)->trials.at(0).observation.build_log,
            std::string(16 * 1024, 'x') + "\n[5 more bytes left out]");
}

TEST_F(JournalTest, IsReadWhileItIsWritten) {
  auto journal = Journal::open(file_, sample_info());
  ASSERT_TRUE(journal);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE((*journal)->add(sample_trial(i)));
    EXPECT_EQ(read_journal(file_)->trials.size(), static_cast<std::size_t>(i + 1));
  }
}

TEST_F(JournalTest, RefusesAJournalOfANewerFormat) {
  const auto results = parse_journal("{\"wattune_journal\":3,\"more\":true}\n", "run.journal");
  ASSERT_FALSE(results);
  EXPECT_THAT(results.error().to_string(),
              HasSubstr("run.journal:1: the journal has format 3, this Wattune reads up to 2"));
}

TEST_F(JournalTest, NeverTouchesAFileThatIsNoJournal) {
  for (const char* text : {"precious", "{\"a\": 1}\n", "precious\nlines\n", "{\"wattune_results\":1}"}) {
    write_contents(file_, text);
    for (const Resume resume : {Resume::no, Resume::checked, Resume::forced})
      EXPECT_FALSE(Journal::open(file_, sample_info(), resume)) << text;
    EXPECT_EQ(contents_of(file_), text);
  }
}

TEST_F(JournalTest, DoesNotOverwriteWithoutResume) {
  write_journal(1);
  const std::string before = contents_of(file_);
  const auto journal = Journal::open(file_, sample_info());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code(), ErrorCode::already_exists);
  EXPECT_EQ(contents_of(file_), before);
}

TEST_F(JournalTest, HasOneWriterInAProcess) {
  const auto first = Journal::open(file_, sample_info());
  ASSERT_TRUE(first);
  const auto second = Journal::open(file_, sample_info(), Resume::checked);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::busy);
}

TEST_F(JournalTest, IsSetAsideOnlyWhenNobodyWritesIt) {
  {
    const auto writer = Journal::open(file_, sample_info());
    ASSERT_TRUE(writer);
    EXPECT_EQ(set_aside(file_).error().code(), ErrorCode::busy);
    EXPECT_TRUE(std::filesystem::exists(file_));
  }
  ASSERT_TRUE(set_aside(file_));
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_TRUE(read_journal(file_.string() + ".~1~"));
}

TEST_F(JournalTest, IsSetAsideWithoutLosingWhatWasSetAsideBefore) {
  for (const char* kernel : {"first", "second", "third"}) {
    RunInfo info = sample_info();
    info.kernel_name = kernel;
    ASSERT_TRUE(Journal::open(file_, info));
    ASSERT_TRUE(set_aside(file_));
  }
  EXPECT_EQ(read_journal(file_.string() + ".~1~")->info.kernel_name, "first");
  EXPECT_EQ(read_journal(file_.string() + ".~2~")->info.kernel_name, "second");
  EXPECT_EQ(read_journal(file_.string() + ".~3~")->info.kernel_name, "third");
}

TEST_F(JournalTest, NamesTheProcessThatHoldsIt) {
  int held[2];
  int release[2];
  ASSERT_EQ(::pipe(held), 0);
  ASSERT_EQ(::pipe(release), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto journal = Journal::open(file_, sample_info());
    char byte = journal ? 'y' : 'n';
    if (::write(held[1], &byte, 1) != 1) ::_exit(2);
    ::close(release[1]);
    if (::read(release[0], &byte, 1) < 0) ::_exit(3);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(held[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  const auto journal = Journal::open(file_, sample_info(), Resume::checked);
  ::close(release[1]);
  ::waitpid(child, nullptr, 0);
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code(), ErrorCode::busy);
  EXPECT_THAT(journal.error().message(), HasSubstr(file_.string()));
  if (std::ifstream("/proc/locks")) {
    EXPECT_THAT(journal.error().message(), HasSubstr("process " + std::to_string(child)));
  }
  for (int end : {held[0], held[1], release[0]}) ::close(end);
  EXPECT_EQ(recovered_trials(), 0) << "the lock ends with its process";
}

TEST_F(JournalTest, LosesNothingToKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto journal = Journal::open(file_, sample_info());
    for (int i = 0; i < 5; ++i)
      if (!(*journal)->add(sample_trial(i))) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(recovered_trials(), 5);
}

// The limit on file size makes write(2) write what fits and then fail, as a full disk does.
TEST_F(JournalTest, StaysValidWhenTheDiskIsFull) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    auto journal = Journal::open(file_, sample_info());
    if (!journal || !(*journal)->add(sample_trial(0))) ::_exit(1);
    const auto size = std::filesystem::file_size(file_);
    const rlimit tight = {size + 100, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &tight);
    const auto refused = (*journal)->add(sample_trial(1));
    if (refused || refused.error().code() != ErrorCode::io_error) ::_exit(2);
    if (std::filesystem::file_size(file_) != size) ::_exit(3);
    const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &none);
    ::_exit((*journal)->add(sample_trial(2)) ? 0 : 4);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const auto results = read_journal(file_);
  ASSERT_TRUE(results) << results.error().to_string();
  ASSERT_EQ(results->trials.size(), 2u);
  expect_same_trial(results->trials[1], sample_trial(2));
}

TEST(Journal, ReportsAFullDiskWhenItIsCreated) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  const auto journal = Journal::open("/dev/full", sample_info());
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().to_string(), HasSubstr("cannot write /dev/full: No space left on device"));
}

TEST(Journal, ReportsAFolderThatIsMissing) {
  const auto journal = Journal::open("/no/such/folder/run.journal", sample_info());
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code(), ErrorCode::not_found);
  EXPECT_EQ(read_journal("/no/such/file").error().code(), ErrorCode::not_found);
}

TEST_F(JournalTest, RefusesTrialsThatItCouldNotReadBack) {
  auto journal = Journal::open(file_, sample_info());
  Trial foreign = sample_trial(0);
  foreign.configuration = Configuration(
      0, std::make_shared<const std::vector<std::string>>(foreign.configuration.names()), {17, 0.5, false, "float"});
  const auto refused = (*journal)->add(foreign);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(), "the space has no such value of `block`: `17`");
  Trial timeless = sample_trial(0);
  timeless.observation.statistics.reset();
  EXPECT_EQ((*journal)->add(timeless).error().code(), ErrorCode::invalid_argument);
  ASSERT_TRUE((*journal)->add(sample_trial(0)));
  EXPECT_EQ(read_journal(file_)->trials.size(), 1u);
}

}  // namespace
}  // namespace wattune::store
