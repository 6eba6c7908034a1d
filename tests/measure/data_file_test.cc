#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "measure/interface/arguments.h"

namespace wattune::inline v0_1::measure {
namespace {

using ::testing::HasSubstr;

class DataFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  Result<std::vector<std::byte>> read(const std::string& contents, ElementType type, std::size_t elements) {
    std::ofstream(path_, std::ios::binary) << contents;
    return read_data_file(path_, type, elements);
  }

  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() /
      fmt::format("wattune-{}-{}.npy", ::testing::UnitTest::GetInstance()->current_test_info()->name(), getpid());
};

const std::vector<float> kFloats{1.0f, -2.5f, 3.0f};

std::string as_text(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

bool holds_floats(const Result<std::vector<std::byte>>& bytes) {
  return bytes.value().size() == 12 && std::memcmp(bytes->data(), kFloats.data(), 12) == 0;
}

// Returns a file as numpy.save writes it: magic, version, little-endian length, dictionary padded with blanks, newline.
std::string npy(char version, const std::string& dictionary, const std::string& data) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  const std::size_t length = dictionary.size() + 1;
  file += static_cast<char>(length & 0xff);
  file += static_cast<char>(length >> 8);
  if (version > 1) file += std::string(2, '\0');
  return file + dictionary + "\n" + data;
}

std::string floats_npy(const std::string& shape, char version = 1, const std::string& order = "False") {
  return npy(version, "{'descr': '<f4', 'fortran_order': " + order + ", 'shape': " + shape + ", }", as_text(kFloats));
}

TEST_F(DataFile, RawElementsAreReadAsTheyAre) {
  EXPECT_TRUE(holds_floats(read(as_text(kFloats), ElementType::float32, 3)));
}

TEST_F(DataFile, NumpyVersionsOneToThreeAreRead) {
  for (char version : {'\1', '\2', '\3'})
    EXPECT_TRUE(holds_floats(read(floats_npy("(3,)", version), ElementType::float32, 3)));
}

TEST_F(DataFile, ShapesMultiply) {
  EXPECT_TRUE(holds_floats(read(floats_npy("(3, 1)"), ElementType::float32, 3)));
  EXPECT_TRUE(read(npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "x"), ElementType::uint8, 1));
}

TEST_F(DataFile, ABooleanArrayIsBytes) {
  EXPECT_TRUE(read(npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "ab"), ElementType::uint8, 2));
}

// NumPy saves arrays of ml_dtypes' bfloat16 like this.
TEST_F(DataFile, Bfloat16IsWhatNumpyDoesNotKnow) {
  for (const std::string descr : {"<V2", "|V2"}) {
    const std::string file = npy(1, "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,), }", "abcd");
    EXPECT_TRUE(read(file, ElementType::bfloat16, 2)) << descr;
    EXPECT_FALSE(read(file, ElementType::uint16, 2)) << descr;
  }
  const auto bytes = read(floats_npy("(3,)"), ElementType::bfloat16, 3);
  EXPECT_THAT(bytes.error().to_string(), HasSubstr("not bfloat16 (NumPy's <V2, of ml_dtypes): `<f4`"));
}

TEST_F(DataFile, SizesMustAgree) {
  const auto numpy = read(floats_npy("(3,)"), ElementType::float32, 4);
  ASSERT_FALSE(numpy);
  EXPECT_EQ(numpy.error().code(), ErrorCode::mismatch);
  EXPECT_EQ(numpy.error().message(), "size mismatch: 4 elements are needed, " + path_.filename().string() + " holds 3");
  const auto raw = read(as_text(kFloats), ElementType::float32, 2);
  ASSERT_FALSE(raw);
  EXPECT_EQ(raw.error().message(), "size mismatch: 2 elements are needed, " + path_.filename().string() + " holds 3");
  EXPECT_THAT(read("12345", ElementType::float32, 1).error().message(), HasSubstr("holds 5 bytes"));
}

TEST_F(DataFile, TypesMustAgree) {
  const auto bytes = read(floats_npy("(3,)"), ElementType::int32, 3);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), ErrorCode::mismatch);
  EXPECT_THAT(bytes.error().to_string(), HasSubstr("not int32 (NumPy's <i4): `<f4`"));
  EXPECT_FALSE(read(npy(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }", as_text(kFloats)),
                    ElementType::float32, 3));
}

TEST_F(DataFile, FortranOrderIsRefusedWhereItMatters) {
  EXPECT_THAT(read(floats_npy("(3, 1)", 1, "True"), ElementType::float32, 3).error().to_string(),
              HasSubstr("ascontiguousarray"));
  EXPECT_TRUE(read(floats_npy("(3,)", 1, "True"), ElementType::float32, 3));
}

TEST_F(DataFile, DamagedHeadersAreErrors) {
  const std::string whole = floats_npy("(3,)");
  for (std::size_t length = 6; length < whole.size(); ++length)
    EXPECT_FALSE(read(whole.substr(0, length), ElementType::float32, 3)) << length;
  EXPECT_FALSE(read(floats_npy("(99999999999999999999,)"), ElementType::float32, 3));
  EXPECT_FALSE(read(floats_npy("(4294967296, 4294967296)"), ElementType::float32, 3));
  EXPECT_FALSE(read(floats_npy("3"), ElementType::float32, 3));
}

TEST_F(DataFile, AMissingFileIsNamed) {
  const auto bytes = read_data_file("no/such.npy", ElementType::float32, 1);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), ErrorCode::not_found);
  EXPECT_THAT(bytes.error().to_string(), HasSubstr("no/such.npy"));
}

TEST_F(DataFile, AFolderIsNoFile) {
  EXPECT_EQ(read_data_file(std::filesystem::temp_directory_path(), ElementType::float32, 1).error().code(),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace wattune::measure
