// Series and groups of launches, buffers that change places, null pointers, images and samplers in TOML.
#include <gmock/gmock.h>

#include <string>
#include <variant>

#include "spec/spec_fixture.h"

namespace wattune::inline v0_1::spec {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class SpecOf : public SpecTest {
 protected:
  std::string text(const std::string& launch, const std::string& more_arguments = {}) const {
    return "[kernel]\nfile = \"add.cl\"\nfunction = \"add\"\narguments = [\n"
           "  { name = \"a\", type = \"float*\", length = \"n\", access = \"readwrite\" },\n"
           "  { name = \"b\", type = \"float*\", length = \"n\", access = \"write\" },\n"
           "  { name = \"c\", type = \"float*\", length = \"n\" },\n"
           "  { name = \"k\", type = \"int\", value = 0 },\n" +
           more_arguments + "]\n[problem]\nn = 64\n[parameters]\nblock = [32, 64]\n" + launch;
  }
  Result<KernelSpec> parse(const std::string& launch, const std::string& more_arguments = {}) const {
    return parse_toml(text(launch, more_arguments), path("spec.toml"));
  }
  KernelSpec good(const std::string& launch, const std::string& more_arguments = {}) const {
    Result<KernelSpec> spec = parse(launch, more_arguments);
    EXPECT_TRUE(spec) << spec.error().to_string();
    return spec ? *std::move(spec) : KernelSpec();
  }
  // Returns the message without the place.
  std::string mistake(const std::string& launch, const std::string& more_arguments = {}) const {
    const std::string words = described(parse(launch, more_arguments));
    return words.substr(words.find(": ") + 2);
  }
  // Returns the message for an argument `x` with these keys.
  std::string bad_argument(const std::string& rest) const {
    return mistake(kLaunch, "  { name = \"x\", " + rest + " },\n");
  }

