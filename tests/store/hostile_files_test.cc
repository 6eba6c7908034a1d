// Every reader on files of strangers: each file gives a value or one line with the mistake, in bounded memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "checksums.h"
#include "hostile.h"
#include "store/sample_results.h"
#include "wattune/store/formats.h"
#include "wattune/store/journal.h"

namespace wattune::inline v0_1::store {
namespace {

constexpr int kFilesOfEachFormat = 150;
constexpr std::size_t kMostMemory = std::size_t{1} << 28;

class HostileFiles : public FolderTest {
 protected:
  void SetUp() override { before_ = peak_memory(); }
  // Sanitizers keep freed memory, which would count as used.
  void TearDown() override {
#if !defined(__SANITIZE_ADDRESS__)
    EXPECT_LT(peak_memory() - before_, kMostMemory);
#endif
  }

  void read(const std::string& name, const std::string& text) {
    write_contents(path(name), text);
    const auto results = load_results(path(name));
    if (results) return write_again(*results);
    const std::string line = results.error().to_string();
    EXPECT_TRUE(is_one_clean_line(line)) << line;
    EXPECT_LT(line.size(), path(name).string().size() + 500) << line;
  }

  void read_damaged(const std::string& name, const std::string& text) {
    Random random(12);
    for (int i = 0; i < kFilesOfEachFormat; ++i) {
      SCOPED_TRACE(i);
      read(name, damaged(text, random));
    }
  }

 private:
  // Exports the results, which must give valid JSON whatever the names are.
  static void write_again(const ResultSet& results) {
    const auto cache = write_kernel_tuner_cache(results);  // rejects names of its own members
    for (const std::string& text : {write_json(results), write_t4(results), cache ? *cache : std::string()})
      EXPECT_EQ(text.find_first_of("\x1b\a\x7f"), std::string::npos) << text.substr(0, 200);
    (void)write_csv(results);
    EXPECT_TRUE(results.best() == nullptr || results.best()->observation.ok());
  }

  std::size_t before_ = 0;
};

TEST_F(HostileFiles, KernelTunersCache) {
  read_damaged("r.json", write_kernel_tuner_cache(sample_results(12)).value());
}
TEST_F(HostileFiles, T4) { read_damaged("r.json", write_t4(sample_results(12))); }
TEST_F(HostileFiles, WattunesJson) { read_damaged("r.json", write_json(sample_results(12))); }
TEST_F(HostileFiles, Tables) { read_damaged("r.csv", *write_csv(sample_results(12))); }

TEST_F(HostileFiles, Ktt) {
  read_damaged("r.json", R"({"Metadata": {"ComputeApi": "CUDA", "Device": "RTX", "TimeUnit": "Microseconds",
    "Platform": "NVIDIA CUDA", "Timestamp": "2022-06-01 13:55:7 UTC"}, "Results": [
    {"KernelName": "sum", "Status": "Ok", "TotalDuration": 12.5, "TotalOverhead": 300, "ValidationOverhead": 1,
     "Configuration": [{"Name": "X", "Value": 4, "ValueType": "UnsignedInt"}],
     "ComputationResults": [{"CompilationData": {"RegistersCount": 20},
       "ProfilingData": {"Counters": [{"Name": "ipc", "Type": "Double", "Value": 1.5}]}}]}]})");
}

// Lines with a right checksum get further than others, so the text before the checksum is damaged too.
TEST_F(HostileFiles, Journals) {
  {
    const auto journal = Journal::open(path("good"), sample_info());
    ASSERT_TRUE(journal);
    for (int i = 0; i < 12; ++i) ASSERT_TRUE((*journal)->add(sample_trial(i)));
  }
  const std::string good = contents_of(path("good"));
  read_damaged("r.jsonl", good);
  Random random(7);
  for (int i = 0; i < kFilesOfEachFormat; ++i) read("r.jsonl", with_checksums(damaged(good, random)));
}

TEST_F(HostileFiles, CompressedOnes) {
  write_contents(path("r"), write_t4(sample_results(12)));
  for (const char* tool : {"xz", "gzip", "zstd"}) {
    const std::string command = std::string(tool) + " -c < " + path("r").string() + " > " + path("packed").string();
    if (std::system((command + " 2> /dev/null").c_str()) != 0) continue;
    Random random(3);
    for (int i = 0; i < 15; ++i) read("r.packed", damaged(contents_of(path("packed")), random));
  }
}

}  // namespace
}  // namespace wattune::store
