#include "wattune/store/journal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <limits>

#include "store/journal_text.h"
#include "store/sample_results.h"

namespace wattune::store {
namespace {

using testing::HasSubstr;

class JournalTest : public FolderTest {
 protected:
  const std::filesystem::path file_ = path("run.journal");

  // Writes a journal with the first `trials` of the sample run.
  void write_journal(int trials) {
    auto journal = Journal::open(file_, sample_info());
    ASSERT_TRUE(journal) << journal.error().to_string();
    for (int i = 0; i < trials; ++i) ASSERT_TRUE((*journal)->add(sample_trial(i)));
  }

  // What a resumed run finds; -1 when it cannot be opened.
  int recovered_trials() {
    const auto journal = Journal::open(file_, sample_info(), Resume::checked);
    return journal ? static_cast<int>((*journal)->recovered().size()) : -1;
  }
};

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

// A finalist of the shoot-out is recorded a second time.
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
  info.objectives = {{"gflops", true}, {"time", false}};
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
      {Nanoseconds(0.1)}, {Nanoseconds(1.8e19)}, {Nanoseconds(5e-324)}, {Nanoseconds(1.0 / 3)}};
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

TEST_F(JournalTest, CutsOffATornLastLineAtEveryByte) {
  write_journal(2);
  const std::string whole = contents_of(file_);
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = last_line; size < whole.size(); ++size) {
    write_contents(file_, whole.substr(0, size));
    const auto results = read_journal(file_);
    ASSERT_TRUE(results) << size << ": " << results.error().to_string();
    ASSERT_EQ(results->trials.size(), 1u) << size;
    {
      auto journal = Journal::open(file_, sample_info(), Resume::checked);
      ASSERT_TRUE(journal) << size << ": " << journal.error().to_string();
      ASSERT_EQ((*journal)->recovered().size(), 1u) << size;
      ASSERT_TRUE((*journal)->add(sample_trial(1)));
    }
    ASSERT_EQ(contents_of(file_), whole) << size;
  }
}

TEST_F(JournalTest, BeginsAnewAfterATornHeader) {
  write_journal(0);
  const std::string header = contents_of(file_);
  // Closing waits for the disk each time, so that only the beginning is tried byte by byte.
  for (std::size_t size = 0; size < header.size(); size += size < 40 ? 1 : 23) {
    write_contents(file_, header.substr(0, size));
    EXPECT_EQ(read_journal(file_).error().code(), ErrorCode::parse_error);
    ASSERT_TRUE(Journal::open(file_, sample_info())) << size;
    ASSERT_EQ(contents_of(file_), header) << size;
  }
}

TEST_F(JournalTest, CutsOffADamagedLastLine) {
  write_journal(3);
  std::string text = contents_of(file_);
  text[text.size() - 60] ^= 1;
  write_contents(file_, text);
  EXPECT_EQ(read_journal(file_)->trials.size(), 2u);
  EXPECT_EQ(recovered_trials(), 2);
}

TEST_F(JournalTest, RefusesDamageBeforeTheLastLineAndLeavesTheFileAlone) {
  write_journal(3);
  std::string text = contents_of(file_);
  const std::size_t second_line = text.find('\n') + 1;
  text[second_line + 20] ^= 1;
  write_contents(file_, text);
  const auto results = read_journal(file_);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code(), ErrorCode::parse_error);
  EXPECT_EQ(results.error().position(), (SourcePosition{file_.string(), 2, 0}));
  EXPECT_EQ(recovered_trials(), -1);
  EXPECT_EQ(contents_of(file_), text);
}

TEST_F(JournalTest, FindsEveryFlippedBitOfItsTrials) {
  write_journal(2);
  const std::string whole = contents_of(file_);
  for (std::size_t i = whole.find('\n') + 1; i + 1 < whole.size(); ++i) {
    std::string text = whole;
    text[i] ^= 4;
    const auto results = parse_journal(text);
    ASSERT_TRUE(!results || results->trials.size() < 2) << i;
  }
}

TEST_F(JournalTest, RefusesADamagedHeader) {
  write_journal(1);
  std::string text = contents_of(file_);
  text[text.find("Vendor")] = 'v';
  const auto results = parse_journal(text, "run.journal");
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().to_string(), "run.journal:1: the journal's header is damaged");
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

// --- Lines that cannot be true

