// Reads any text as wisdom. Expects plausible contents that read back as they are written. A second reading repairs the
// checksums first, so that damage behind them is found too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "checksums.h"
#include "wattune/dynamic/wisdom.h"

namespace {

namespace dynamic = wattune::dynamic;

void check(bool condition) {
  if (!condition) std::abort();
}

void read(std::string_view text) {
  const auto wisdom = dynamic::parse_wisdom(text, "fuzz");
  if (!wisdom) return check(wisdom.error().position().file == "fuzz" && wisdom.error().position().line >= 1);
  for (const dynamic::WisdomEntry& entry : wisdom->entries) check(dynamic::check(entry).has_value());
  const std::string written = dynamic::write_wisdom(wisdom->entries);
  const auto again = dynamic::parse_wisdom(written, "fuzz");
  check(again && again->problems.empty() && dynamic::write_wisdom(again->entries) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text);
  read(wattune::with_checksums(text));
  return 0;
}
