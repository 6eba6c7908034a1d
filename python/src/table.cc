#include "table.h"

#include "cli/corun/corun_journal.h"
#include "cli/corun/corun_sweep.h"
#include "cli/program/json.h"
#include "store/interface/document.h"
#include "store/interface/files.h"
#include "store/interface/timestamp.h"

namespace wattune::python {

namespace {

nb::tuple table_of_wisdom(const std::filesystem::path& file) {
  const dynamic::WisdomText wisdom = value_or_raise(dynamic::load_wisdom(file));
  nb::list records, notes;
  for (const dynamic::WisdomEntry& entry : wisdom.entries) records.append(record_of(entry));
  for (const Error& problem : wisdom.problems) notes.append(problem.to_string());
  return nb::make_tuple("entries of wisdom", records, notes);
}

nb::tuple table_of_journal(const std::string& text, const std::filesystem::path& file) {
  const cli::SweptPairs swept = value_or_raise(cli::read_sweep_journal(text, file));
  cli::Json pairs = cli::Json::array();
  for (const schedule::SweptPair& pair : swept.pairs) pairs.push_back(cli::pair_json(pair));
  nb::list notes;
  for (const std::string& note : swept.notes) notes.append(note);
  return nb::make_tuple("pairs of kernels", cli::dump(pairs), notes);
}

// Returns the array of records in a document of `corun`, and what they are; nullptr if the document is none.
std::pair<const cli::Json*, const char*> records_in(const cli::Json& document) {
  using store::find_member;
  if (find_member(document, "simulated") == nullptr || find_member(document, "repeats") == nullptr) return {};
  const cli::Json* const pairs = find_member(document, "pairs");
  if (pairs != nullptr && pairs->is_array()) return {pairs, "pairs of kernels"};
  for (const char* const name : {"queue", "tenants"})
    if (const cli::Json* const work = find_member(document, name); work != nullptr)
      if (const cli::Json* const policies = find_member(*work, "policies"); policies != nullptr && policies->is_array())
        return {policies, "policies"};
  return {};
}

}  // namespace

nb::dict record_of(const dynamic::WisdomEntry& entry) {
  nb::dict key;
  for (const dynamic::KeyPart& part : entry.key) key[part.name.c_str()] = to_python(part.value);
  nb::dict record;
  record["kernel"] = entry.kernel.name;
  record["version"] = entry.kernel.version;
  record["device"] = entry.device;
  record["architecture"] = entry.architecture;
  record["key"] = key;
  record["configuration"] = to_python(entry.configuration);
  record["time"] = to_seconds(entry.time);
  record["low"] = to_seconds(entry.low);
  record["high"] = to_seconds(entry.high);
  record["samples"] = entry.samples;
  record["measured"] = std::string(to_string(entry.measured));
  record["tuned"] = entry.tuned;
  record["measured_at"] = store::format_timestamp(entry.measured_at);
  return record;
}

std::optional<nb::tuple> read_table(const std::filesystem::path& file) {
  if (dynamic::is_wisdom_file(file)) return table_of_wisdom(file);
  const std::string text = value_or_raise(store::read_maybe_compressed(file));
  if (cli::is_sweep_journal(text)) return table_of_journal(text, file);
  const cli::Json document = cli::Json::parse(text, nullptr, false);
  const auto [records, kind] = records_in(document);
  if (records == nullptr) return std::nullopt;
  return nb::make_tuple(kind, cli::dump(*records), nb::list());
}

}  // namespace wattune::python