// The sample's first Trial as a whole line in which `what` is replaced.
std::string line_with(const std::string& what, const std::string& by) {
  std::string line;
  EXPECT_TRUE(TrialEncoder(sample_info().parameters).encode(sample_trial(0), line));
  line.resize(line.rfind(",\"xxh3\""));
  EXPECT_NE(line.find(what), std::string::npos) << what;
  line.replace(line.find(what), what.size(), by);
  seal(line);
  return line;
}

TEST_F(JournalTest, RefusesNumbersThatNoDeviceAndNoClockCanHaveShown) {
  struct Absurdity {
    const char* what;
    const char* by;
    const char* message;
  };
  const Absurdity absurdities[] = {
      {"\"median\":1001", "\"median\":0", "`median` holds a time that cannot be: 0 ns"},
      {"\"median\":1001", "\"median\":-5", "`median` holds a time that cannot be: -5 ns"},
      {"\"median\":1001", "\"median\":1e308", "`median` holds a time that cannot be: 1e+308 ns"},
      {"\"median\":1001", "\"median\":null", "`median` must be a number"},
      {"\"median\":1001", "\"median\":900", "the interval does not hold the median"},
      {"\"mean\":1001", "\"mean\":-1", "`mean` holds a time that cannot be: -1 ns"},
      {"\"confidence\":0.95", "\"confidence\":7", "`confidence` must be from 0 to 1: 7"},
      {"[1000,1001,1002]", "[1000,-1,1002]", "`samples` holds a time that cannot be: -1 ns"},
      {"[1000,1001,1002]", "[1000,2e19,1002]", "`samples` holds a time that cannot be: 2e+19 ns"},
      {"\"phases\":[100000000", "\"phases\":[-1", "`phases` holds a time that cannot be: -1 ns"},
      {"\"metrics\":", "\"target\":null,\"metrics\":", "`target` must be a number"},
      {"\"metrics\":", "\"clocks_mhz\":[1e9,0,0],\"metrics\":",
       "`clocks_mhz` holds a clock that cannot be: 1000000000 MHz"},
  };
  for (const Absurdity& each : absurdities) {
    const auto results = parse_journal(journal_header(sample_info()) + line_with(each.what, each.by), "run.journal");
    ASSERT_FALSE(results) << each.by;
    EXPECT_EQ(results.error().code(), ErrorCode::parse_error);
    EXPECT_EQ(results.error().to_string(),
              std::string("run.journal:2: ") + each.message +
                  " (cut the file off before this line to go on with the Trials above it)");
  }
}

TEST_F(JournalTest, WritesNoLineThatItWouldRefuse) {
  auto journal = Journal::open(file_, sample_info());
  Trial absurd = sample_trial(0);
  absurd.observation.statistics->median = Nanoseconds(0);
  EXPECT_EQ((*journal)->add(absurd).error().message(), "`median` holds a time that cannot be: 0 ns");
  EXPECT_TRUE(read_journal(file_)->trials.empty());
}

TEST_F(JournalTest, RefusesAnIdThatContradictsItsValues) {
  write_journal(2);
  const std::string text = contents_of(file_);
  EXPECT_THAT(parse_journal(text + line_with("\"id\":\"0\"", "\"id\":\"3\""), "j").error().to_string(),
              HasSubstr("j:4: `id` 3 contradicts `values`, block=16, scale=0.5, padding=False, type=float: an earlier "
                        "line has these values under another `id`"));
  EXPECT_THAT(parse_journal(text + line_with("\"values\":[0,0", "\"values\":[0,1"), "j").error().to_string(),
              HasSubstr("j:4: `id` 0 contradicts `values`, block=16, scale=2.0, padding=False, type=float: an earlier "
                        "line has other values under this `id`"));
}

TEST_F(JournalTest, AsksWhoKnowsTheSpaceWhetherIdsAreRight) {
  write_journal(2);
  const auto only_0 = [](const Configuration& configuration) { return configuration.id() == 0; };
  const auto refused = Journal::open(file_, sample_info(), Resume::checked, only_0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().position(), (SourcePosition{file_.string(), 3, 0}));
  EXPECT_THAT(refused.error().message(), HasSubstr("`id` 1 contradicts `values`"));
  const auto all = [](const Configuration&) { return true; };
  EXPECT_TRUE(Journal::open(file_, sample_info(), Resume::checked, all));
}

// --- Files that others touch

