// The specs under benchmarks/published: they load without their kernel files, which are not part of this repository.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "source_dir.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::spec {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(WATTUNE_SOURCE_DIR) / "benchmarks" / "published";

struct Published {
  const char* name;
  std::uint64_t valid;
};
void PrintTo(const Published& published, std::ostream* out) { *out << published.name; }

// The numbers of configurations in the README of the folder.
const Published kSpecs[] = {
    {"bicg", 193},
    {"convolution", 120},
    {"coulomb_sum_3d", 150},
    {"custom_argument_types", 4},
    {"matmul", 40},
    {"nbody", 168},
    {"pnpoly", 128},
    {"reduction", 90},
    {"sort", 20},
    {"sort2", 46},
    {"spmv", 128},
    {"stencil", 31},
    {"vector_add", 15},
    {"zeromean_vertical", 31},
    {"zeromean_horizontal", 31},
};

class PublishedSpecs : public testing::TestWithParam<Published> {};

TEST_P(PublishedSpecs, LoadWithoutTheirKernelFiles) {
  const Result<KernelSpec> spec = load(kFolder / (std::string(GetParam().name) + ".toml"), SourcePolicy::optional);
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->source.file.parent_path().filename(), "kernels");
  ASSERT_TRUE(std::holds_alternative<ReferenceFunction>(spec->reference));
  EXPECT_TRUE(std::filesystem::exists(std::get<ReferenceFunction>(spec->reference).file));
  const auto space = space::SearchSpace::build(spec->parameters, spec->constraints);
  ASSERT_TRUE(space) << space.error().to_string();
  EXPECT_EQ(static_cast<std::uint64_t>(space->count()), GetParam().valid);
}

TEST(PublishedFolder, HasNoOtherSpecs) {
  const auto files = std::filesystem::directory_iterator(kFolder);
  EXPECT_EQ(std::ranges::count_if(files, [](const auto& file) { return file.path().extension() == ".toml"; }),
            std::ssize(kSpecs));
}

INSTANTIATE_TEST_SUITE_P(All, PublishedSpecs, testing::ValuesIn(kSpecs),
                         [](const auto& published) { return std::string(published.param.name); });

}  // namespace
}  // namespace wattune::spec
