// Memory that the library manages, and places in streams, on an application's OpenCL context.
#include "wattune/dynamic/managed.h"

#include <gmock/gmock.h>

#include "dynamic/opencl_application.h"
#include "wattune/dynamic/tuner.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using test::OpenClApplication;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr Nanoseconds kLimit = nanoseconds_from_seconds(60);

class Managed : public ::testing::Test {
 protected:
  void SetUp() override {
    application = OpenClApplication::make();
    if (!application) GTEST_SKIP() << "no OpenCL device on this machine";
    device = backend::attach_opencl(application->context(), application->device()).value();
    stream = backend::adopt_stream(*device, application->queue()).value();
  }

  Vector<int> make(std::vector<int> values) {
    auto made = Vector<int>::make(*device, values.size()).value();
    made.upload(*stream, values).value();
    stream->finish(kLimit).value();
    return made;
  }
  std::vector<int> values(Vector<int>& of) {
    std::vector<int> values(of.size());
    of.download(*stream, values).value();
    stream->finish(kLimit).value();
    return values;
  }

  std::unique_ptr<OpenClApplication> application;
  std::unique_ptr<backend::Device> device;
  std::unique_ptr<backend::Stream> stream;
};

TEST_F(Managed, RangesAreUpdatedAndReadAnywhere) {
  Vector<int> x = make({1, 2, 3, 4, 5});
  const std::vector<int> two{8, 9};
  x.upload(*stream, two, 3).value();
  EXPECT_THAT(values(x), ElementsAre(1, 2, 3, 8, 9));
  std::vector<int> middle(3);
  x.download(*stream, middle, 1).value();
  stream->finish(kLimit).value();
  EXPECT_THAT(middle, ElementsAre(2, 3, 8));
  EXPECT_EQ(x.upload(*stream, two, 4).error().code(), ErrorCode::out_of_range);
}

TEST_F(Managed, ResizingKeepsContents) {
  Vector<int> x = make({1, 2, 3});
  x.resize(*stream, 5).value();
  EXPECT_EQ(x.size(), 5u);
  const std::vector<int> two{4, 5};
  x.upload(*stream, two, 3).value();
  EXPECT_THAT(values(x), ElementsAre(1, 2, 3, 4, 5));
  x.resize(*stream, 2).value();
  EXPECT_THAT(values(x), ElementsAre(1, 2));
}

TEST_F(Managed, CopiesSwapsAndClears) {
  Vector<int> x = make({1, 2});
  Vector<int> y = make({3, 4});
  Vector<int> longer = make({5, 6, 7});
  y.swap(longer);
  EXPECT_EQ(y.copy_from(*stream, x).error().code(), ErrorCode::mismatch);
  EXPECT_THAT(values(longer), ElementsAre(3, 4));
  longer.copy_from(*stream, x).value();
  EXPECT_THAT(values(longer), ElementsAre(1, 2));
  y.clear(*stream).value();
  EXPECT_THAT(values(y), Each(0));
}

TEST_F(Managed, APlaceInAStreamIsWaitedForAlone) {
  const auto marker = Marker::make(*device).value();
  Vector<int> x = make({1, 2});
  std::vector<int> read(2);
  x.download(*stream, read).value();
  const auto place = marker->mark(*stream).value();
  wait(*place, kLimit).value();
  EXPECT_TRUE(place->ready().value());
  EXPECT_THAT(read, ElementsAre(1, 2));
}

}  // namespace
}  // namespace wattune::dynamic
