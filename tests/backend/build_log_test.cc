#include "backend/interface/build_log.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::backend {
namespace {

TEST(BuildLog, TellsItsFirstError) {
  EXPECT_EQ(telling_line("a.cl:1:1: warning: odd\na.cl:2:1: error: wrong\na.cl:3:1: error: more\n"),
            "a.cl:2:1: error: wrong");
  EXPECT_EQ(telling_line("\nno words that are known\nmore\n"), "no words that are known");
  EXPECT_EQ(telling_line(""), "");
}

TEST(BuildLog, TellsWhatIsAnnounced) {
  EXPECT_EQ(telling_line("Error(s) while linking: \nCannot find symbol nowhere\nmore\n"), "Cannot find symbol nowhere");
  EXPECT_EQ(telling_line("a.s: Assembler messages:\na.s:30: Error: no such instruction\n"),
            "a.s:30: Error: no such instruction");
}

TEST(BuildLog, TellsWhatTheLinkerSaid) {
  EXPECT_EQ(telling_line("a.cc:1:1: warning: odd\n/usr/bin/ld: final link failed: memory exhausted\n"
                         "collect2: error: ld returned 1 exit status\n"),
            "/usr/bin/ld: final link failed: memory exhausted");
  EXPECT_EQ(telling_line("collect2: error: ld returned 1 exit status\n"), "collect2: error: ld returned 1 exit status");
}

}  // namespace
}  // namespace wattune::backend
