// Sealed files: their kinds, damaged lines, and replacement of older files.
#include "store/interface/sealed_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "checksums.h"
#include "folder_test.h"
#include "store/interface/files.h"
#include "store/interface/locked_file.h"

namespace wattune::inline v0_1::store {
namespace {

using test::contents_of;
using test::write_contents;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr FileKind kKind{.what = "list",
                         .member = "wattune_list",
                         .version = 2,
                         .is_unsealed = [](const Json& object) { return find_member(object, "list") != nullptr; },
                         .unsealed_start = "{\"list\":"};

std::string list_line(int number) { return sealed_record(kKind, {{"number", number}}); }

struct ListFound {
  std::vector<std::uint64_t> numbers;
  SealedContents contents;
};

Result<ListFound> read_list(std::string_view text) {
  ListFound found;
  WATTUNE_ASSIGN(found.contents, read_sealed(text, "a.list", kKind, [&](const Json& line) {
                   found.numbers.push_back(count_within(member(line, "number"), "number", 1, 9));
                 }));
  return found;
}

std::vector<std::string> reasons(const ListFound& found) {
  std::vector<std::string> texts;
  for (const Error& each : found.contents.left_out) texts.push_back(each.to_string());
  return texts;
}

class SealedFile : public test::FolderTest {};

TEST_F(SealedFile, LineNamesItsKindFirstAndItsChecksumLast) {
  EXPECT_THAT(list_line(3), testing::MatchesRegex("\\{\"wattune_list\":2,\"number\":3,\"xxh3\":\"[0-9a-f]{16}\"\\}\n"));
}

TEST_F(SealedFile, ReadsLineEndsOfWindowsAByteOrderMarkAndALastLineWithoutEnd) {
  std::string text = list_line(1) + "\n" + list_line(2) + list_line(3);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\r\n");
  text = "\xEF\xBB\xBF" + text.substr(0, text.size() - 2);
  const ListFound found = read_list(text).value();
  EXPECT_THAT(found.numbers, ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(found.contents.left_out, IsEmpty());
  EXPECT_EQ(found.contents.intact_bytes, text.size());
  EXPECT_FALSE(found.contents.ends_with_newline);
}

TEST_F(SealedFile, ADamagedLineCostsNoOther) {
  std::string flipped = list_line(2);
  flipped[flipped.find("\"number\"") + 9] = '7';
  const ListFound found =
      read_list(list_line(1) + flipped + with_checksums("{\"wattune_list\":2,\"number\":-4,\"xxh3\":\"\"}\n") +
                "\n[1]\n" + list_line(6) + list_line(7).substr(0, 20))
          .value();
  EXPECT_THAT(found.numbers, ElementsAre(1u, 6u));
  EXPECT_THAT(reasons(found), ElementsAre("a.list:2: this line of the list is left out: its checksum is wrong",
                                          "a.list:3: this line of the list is left out: `number` must be a whole "
                                          "number from 1 to 9, not -4",
                                          "a.list:5: this line of the list is left out: it is no line of a list",
                                          "a.list:7: this line of the list is left out: it was cut off"));
}

TEST_F(SealedFile, WhatIsTornIsNotIntact) {
  const std::string text = list_line(1) + "\n";
  const ListFound found = read_list(text + list_line(2).substr(0, 30)).value();
  EXPECT_EQ(found.contents.intact_bytes, text.size());
  EXPECT_TRUE(found.contents.ends_with_newline);
}

TEST_F(SealedFile, OfAnotherKindOrANewerVersionIsRefusedWhole) {
  EXPECT_THAT(read_list("{\"my\":\"document\"}").error().to_string(),
              HasSubstr("a.list:1: this is no list of Wattune: its first line is `{\"my\":\"document\"}`"));
  EXPECT_FALSE(read_list("{\n  \"my\": 1\n}\n"));
  EXPECT_FALSE(
      read_list(std::string("\x7f"
                            "ELF\0\n\0",
                            7)));
  EXPECT_FALSE(read_list(sealed_record({.what = "other", .member = "wattune_other", .version = 2}, {{"number", 1}})));
  EXPECT_THAT(read_list(with_checksums("{\"wattune_list\":3,\"number\":1,\"xxh3\":\"\"}\n")).error().to_string(),
              HasSubstr("a.list:1: the list has format 3, this Wattune reads up to 2"));
  EXPECT_TRUE(read_list(""));
}

TEST_F(SealedFile, WhatAnOlderWattuneWroteIsReadAndSaidToBeUnsealed) {
  const ListFound found = read_list("{\"list\":1,\"number\":5}\n{\"list\":1,\"number\":50}\n").value();
  EXPECT_TRUE(found.contents.unsealed);
  EXPECT_THAT(found.numbers, ElementsAre(5u));
  EXPECT_EQ(found.contents.left_out.size(), 1u);
  EXPECT_THAT(read_list("{\r\n  \"list\": 1,\r\n  \"number\": 5\r\n}\r\n")->numbers, ElementsAre(5u))
      << "over several lines";
  EXPECT_FALSE(read_list(list_line(5))->contents.unsealed);
  EXPECT_THAT(reasons(*read_list("{\"list\":1,\"num\ber\":5}\n")),
              ElementsAre(HasSubstr("a.list:1: this line of the list")));
}

TEST_F(SealedFile, WithoutChecksumsIsKeptBesideWhatTakesItsPlace) {
  write_contents(path("new"), list_line(1));
  write_contents(path("old"), "{\"list\":1,\"number\":5}\n");
  EXPECT_TRUE(keep_unsealed(path("new"), kKind));
  EXPECT_TRUE(keep_unsealed(path("missing"), kKind));
  EXPECT_FALSE(std::filesystem::exists(path("new.unsealed")));
  EXPECT_TRUE(keep_unsealed(path("old"), kKind));
  EXPECT_TRUE(keep_unsealed(path("old"), kKind));
  EXPECT_EQ(contents_of(path("old.unsealed")), contents_of(path("old")));
  EXPECT_TRUE(std::filesystem::exists(path("old.unsealed2")));
}

TEST_F(SealedFile, LockedIsSupersededUnderItsLockAndThroughALink) {
  write_contents(path("old"), "before");
  std::filesystem::create_symlink("old", path("link"));
  LockedFile locked = LockedFile::open(path("link")).value();
  ASSERT_TRUE(locked.supersede("after, ", ".unsealed"));
  EXPECT_EQ(LockedFile::open(path("old")).error().code(), ErrorCode::busy);
  ASSERT_TRUE(locked.check_intact());
  ASSERT_TRUE(locked.append("more"));
  EXPECT_EQ(contents_of(path("old")), "after, more");
  EXPECT_EQ(contents_of(path("link.unsealed")), "before");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

TEST_F(SealedFile, PipesAndFoldersAreRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(read_regular_file(path("pipe")).error().to_string(), HasSubstr("is a pipe, where a file is needed"));
  EXPECT_THAT(read_regular_file(path("")).error().to_string(), HasSubstr("is a folder"));
  EXPECT_EQ(read_regular_file("/dev/zero").value(), "");
}

}  // namespace
}  // namespace wattune::store
