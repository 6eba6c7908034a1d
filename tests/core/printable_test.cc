#include "core/interface/printable.h"

#include <gtest/gtest.h>

namespace wattune {
namespace {

TEST(Printable, MakesControlCharactersSpaces) {
  EXPECT_EQ(printable("a\x1b[31mb\nc\td\x7f"), "a [31mb c d ");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(printable("\xC2\x9B"), " ");      // U+009B, the escape sequences' start in one character
  EXPECT_EQ(printable("\xE2\x80\xAE"), " ");  // U+202E, from right to left
  EXPECT_EQ(printable("\xE2\x80\xA8"), " ");  // U+2028, a line break
  EXPECT_EQ(printable_lines("a\n\tb\r\x1b"), "a\n\tb  ");
}

TEST(Printable, KeepsTextsOfAllLanguages) {
  const std::string text = "5 \xC2\xB5s, K\xC3\xA4se, \xE2\x89\xA4, \xF0\x9F\x9A\x80";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ReplacesWhatIsNoText) {
  EXPECT_EQ(printable("\x9B"), "\xEF\xBF\xBD");
  EXPECT_EQ(printable("\xC3"), "\xEF\xBF\xBD");                  // cut off
  EXPECT_EQ(printable("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // `/` in two bytes
  EXPECT_EQ(printable("\xEF\xBF\xBF"), "\xEF\xBF\xBD");          // U+FFFF, which XML does not know
}

TEST(Printable, QuotesNoMoreThanALine) {
  EXPECT_EQ(in_quotes("a\nb"), "`a b`");
  EXPECT_EQ(in_quotes(std::string(80, 'x')), "`" + std::string(80, 'x') + "`");
  std::string umlauts;
  for (int i = 0; i < 81; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(in_quotes(umlauts), "`" + umlauts.substr(0, 160) + "…`");
}

}  // namespace
}  // namespace wattune