class LostJournal : public JournalTest {
 protected:
  // Adds a Trial, lets `lose` do its work, adds another and expects both to be in a new file.
  void expect_saved(const std::function<void()>& lose, const std::string& how) {
    auto journal = Journal::open(file_, sample_info());
    ASSERT_TRUE(journal && (*journal)->add(sample_trial(0)));
    lose();
    const auto lost = (*journal)->add(sample_trial(1));
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code(), ErrorCode::io_error);
    EXPECT_EQ(lost.error().to_string(), file_.string() + " was " + how +
                                            " while it was being written (what was measured is in " + file_.string() +
                                            ".saved)");
    EXPECT_EQ((*journal)->file(), file_.string() + ".saved");
    EXPECT_TRUE((*journal)->add(sample_trial(2)));
    expect_same_trials(read_journal((*journal)->file())->trials, sample_results(3).trials);
  }
};

TEST_F(LostJournal, IsSavedWhenItWasRemoved) {
  expect_saved([&] { std::filesystem::remove(file_); }, "removed");
}

TEST_F(LostJournal, IsSavedWhenItWasReplaced) {
  const auto replace = [&] {
    write_contents(path("other"), "precious");
    std::filesystem::rename(path("other"), file_);
  };
  expect_saved(replace, "replaced by another file");
  EXPECT_EQ(contents_of(file_), "precious");
}

TEST_F(LostJournal, IsSavedWhenItWasTruncated) {
  expect_saved([&] { std::filesystem::resize_file(file_, 10); }, "truncated");
}

TEST_F(LostJournal, IsSavedWhenAnotherProgramWroteToIt) {
  expect_saved([&] { std::ofstream(file_, std::ios::app) << "more\n"; }, "written by another program");
}

TEST_F(LostJournal, TakesANameThatIsFree) {
  write_contents(file_.string() + ".saved", "precious");
  auto journal = Journal::open(file_, sample_info());
  ASSERT_TRUE(journal && (*journal)->add(sample_trial(0)));
  EXPECT_TRUE((*journal)->check_intact());
  std::filesystem::remove(file_);
  EXPECT_FALSE((*journal)->check_intact());
  EXPECT_EQ((*journal)->file(), file_.string() + ".saved2");
  EXPECT_EQ(read_journal((*journal)->file())->trials.size(), 1u);
  EXPECT_EQ(contents_of(file_.string() + ".saved"), "precious");
}

TEST_F(LostJournal, HoldsWhatWasThereWhenItWasResumed) {
  write_journal(2);
  auto journal = Journal::open(file_, sample_info(), Resume::checked);
  std::filesystem::remove(file_);
  EXPECT_FALSE((*journal)->check_intact());
  expect_same_trials(read_journal((*journal)->file())->trials, sample_results(2).trials);
}

// --- Resuming

struct Change {
  const char* what;
  void (*apply)(RunInfo&);
  const char* sentence;
};

const Change kChanges[] = {
    {"kernel", [](RunInfo& info) { info.identity["kernel source"] = "ffffffffffffffffffffffffffffffff"; },
     "kernel source (before: none, now: ffffffff..)"},
    {"arguments", [](RunInfo& info) { info.identity["arguments"] = "44556677445566774455667744556677"; },
     "arguments (before: 00112233.., now: 44556677..)"},
    {"cache mode", [](RunInfo& info) { info.identity["cache mode"] = "cold"; }, "cache mode (before: warm, now: cold)"},
    {"metric", [](RunInfo& info) { info.identity["metric gflops"] = "3 / time"; },
     "metric gflops (before: 2 / time, now: 3 / time)"},
    {"device", [](RunInfo& info) { info.device.name = "Other"; }, "device (before: Some \"GPU\", now: Other)"},
    {"driver", [](RunInfo& info) { info.device.driver_version = "1.3"; }, "driver (before: 1.2, now: 1.3)"},
    {"space", [](RunInfo& info) { info.space_hash = "01234567"; }, "search space (before: 99aabbcc, now: 01234567)"},
};

TEST(JournalDifferences, AreNamedOneByOne) {
  EXPECT_TRUE(differences(sample_info(), sample_info()).empty());
  for (const Change& change : kChanges) {
    RunInfo wanted = sample_info();
    change.apply(wanted);
    EXPECT_THAT(differences(sample_info(), wanted), testing::ElementsAre(change.sentence));
  }
}

TEST(JournalDifferences, LeaveOutWhatMayChange) {
  RunInfo wanted = sample_info();
  wanted.started_at = second_of_2026(500);
  wanted.wattune_version = "0.2.0";
  wanted.device.selector = "opencl:1:0";
  EXPECT_TRUE(differences(sample_info(), wanted).empty());
}

