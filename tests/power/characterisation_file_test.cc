#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "checksums.h"
#include "power/asked_sensor.h"
#include "power/interface/characterise.h"
#include "source_dir.h"

namespace wattune::inline v0_1::power {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class CharacterisationFile : public ::testing::Test {
 protected:
  void SetUp() override { setenv("XDG_CACHE_HOME", folder.c_str(), 1); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string refused(const std::string& text) const {
    EXPECT_TRUE(store(board, found));
    std::ofstream(*characterisation_file(board)) << text;
    return load_characterisation(board).error().to_string();
  }

  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("characterisation" + std::to_string(getpid()));
  Board board{.uuid = "GPU-6f1a", .name = "NVIDIA H200", .driver = "550.54"};
  const Characterisation found{.sensors = {{"nvml.power.instant",
                                            {.response = Response::boxcar,
                                             .period = nanoseconds_from_ms(100),
                                             .window = nanoseconds_from_ms(25),
                                             .lag = nanoseconds_from_ms(4),
                                             .noise = 0.01,
                                             .measured = true}}},
                               .idle = Watts(75),
                               .context_idle = {{Watts(112), Watts(0.5)}},
                               .problems = {"nvml.power.average did not follow the load"}};
};

TEST_F(CharacterisationFile, IsReadBackAsItWasStored) {
  EXPECT_EQ(load_characterisation(board).error().code(), ErrorCode::not_found);
  ASSERT_TRUE(store(board, found));
  EXPECT_EQ(load_characterisation(board).value(), found);
  EXPECT_EQ(characterisation_file(board).value(), folder / "wattune" / "boards" / "GPU-6f1a.json");
}

TEST_F(CharacterisationFile, OfAnotherDriverIsALine) {
  ASSERT_TRUE(store(board, found));
  board.driver = "560.35";
  const auto stale = load_characterisation(board);
  EXPECT_EQ(stale.error().code(), ErrorCode::mismatch);
  EXPECT_THAT(stale.error().to_string(), HasSubstr("measured with driver 550.54, not 560.35"));
}

TEST_F(CharacterisationFile, ThatIsDamagedIsALineWithItsName) {
  EXPECT_THAT(refused("{"), HasSubstr("GPU-6f1a.json: the measured properties of this board's sensors are damaged"));
  EXPECT_THAT(refused("[]"), HasSubstr("is no characterisation of Wattune: its first line is `[]`"));
  EXPECT_THAT(refused(""), HasSubstr("it is empty"));
  EXPECT_EQ(refused("[]").find('\n'), std::string::npos);
  ASSERT_TRUE(store(board, found));
  const std::string whole = text_of(characterisation_file(board).value());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    EXPECT_THAT(refused(text), HasSubstr("its checksum is wrong"));
    return refused(with_checksums(text));
  };
  EXPECT_THAT(changed("\"idle_w\":75.0", "\"idle_w\":-1"),
              HasSubstr("`idle_w` must be a number from 0 to 100000, not -1"));
  EXPECT_THAT(changed("\"idle_w\":75.0", "\"idle_w\":1e300"), HasSubstr("`idle_w` must be a number"));
  EXPECT_THAT(changed("\"idle_w\":75.0", "\"idle_w\":[75]"), HasSubstr("`idle_w` must be a number"));
  EXPECT_THAT(changed("GPU-6f1a", "GPU-0"), HasSubstr("another board"));
  EXPECT_THAT(changed("boxcar", "boxkar"), HasSubstr("no sensor responds as `boxkar`"));
  EXPECT_THAT(changed("\"sensors\":{", "\"sensors\":[],\"were\":{"), HasSubstr("`sensors` must be an object"));
  EXPECT_THAT(changed("\"noise\":0.01", "\"noise\":null"), HasSubstr("`noise` must be a number"));
}

// The file is byte by byte as the version before sealed files wrote it.
TEST_F(CharacterisationFile, WithoutAChecksumIsReadSaidToBeSoAndKept) {
  const std::filesystem::path file = characterisation_file(board).value();
  std::filesystem::create_directories(file.parent_path());
  std::filesystem::copy_file(WATTUNE_SOURCE_DIR + std::string("/tests/older/board.json"), file);
  const Characterisation read = load_characterisation(board).value();
  EXPECT_EQ(read.sensors, found.sensors);
  EXPECT_EQ(read.idle, found.idle);
  EXPECT_FALSE(read.context_idle) << "its uncertainty is not known";
  EXPECT_THAT(read.problems, Contains(HasSubstr("GPU-6f1a.json is unsealed")));
  ASSERT_TRUE(store(board, found));
  EXPECT_EQ(load_characterisation(board).value(), found);
  EXPECT_THAT(text_of(file.string() + ".unsealed"), HasSubstr("\"version\": 1,\n"));
}

TEST_F(CharacterisationFile, IsNotWrittenForABoardWithoutAUuid) {
  board.uuid = "";
  EXPECT_THAT(store(board, found).error().to_string(), HasSubstr("without a UUID"));
  board.uuid = "../up";
  EXPECT_FALSE(characterisation_file(board));
}

TEST_F(CharacterisationFile, AdoptedGivesSensorsTheirTraits) {
  board.power.push_back(std::make_unique<AskedSensor<Watts>>(SensorInfo{.name = "nvml.power.instant"},
                                                             []() -> Result<Watts> { return Watts(99); }));
  adopt(board, found);
  EXPECT_EQ(board.power[0]->info().traits, found.sensors.at("nvml.power.instant"));
  EXPECT_EQ(board.power[0]->read()->value, Watts(99));
  EXPECT_EQ(board.context_idle, (Measured<Watts>{Watts(112), Watts(0.5)}));
  EXPECT_THAT(board.missing, Contains("nvml.power.average did not follow the load"));
}

// Otherwise another user could decide what joules are reported.
TEST_F(CharacterisationFile, IsNotBelievedWhereOthersMayWrite) {
  ASSERT_TRUE(store(board, found));
  const auto kept = characterisation_file(board).value().parent_path();
  EXPECT_EQ(std::filesystem::status(kept).permissions(), std::filesystem::perms::owner_all);
  std::filesystem::permissions(kept, std::filesystem::perms::all);
  EXPECT_THAT(load_characterisation(board).error().to_string(), HasSubstr("can be written by others"));
  EXPECT_FALSE(store(board, found));
}

}  // namespace
}  // namespace wattune::power