  static constexpr const char* kLaunch = "[launch]\nglobal = \"n\"\nlocal = \"block\"\n";
};

using Series = SpecOf;
using SpecImages = SpecOf;

TEST_F(Series, ALoneLaunchMayBeRepeatedToo) {
  const KernelSpec spec = good(std::string(kLaunch) +
                               "repeat = \"n // block\"\nindex = \"step\"\nwhen = \"step > 0\"\n"
                               "values = { k = \"step * block\" }\nswap = [[\"a\", \"b\"]]\n");
  ASSERT_THAT(spec.steps, SizeIs(1));
  const LaunchStep& step = spec.steps[0];
  EXPECT_EQ(step.repeat.text, "n // block");
  EXPECT_EQ(step.index, "step");
  EXPECT_EQ(step.condition.text, "step > 0");
  ASSERT_THAT(step.values, SizeIs(1));
  EXPECT_EQ(step.values[0].argument, 3u);
  EXPECT_EQ(step.values[0].value.text, "step * block");
  EXPECT_THAT(step.swaps, ElementsAre(ElementsAre(0u, 1u)));
}

TEST_F(Series, APlainLaunchIsTheSpecsGeometryAlone) { EXPECT_THAT(good(kLaunch).steps, SizeIs(0)); }

TEST_F(Series, GroupsHoldLaunchesAndGroups) {
  const std::string launch = "grid = 1\nblock = \"block\"\n";
  const KernelSpec spec = good("[[launch]]\n" + launch + "[[launch]]\nrepeat = 4\nindex = \"i\"\n[[launch.launch]]\n" +
                               "function = \"first\"\n" + launch +
                               "[[launch.launch]]\nrepeat = \"i\"\nindex = \"j\"\nlaunch = [{ function = \"second\", "
                               "grid = \"i + j + 1\", block = 1 }]\n");
  ASSERT_THAT(spec.steps, SizeIs(2));
  ASSERT_THAT(spec.steps[1].group, SizeIs(2));
  EXPECT_EQ(spec.steps[1].group[0].function, "first");
  EXPECT_EQ(spec.steps[1].group[1].group[0].geometry.sizes[0].text, "i + j + 1");
  std::vector<std::string> functions;
  for (const LaunchStep& each : single_launches_of(spec)) functions.push_back(each.function);
  EXPECT_THAT(functions, ElementsAre("add", "first", "second"));
}

TEST_F(Series, MistakesAreNamed) {
  const std::string launch = kLaunch;
  EXPECT_EQ(mistake(launch + "index = \"i\"\n"), "[launch] has an `index`, but no `repeat` that it counts: `i`");
  EXPECT_EQ(mistake(launch + "repeat = 2\nindex = \"n\"\n"),
            "the `index` of a launch has the name of something else: `n`");
  EXPECT_EQ(mistake(launch + "repeat = 2\nindex = \"2nd\"\n"), "the `index` of a launch must be an identifier: `2nd`");
  EXPECT_EQ(mistake(launch + "repeat = \"i\"\nindex = \"i\"\n"),
            "unknown name in `repeat` of the launch: `i` (did you mean `n`?)");
  EXPECT_EQ(mistake("[launch]\nrepeat = 2\nindex = \"i\"\nglobal = \"n + j\"\nlocal = 1\n"),
            "unknown name in the launch sizes: `j` (did you mean `n`?)");
  EXPECT_EQ(mistake(launch + "values = { a = 1 }\n"), "`values` of [launch] names an argument that is no scalar: `a`");
  EXPECT_EQ(mistake(launch + "arguments = [\"a\"]\nvalues = { k = 1 }\n"),
            "`values` of [launch] names an argument that the launch does not take: `k`");
  EXPECT_EQ(mistake("[[launch]]\nrepeat = 2\nlaunch = []\n"), "`launch` in [[launch]] number 1 has no launch: `[]`");
  EXPECT_EQ(mistake("[[launch]]\nfunction = \"f\"\nlaunch = [{ grid = 1, block = 1 }]\n").substr(0, 46),
            "unknown key in [[launch]] number 1: `function`");
}

TEST_F(Series, AnArgumentsOwnValueReadsNoIndex) {
  EXPECT_EQ(mistake(std::string(kLaunch) + "repeat = 2\nindex = \"step\"\n",
                    "  { name = \"x\", type = \"int\", value = \"step\" },\n"),
            "unknown name in `value` of argument `x`: `step` (`values` of a launch may read its `index`)");
}

TEST_F(Series, WhatCannotChangePlacesIsNamed) {
  const auto swap = [&](const std::string& list) { return mistake(std::string(kLaunch) + "swap = " + list + "\n"); };
  EXPECT_EQ(swap("[\"a\", \"b\"]"), "each list of `swap` of [launch] must be a list of strings: `a` (write [\"a\"])");
  EXPECT_EQ(swap("[]"), "`swap` of [launch] must be a list of lists of names: `[]` (write [[\"a\", \"b\"]])");
  EXPECT_EQ(swap("[[\"a\"]]"), "`swap` of [launch] needs two arguments or more");
  EXPECT_EQ(swap("[[\"a\", \"k\"]]"), "`swap` of [launch] changes the places of buffers, and `k` is none");
  EXPECT_EQ(swap("[[\"a\", \"b\", \"a\"]]"), "`swap` of [launch] has `a` twice");
  EXPECT_EQ(swap("[[\"a\", \"d\"]]"), "[kernel] has no argument of this name: `d` (did you mean `a`?)");
  EXPECT_EQ(swap("[[\"a\", \"c\"]]"),
            "`swap` of [launch] has buffers that are only read, and others (what changes places is written: "
            "\"readwrite\")");
  EXPECT_EQ(mistake(std::string(kLaunch) + "swap = [[\"a\", \"x\"]]\n",
                    "  { name = \"x\", type = \"double*\", length = \"n\", access = \"write\" },\n"),
            "`swap` of [launch] needs elements of one type, and those of `a` and `x` differ");
}

TEST_F(SpecOf, NullPointersHaveNoLength) {
  const KernelSpec spec = good(kLaunch, "  { name = \"x\", type = \"float4*\", null = true },\n");
  EXPECT_TRUE(std::holds_alternative<NullArgument>(spec.arguments[4].kind));
  EXPECT_EQ(bad_argument("type = \"float\", null = true"),
            "`null` of argument `x` makes a pointer null and nothing else: `True` (write null = true, with a type such "
            "as `float*`)");
  EXPECT_EQ(bad_argument("type = \"float*\", null = true, length = 4").substr(0, 37),
            "unknown key in argument `x`: `length`");
}

TEST_F(SpecImages, HaveSizesChannelsAndSampling) {
  const KernelSpec spec =
      good(kLaunch,
           "  { name = \"x\", type = \"image3d uchar4\", size = [\"n\", 8, 4], order = \"BGRA\", normalized = true, "
           "address = \"mirror\", filter = \"linear\", coordinates = \"normalized\", fill = \"iota\" },\n"
           "  { name = \"y\", type = \"image1d_buffer half\", size = \"n\", access = \"write\" },\n"
           "  { name = \"s\", type = \"sampler\", address = \"border\" },\n");
  const auto& x = std::get<VectorArgument>(spec.arguments[4].kind);
  EXPECT_EQ(x.type, ElementType::uint8);
  EXPECT_EQ(x.vector_width, 4u);
  EXPECT_TRUE(std::holds_alternative<FillIota>(x.fill));
  EXPECT_EQ(x.image->type, ImageType::image3d);
  EXPECT_EQ(x.image->sizes[2].text, "4");
  EXPECT_EQ(x.image->order, ChannelOrder::bgra);
  EXPECT_TRUE(x.image->normalized_channels);
  EXPECT_EQ(x.image->sampling, (Sampling{AddressMode::mirror, FilterMode::linear, true}));
  const auto& y = std::get<VectorArgument>(spec.arguments[5].kind);
  EXPECT_EQ(y.image->type, ImageType::image1d_buffer);
  EXPECT_EQ(y.image->order, ChannelOrder::r);
  EXPECT_EQ(y.access, ArgumentAccess::write_only);
  EXPECT_EQ(std::get<SamplerArgument>(spec.arguments[6].kind).sampling.address, AddressMode::border);
}

TEST_F(SpecImages, MistakesAreNamed) {
  EXPECT_EQ(bad_argument("type = \"image2d float4\", size = \"n\""),
            "`size` of argument `x` must have 2 dimensions: `n`");
  EXPECT_EQ(bad_argument("type = \"image1d float8\", size = \"n\""),
            "argument `x` has pixels of a number of channels that no image has: `image1d float8` (1, 2 or 4, such as "
            "float, float2, float4)");
  EXPECT_EQ(bad_argument("type = \"image1d double\", size = \"n\""),
            "argument `x` has channels that no image has: `image1d double`");
  EXPECT_EQ(bad_argument("type = \"image1d float\", size = \"n\", normalized = true"),
            "`normalized` of argument `x` is for integers of 8 or 16 bits: `True`");
  EXPECT_EQ(bad_argument("type = \"image1d float\", size = \"m\""),
            "unknown name in `size` of argument `x`: `m` (did you mean `n`?)");
  EXPECT_EQ(bad_argument("type = \"image1d float\", size = \"n\", order = \"RGB\"").substr(0, 49),
            "unknown channel order of argument `x`: `RGB` (one");
  EXPECT_EQ(bad_argument("type = \"sampler\", address = \"repeat\""),
            "`address` of argument `x` needs normalised coordinates: `repeat` (coordinates = \"normalized\")");
}

TEST_F(SpecImages, ASamplerWithoutAnOpenClKernelIsAMistake) {
  write("add.cu", "");
  std::string cuda = text(kLaunch, "  { name = \"s\", type = \"sampler\" },\n");
  cuda.replace(cuda.find("add.cl"), 6, "add.cu");
  EXPECT_EQ(parse_toml(cuda, path("spec.toml")).error().message(), "a sampler in a spec without an OpenCL kernel");
}

}  // namespace
}  // namespace wattune::spec