TEST_F(JournalTest, RefusesToMixDifferentRuns) {
  write_journal(2);
  const std::string before = contents_of(file_);
  for (const Change& change : kChanges) {
    RunInfo wanted = sample_info();
    change.apply(wanted);
    const auto journal = Journal::open(file_, wanted, Resume::checked);
    ASSERT_FALSE(journal) << change.what;
    EXPECT_EQ(journal.error().code(), ErrorCode::mismatch);
    EXPECT_THAT(journal.error().message(), HasSubstr(change.sentence));
    EXPECT_EQ(contents_of(file_), before);
  }
}

// Values of two objectives in one run would be compared with each other.
TEST_F(JournalTest, ForcedRefusesOtherObjectives) {
  write_journal(2);
  RunInfo wanted = sample_info();
  wanted.objectives = {{"gflops", true}};
  const auto journal = Journal::open(file_, wanted, Resume::forced);
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().to_string(),
              HasSubstr("objectives (before: none, now: maximize gflops) (write to another file)"));
}

// The objective may be made of the metric, whose values then mean something else.
TEST_F(JournalTest, ForcedRefusesOtherMetricsWhereThereIsAnObjective) {
  RunInfo info = sample_info();
  info.objectives = {{"gflops", true}};
  { ASSERT_TRUE(Journal::open(file_, info)); }
  info.identity["metric gflops"] = "3 / time";
  const auto journal = Journal::open(file_, info, Resume::forced);
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message(), HasSubstr("metric gflops"));
}

// --- Journals of the first format

// Its header named the source and the options only.
std::string journal_of_first_format() {
  std::string header =
      R"({"wattune_journal":1,"wattune_version":"0.1.0","started_at":"2026-01-31T00:00:00.123456789Z",)"
      R"("kernel_name":"convolution","kernel_language":"OpenCL","problem_size":"4096, 4096",)"
      R"("source_hash":"1a2b3c4d5e6f","options_hash":"00112233","space_hash":"99aabbcc",)"
      R"("device":{"selector":"opencl:0:0","backend":"opencl","kind":"gpu","name":"Some \"GPU\"","vendor":"Vendor",)"
      R"("platform":"Platform","driver_version":"1.2","language_version":"OpenCL C 1.2","architecture":"","compute_units":40,)"
      R"("clock_mhz":1402.5,"global_memory_bytes":34359738368,"local_memory_bytes":49152,)"
      R"("max_allocation_bytes":8589934592,"max_work_group_size":1024,"max_work_item_sizes":[1024,1024,64]},)"
      R"("parameters":[{"name":"block","values":[16,32,64],"default":16},{"name":"scale","values":[0.5,2.0]},)"
      R"({"name":"padding","values":[false,true]},{"name":"type","values":["float","float4"]}],)"
      R"("constraints":["block * 2 <= 128","scale < block"],"default_values":[16,0.5,false,"float"])";
  seal(header);
  std::string line;
  EXPECT_TRUE(TrialEncoder(sample_info().parameters).encode(sample_trial(0), line));
  return header + line;
}

TEST_F(JournalTest, ReadsTheFirstFormat) {
  const auto results = parse_journal(journal_of_first_format());
  ASSERT_TRUE(results) << results.error().to_string();
  RunInfo info = sample_info();
  info.identity.clear();
  expect_same_info(results->info, info);
  expect_same_trials(results->trials, sample_results(1).trials);
}

TEST_F(JournalTest, ContinuesTheFirstFormatOnlyWhenForced) {
  write_contents(file_, journal_of_first_format());
  const auto refused = Journal::open(file_, sample_info(), Resume::checked);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), testing::EndsWith("this run differs in: what an older Wattune did not record, "
                                                           "such as included files, metrics and the cache mode"));
  EXPECT_TRUE(Journal::open(file_, sample_info(), Resume::forced));
}

TEST_F(JournalTest, ForcedIgnoresAllButWhatTrialsMean) {
  write_journal(2);
  for (const Change& change : kChanges) {
    RunInfo wanted = sample_info();
    change.apply(wanted);
    EXPECT_EQ(Journal::open(file_, wanted, Resume::forced).has_value(), std::string(change.what) != "space")
        << change.what;
  }
}

}  // namespace
}  // namespace wattune::store
