// Reads any text as a journal. Expects that the result has whole configurations and can be written. A second reading
// repairs the checksums first, so that damage behind them is found too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "checksums.h"
#include "wattune/store/formats.h"
#include "wattune/store/journal.h"

namespace {

void check(bool condition) {
  if (!condition) std::abort();
}

void read(std::string_view text) {
  const auto results = wattune::store::parse_journal(text, "fuzz");
  if (!results) return check(results.error().position().file == "fuzz" && results.error().position().line >= 1);
  const std::string written = wattune::store::write_json(*results);
  check(!written.empty());
  for (const wattune::Trial& trial : results->trials)
    check(trial.configuration.values().size() == results->info.parameters.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text);
  read(wattune::with_checksums(text));
  return 0;
}
