// Reads any text as T4 results. Expects that they can be written and read again, with as many Trials of the same
// status.
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
  const auto results = wattune::store::parse_t4(text, "fuzz");
  if (!results) {
    check(results.error().position().file == "fuzz" && !results.error().message().empty());
    return 0;
  }
  const auto again = wattune::store::parse_t4(wattune::store::write_t4(*results), "again");
  check(again.has_value() && again->trials.size() == results->trials.size());
  for (std::size_t i = 0; i < results->trials.size(); ++i)
    check(again->trials[i].observation.status == results->trials[i].observation.status);
  return 0;
}
