// Result files that would take all memory or overflow the stack: each is rejected in one line that names the limit.
#include "store/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>

#include "store/sample_results.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {
namespace {

using testing::HasSubstr;

class Limits : public FolderTest {
 protected:
  std::string refused(const std::string& name, const std::string& text) {
    write_contents(path(name), text);
    const auto loaded = load_results(path(name));
    return loaded ? "loaded" : loaded.error().to_string();
  }
};

std::string nested(const std::string& open, const std::string& inside, const std::string& close) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += open;
  text += inside;
  for (int i = 0; i < 100'000; ++i) text += close;
  return text;
}

TEST_F(Limits, DeepNestingIsRefusedInEveryFormat) {
  for (const std::string& deep : {nested("[", "", "]"), nested("{\"a\":", "1", "}")}) {
    for (const char* head : {R"({"tune_params_keys":["a"],"cache":{},"problem_size":)",
                             R"({"tune_params_keys":["a"],"tune_params":)", R"({"results":[],"metadata":)",
                             R"({"wattune_results":1,"trials":[],"device":)", R"({"Results":[],"Metadata":)"})
      EXPECT_THAT(refused("r.json", head + deep + "}"), HasSubstr("nested deeper than 64 levels"));
    EXPECT_THAT(refused("r.json", R"({"tune_params_keys":["a"],"cache":{"1":{"a":1,"__error__":)" + deep + "}}}"),
                HasSubstr("nested deeper than 64 levels"));
    EXPECT_THAT(refused("r.jsonl", R"({"wattune_journal":)" + deep + "}\n{}\n"), HasSubstr("r.jsonl:1: "));
    EXPECT_THAT(refused("r.csv", R"(# {"tune_params":)" + deep + "}\na,time_ms\n"), HasSubstr("nested deeper"));
  }
}

// A member is compared with all before it: a million of them would take hours.
TEST_F(Limits, ObjectsHaveSoManyMembers) {
  std::string members;
  for (int i = 0; i < 5000; ++i) members += fmt::format(",\"m{}\":{}", i, i);
  EXPECT_THAT(refused("r.json", R"({"results":[{"a":1)" + members + "}]}"), HasSubstr("more than 4096 members"));
  EXPECT_THAT(refused("r.json", R"({"results":{"a":1)" + members + "}}"), HasSubstr("`results` may only hold objects"));
}

TEST_F(Limits, ListsOfEntriesAreNotObjectsOfManyMembers) {
  std::string text = R"({"tune_params_keys":["a"],"cache":{)";
  for (int i = 0; i < 5000; ++i) text += fmt::format("{}\"{}\":{{\"a\":{},\"time\":1}}", i == 0 ? "" : ",", i, i);
  write_contents(path("cache.json"), text + "}}");
  const auto loaded = load_results(path("cache.json"));
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(loaded->trials.size(), 5000u);
}

TEST_F(Limits, FilesOfMoreThanAGibibyteAreNotRead) {
  write_contents(path("r.json"), "{");
  std::filesystem::resize_file(path("r.json"), kMaxFileBytes + 1);  // a hole, which takes no space
  const auto loaded = load_results(path("r.json"));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(loaded.error().to_string(), HasSubstr("r.json holds more than 1 GiB, unpacked (divide it: "));
}

TEST_F(Limits, UnpackingEndsAtAGibibyte) {
  const std::string bomb = path("r.json.zst").string();
  if (std::system(("head -c 1200000000 /dev/zero | zstd -q > " + bomb).c_str()) != 0) GTEST_SKIP() << "no zstd";
  ASSERT_LT(std::filesystem::file_size(bomb), 1'000'000u);
  EXPECT_THAT(load_results(bomb).error().to_string(), HasSubstr("holds more than 1 GiB, unpacked"));
}

TEST_F(Limits, LinesAndValuesOfATableAreCounted) {
  const std::string head = "# {\"tune_params\":{\"a\":[1]}}\na,time_ms\n";
  EXPECT_THAT(refused("r.csv", head + std::string(kMaxLineBytes + 1, '1')), HasSubstr("r.csv:3: a line is longer"));
  EXPECT_THAT(refused("r.csv", head + std::string(kMaxValues, ',')), HasSubstr("more than 33,554,432 values"));
}

TEST_F(Limits, LinesOfAJournalAreCounted) {
  const std::string line = R"({"wattune_journal":")" + std::string(kMaxLineBytes, 'x') + "\"}\n";
  EXPECT_THAT(refused("r.jsonl", line + "{}\n"), HasSubstr("r.jsonl:1: a line is longer"));
}

TEST_F(Limits, ValuesOfADocumentAreCounted) {
  std::string list = "[1";
  list.reserve(2 * kMaxValues + 2);
  for (std::size_t i = 0; i < kMaxValues; ++i) list += ",1";
  EXPECT_THAT(refused("r.json", R"({"results":[],"x":)" + list + "]}"), HasSubstr("more than 33,554,432 values"));
}

TEST_F(Limits, MessagesQuoteNoMoreThanALine) {
  const std::string name(100'000, 'x');
  for (const std::string& text : {R"({"results":[{"configuration":{},"times":{},"invalidity":")" + name + "\"}]}",
                                  R"({"results":[],"metadata":{"timeunit":")" + name + "\"}}", R"({"results":)" + name,
                                  R"({"tune_params_keys":[")" + name + R"("],"cache":{"1":{"time":1}}})"})
    EXPECT_LT(refused("r.json", text).size(), path("").string().size() + 200) << text.substr(0, 60);
}

}  // namespace
}  // namespace wattune::store
