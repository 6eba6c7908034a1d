// Command lines as people in a hurry type them, with the status and the first line that each gets.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/run_program.h"
#include "source_dir.h"

namespace wattune::cli_test {
namespace {

constexpr const char* kRecorded = R"({"device_name": "A GPU", "kernel_name": "k", "problem_size": "1024",
 "tune_params_keys": ["b"], "tune_params": {"b": [1, 2]}, "objective": "time",
 "cache": {"1": {"b": 1, "time": 3.0, "times": [3.0, 3.1]}, "2": {"b": 2, "time": 2.0, "times": [2.0, 2.1]}}}
)";

// Writes what the lines name: the files of `wattune init`, a lone kernel, results, and files that are none.
void write_files(const TempFolder& folder) {
  ASSERT_EQ(run_wattune(folder, {"init"}).status, 0);
  std::filesystem::create_directory(folder.path() / "folder");
  std::filesystem::create_directory(folder.path() / "alone");
  folder.write("alone/lone.cl", "__kernel void f() {}\n");
  folder.write("empty.toml", "");
  folder.write("empty.json", "");
  folder.write("broken.toml", "[kernel\n");
  folder.write("out.png", "\x89PNG\r\n");
  folder.write("good.json", kRecorded);
  folder.write("twice.json", std::string(kRecorded) + kRecorded);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string first_line(const Finished& finished) {
  const std::string& text = finished.err.empty() ? finished.out : finished.err;
  return text.substr(0, text.find('\n'));
}

// The table has pairs of lines: "$ ARGUMENTS" and "STATUS FIRST LINE".
TEST(HurriedLines, GetTheirStatusAndALineThatHelps) {
  std::ifstream table(WATTUNE_SOURCE_DIR + std::string("/tests/cli/hurried_lines.txt"));
  ASSERT_TRUE(table);
  int count = 0;
  for (std::string line, expected; std::getline(table, line);) {
    if (!line.starts_with("$ ")) continue;
    ASSERT_TRUE(std::getline(table, expected));
    const TempFolder folder;
    write_files(folder);
    const std::vector<std::string> before = folder.files();
    const Finished finished = run_wattune(folder, words_of(line.substr(2)));
    EXPECT_EQ(std::to_string(finished.status) + " " + first_line(finished), expected) << line;
    if (finished.status != 0) {
      EXPECT_EQ(folder.files(), before) << line;
    }
    ++count;
  }
  EXPECT_GE(count, 100);
}

}  // namespace
}  // namespace wattune::cli_test
