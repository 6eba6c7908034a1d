// Lines that are torn, damaged, or cannot be true.
#include <gmock/gmock.h>

#include <limits>

#include "source_dir.h"
#include "store/interface/sealed_line.h"
#include "store/journal_fixture.h"
#include "store/journal_text.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::HasSubstr;

TEST_F(JournalTest, CutsOffATornLastLineAtEveryByte) {
  write_journal(2);
  const std::string whole = contents_of(file_);
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  const std::size_t without_its_end = whole.size() - 1;
  for (std::size_t size = last_line; size < without_its_end; ++size) {
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

// Some editors end lines as Windows does, and leave the last one without an end.
TEST_F(JournalTest, GoesOnAfterLineEndsOfWindowsAndALastLineWithoutEnd) {
  write_journal(2);
  const std::string whole = contents_of(file_);
  std::string changed = whole;
  for (std::size_t at = 0; (at = changed.find('\n', at)) != std::string::npos; at += 2) changed.replace(at, 1, "\r\n");
  write_contents(file_, changed.substr(0, changed.size() - 2));
  {
    const auto journal = Journal::open(file_, sample_info(), Resume::checked);
    ASSERT_TRUE(journal) << journal.error().to_string();
    EXPECT_EQ((*journal)->recovered().size(), 2u);
    ASSERT_TRUE((*journal)->add(sample_trial(2)));
  }
  EXPECT_EQ(recovered_trials(), 3);
}

TEST(TrialLine, IsReadBackElsewhere) {
  const RunInfo info = sample_info();
  std::string line;
  ASSERT_TRUE(TrialEncoder(info.parameters).encode(sample_trial(1), line));
  const std::string_view alone = std::string_view(line).substr(0, line.size() - 1);
  const TrialDecoder decoder(info.parameters);
  const Result<Trial> trial = decoder.decode(alone);
  ASSERT_TRUE(trial) << trial.error().to_string();
  EXPECT_EQ(trial->configuration.values(), sample_trial(1).configuration.values());
  EXPECT_EQ(trial->observation, sample_trial(1).observation);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    std::string damaged(alone);
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    const Result<Trial> refused = decoder.decode(damaged);
    ASSERT_FALSE(refused) << i;
    EXPECT_EQ(refused.error().code(), ErrorCode::parse_error) << i;
  }
}

TEST_F(JournalTest, OfAnOlderWattuneIsRead) {
  const auto results = read_journal(WATTUNE_SOURCE_DIR + std::string("/tests/older/tune.journal.jsonl"));
  ASSERT_TRUE(results) << results.error().to_string();
  EXPECT_EQ(results->trials.size(), 4u);
}

TEST_F(JournalTest, BeginsAnewAfterATornHeader) {
  write_journal(0);
  const std::string header = contents_of(file_);
  // Closing waits for the disk each time, so only the beginning is tried byte by byte.
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
  EXPECT_EQ(results.error().position(), (SourcePosition{file_.string(), 2}));
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

// Returns the sample's first Trial as a whole line in which `what` is replaced.
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
      {"\"metrics\":", "\"objective\":\"5\",\"metrics\":", "`objective` must be a number"},
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

// `target` has other meanings too, but early journals use it for the objective.
TEST_F(JournalTest, ReadsTheFormerNameOfTheObjective) {
  const std::string header = journal_header(sample_info());
  for (const char* name : {"objective", "target"}) {
    const std::string member = "\"" + std::string(name) + "\":-2.5,\"metrics\":";
    const auto results = parse_journal(header + line_with("\"metrics\":", member));
    ASSERT_TRUE(results) << results.error().to_string();
    EXPECT_EQ(results->trials.at(0).observation.objective_value, -2.5) << name;
  }
}

// The objective is a metric that cannot be computed.
TEST_F(JournalTest, KeepsThatThereIsNoObjectiveAndWhy) {
  auto journal = Journal::open(file_, sample_info());
  Trial trial = sample_trial(0);
  trial.observation.objective_value = std::numeric_limits<double>::infinity();
  trial.observation.in_search = SearchFigures{Nanoseconds(5), std::numeric_limits<double>::infinity()};
  trial.observation.lacking = "`bad` has no value: division by zero";
  ASSERT_TRUE((*journal)->add(trial));
  expect_same_trial(read_journal(file_)->trials.at(0), trial);
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
  const auto only_0 = [](const Trial& trial, const RunInfo&) {
    return trial.configuration.id() == 0 ? std::optional(trial.configuration) : std::nullopt;
  };
  const auto refused = Journal::open(file_, sample_info(), Resume::checked, only_0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().position(), (SourcePosition{file_.string(), 3}));
  EXPECT_THAT(refused.error().message(), HasSubstr("`id` 1 contradicts `values`"));
  const auto all = [](const Trial& trial, const RunInfo&) { return std::optional(trial.configuration); };
  EXPECT_TRUE(Journal::open(file_, sample_info(), Resume::checked, all));
}

}  // namespace
}  // namespace wattune::store
