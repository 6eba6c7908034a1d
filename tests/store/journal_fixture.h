// A journal in a folder of the test.
#pragma once

#include "store/sample_results.h"
#include "wattune/store/journal.h"

namespace wattune::inline v0_1::store {

class JournalTest : public FolderTest {
 protected:
  const std::filesystem::path file_ = path("run.journal");

  // Writes a journal with the first `trials` of the sample run.
  void write_journal(int trials) {
    auto journal = Journal::open(file_, sample_info());
    ASSERT_TRUE(journal) << journal.error().to_string();
    for (int i = 0; i < trials; ++i) ASSERT_TRUE((*journal)->add(sample_trial(i)));
  }

  // Returns the number of Trials that a resumed run finds; -1 if the journal cannot be opened.
  int recovered_trials() {
    const auto journal = Journal::open(file_, sample_info(), Resume::checked);
    return journal ? static_cast<int>((*journal)->recovered().size()) : -1;
  }
};

}  // namespace wattune::store
