// Files of all formats with a byte order mark and the line ends of Windows, as editors there leave them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <ostream>

#include "cli/run_program.h"
#include "source_dir.h"

namespace wattune::cli_test {
namespace {

using testing::HasSubstr;

constexpr const char* kMarkedSpec = R"([kernel]
file = "add.cc"
function = "add"
arguments = [{ name = "x", type = "float*", length = 64, access = "write" }]
[parameters]
a = [1, 2]
[metrics]
speed = "a / time"
)";
constexpr const char* kMarkedCache = R"({"kernel_name": "add", "device_name": "A", "tune_params_keys": ["a"],
"tune_params": {"a": [1, 2]}, "objective": "time", "cache": {
"1": {"a": 1, "time": 3.0}, "2": {"a": 2, "time": 2.0}
}})";
constexpr const char* kTable =
    "# {\"kernel\":\"add\",\"device\":\"A\",\"tune_params\":{\"a\":[1,2]}}\na,time_ms\n1,3\n2,2\n";

std::string marked(const std::string& text) {
  std::string result = "\xEF\xBB\xBF";
  for (const char c : text) result += c == '\n' ? "\r\n" : std::string(1, c);
  return result;
}

void write_cache(const TempFolder& folder) { folder.write("add.cache.json", kMarkedCache); }

// Exports the cache to another format.
void exported(const TempFolder& folder, const std::string& format, const std::string& name) {
  write_cache(folder);
  const Finished finished = run_wattune(folder, {"export", "add.cache.json", "--format", format, "--output", name});
  ASSERT_EQ(finished.status, 0) << finished.err;
}

void tuned(const TempFolder& folder) {
  write_cache(folder);
  const Finished finished =
      run_wattune(folder, {"tune", "--device", "replay:add.cache.json", "-q", "--output", "add.journal.jsonl"});
  ASSERT_EQ(finished.status, 0) << finished.err;
}

struct Format {
  std::string name;
  std::vector<std::string> files;  // those that are marked
  std::function<void(const TempFolder&)> write;
  std::vector<std::string> command;
  std::string output;  // a part of it
};

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

const std::vector<std::string> kSimulated{"--device", "simulated:H100", "--waves", "1", "--kernels", "C,L"};

std::vector<std::string> simulated(std::vector<std::string> command, const std::vector<std::string>& more) {
  command.insert(command.end(), kSimulated.begin(), kSimulated.end());
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

std::vector<Format> formats() {
  const auto shows = [](const std::string& file) { return std::vector<std::string>{"show", file, "--json"}; };
  return {
      {"Spec",
       {"add.toml"},
       [](const TempFolder& folder) { folder.write("add.toml", kMarkedSpec); },
       {"space", "add.toml"},
       "2 of 2 configurations"},
      {"KernelAndHeader",
       {"add.cc", "deep.h"},
       [](const TempFolder& folder) {
         folder.write("add.toml", kMarkedSpec);
         folder.write("add.cc",
                      "#include \"deep.h\"\nvoid add(float* x) { for (int i = 0; i < 64; ++i) x[i] = VALUE; }\n");
         folder.write("deep.h", "#define VALUE a\n");
       },
       {"run", "add.toml", "--device", "host:0", "--no-metrics"},
       "configured"},
      {"Cache", {"add.cache.json"}, write_cache, shows("add.cache.json"), "\"correct\": 2"},
      {"Table",
       {"add.csv"},
       [](const TempFolder& folder) { folder.write("add.csv", kTable); },
       shows("add.csv"),
       "\"correct\": 2"},
      {"TableAndMapping",
       {"add.csv", "add.params.json"},
       [](const TempFolder& folder) {
         folder.write("add.csv", "a,time_ms\n1,3\n2,2\n");
         folder.write("add.params.json", "{\"kernel\": \"add\",\n\"tune_params\": {\"a\": [1, 2]}}\n");
       },
       shows("add.csv"),
       "\"correct\": 2"},
      {"T4", {"add.t4"}, [](const TempFolder& f) { exported(f, "t4", "add.t4"); }, shows("add.t4"), "\"correct\": 2"},
      {"Json",
       {"add.json"},
       [](const TempFolder& f) { exported(f, "json", "add.json"); },
       shows("add.json"),
       "\"correct\": 2"},
      {"Journal", {"add.journal.jsonl"}, tuned, shows("add.journal.jsonl"), "\"correct\": 2"},
      {"ResumedJournal",
       {"add.journal.jsonl"},
       tuned,
       {"tune", "--device", "replay:add.cache.json", "-q", "--json", "--resume", "--output", "add.journal.jsonl"},
       "\"resumed\": 2"},
      {"WarmStart",
       {"add.journal.jsonl"},
       tuned,
       {"tune", "--device", "replay:add.cache.json", "-q", "--json", "--strategy", "auto", "--warm-start",
        "add.journal.jsonl", "--output", "b.jsonl"},
       "\"correct\": 2"},
      {"Wisdom",
       {"add.wisdom"},
       [](const TempFolder& folder) {
         write_cache(folder);
         folder.write("add.toml", kMarkedSpec);
         folder.write("add.cc", "void add(float* x) { x[0] = a; }\n");
         run_wattune(folder, {"export", "add.cache.json", "--format", "wisdom", "--spec", "add.toml", "--output",
                              "add.wisdom"});
       },
       {"show", "add.wisdom"},
       "a=2"},
      {"Profiles",
       {"profiles.jsonl"},
       [](const TempFolder& folder) { run_wattune(folder, simulated({"profile"}, {})); },
       simulated({"corun"}, {"--profiles", "profiles.jsonl", "--works", "4", "--policies", "fifo"}),
       "fifo"},
      {"CorunJournal",
       {"pairs.jsonl"},
       [](const TempFolder& folder) {
         run_wattune(folder, simulated({"corun"}, {"--output", "pairs.jsonl"}));
       },
       simulated({"corun"}, {"--output", "pairs.jsonl", "--resume"}),
       "C"},
      {"Arrivals",
       {"trace.csv"},
       [](const TempFolder& folder) { folder.write("trace.csv", "moment_ms,kernel,priority\n0,C,0\n\n0.5,L,1\n"); },
       simulated({"corun"}, {"--arrivals", "trace.csv", "--policies", "fifo"}),
       "fifo"},
      {"Ptx",
       {"waits.ptx"},
       [](const TempFolder& folder) {
         std::filesystem::copy_file(std::filesystem::path(WATTUNE_SOURCE_DIR) / "tests/slice/waits.ptx",
                                    folder.path() / "waits.ptx");
       },
       {"slice", "waits.ptx"},
       "kernel"}};
}

class MarkedFiles : public testing::TestWithParam<Format> {};

// The output is that of the files as they are, but for times.
TEST_P(MarkedFiles, AreReadAsTheOthers) {
  const TempFolder folder;
  GetParam().write(folder);
  for (const std::string& file : GetParam().files) {
    ASSERT_TRUE(folder.has(file)) << file;
    folder.write(file, marked(folder.read(file)));
  }
  const Finished finished = run_wattune(folder, GetParam().command);
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr(GetParam().output)) << finished.err;
  EXPECT_THAT(finished.err, testing::Not(HasSubstr("left out")));
}

INSTANTIATE_TEST_SUITE_P(Cli, MarkedFiles, testing::ValuesIn(formats()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace wattune::cli_test
