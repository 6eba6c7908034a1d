// Journals that other programs touch while they are written.
#include <gmock/gmock.h>

#include <functional>

#include "store/journal_fixture.h"

namespace wattune::inline v0_1::store {
namespace {

class LostJournal : public JournalTest {
 protected:
  // Adds a Trial, calls `lose`, adds another Trial, and expects both in a new file.
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

}  // namespace
}  // namespace wattune::store
