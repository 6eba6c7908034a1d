// Reads any text as a cache of Kernel Tuner. Expects that the result can be written and read again, with as many Trials
// of the same status.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wattune/store/formats.h"

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto results = wattune::store::parse_kernel_tuner_cache(text, "fuzz");
  if (!results) {
    check(results.error().position().file == "fuzz" && !results.error().message().empty());
    return 0;
  }
  const auto written = wattune::store::write_kernel_tuner_cache(*results);
  if (!written) return 0;  // a parameter's name is also another name of the file
  const auto again = wattune::store::parse_kernel_tuner_cache(*written, "again");
  check(again.has_value() && again->trials.size() == results->trials.size());
  for (std::size_t i = 0; i < results->trials.size(); ++i)
    check(again->trials[i].observation.status == results->trials[i].observation.status);
  return 0;
}
