// Exports as Kernel Tuner itself reads them: its cache in simulation mode, and T4 by its schema. It finds a
// configuration by the values in Python's notation, and rejects a cache of another function, device or list of
// parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "source_dir.h"
#include "store/sample_results.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {
namespace {

using KernelTuner = FolderTest;

// The first of six configurations is correct and takes 1,001 ns; Kernel Tuner returns no failures.
TEST_F(KernelTuner, ReadsWhatWasExported) {
  const ResultSet results = sample_results(6);
  write_contents(path("cache.json"), write_kernel_tuner_cache(results).value());
  write_contents(path("t4.json"), write_t4(results));
  const std::string script = std::string(WATTUNE_SOURCE_DIR) + "/tests/store/read_with_kernel_tuner.py";
  const int status = std::system(
      ("cd " + path("").string() + " && python3 " + script + " cache.json t4.json convolution > out").c_str());
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "Kernel Tuner is not installed";
  ASSERT_EQ(status, 0);
  EXPECT_THAT(contents_of(path("out")), testing::EndsWith("6 1 1 0.001001\n"));
}

}  // namespace
}  // namespace wattune::store
