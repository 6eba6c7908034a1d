#include "store/interface/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/interface/value_hash.h"
#include "store/interface/files.h"
#include "store/interface/sealed_line.h"
#include "store/journal_text.h"
#include "store/load_results.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Returns the length in bytes of the JSON object with which the text begins. Returns the length of the text if the
// object does not end.
std::size_t end_of_object(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

std::string_view without_blanks_in_front(std::string_view text) {
  while (!text.empty() && (is_blank(text.front()) || text.starts_with(LineReader::kByteOrderMark)))
    text.remove_prefix(is_blank(text.front()) ? 1 : LineReader::kByteOrderMark.size());
  return text;
}

std::vector<std::string_view> documents_in(std::string_view text) {
  std::vector<std::string_view> documents;
  for (std::string_view left = without_blanks_in_front(text); !left.empty();) {
    const std::size_t end = left.starts_with('{') ? end_of_object(left) : left.size();
    documents.push_back(left.substr(0, end));
    left = without_blanks_in_front(left.substr(end));
  }
  return documents;
}

// Returns the journals in the text. A run belongs to the same journal as the run before it if the header of the run
// states how many earlier Trials follow.
std::vector<std::string_view> journals_in(std::string_view text) {
  std::vector<std::string_view> journals;
  std::size_t begin = 0;
  std::size_t end = 0;
  for (const std::string_view run : runs_in(text)) {
    if (end > begin && !continues_a_journal(run)) {
      journals.push_back(text.substr(begin, end - begin));
      begin = end;
    }
    end += run.size();
  }
  journals.push_back(text.substr(begin));
  return journals;
}

bool differ(const std::string& a, const std::string& b) { return !a.empty() && !b.empty() && a != b; }

std::vector<std::string> sorted_names(const RunInfo& info) {
  std::vector<std::string> names;
  for (const Parameter& parameter : info.parameters) names.push_back(parameter.name);
  std::ranges::sort(names);
  return names;
}

// Lists the differences because of which two records cannot be merged.
std::vector<std::string> differences_between(const RunInfo& one, const RunInfo& other) {
  std::vector<std::string> texts;
  const auto note = [&texts](std::string_view what, const std::string& a, const std::string& b) {
    if (differ(a, b)) texts.push_back(fmt::format("{} ({} and {})", what, a, b));
  };
  note("kernel", one.kernel_name, other.kernel_name);
  note("problem size", one.problem_size, other.problem_size);
  note("device", one.device.name, other.device.name);
  note("driver", one.device.driver_version, other.device.driver_version);
  if (sorted_names(one) != sorted_names(other)) texts.emplace_back("the parameters");
  const bool both_tell = !one.identity.empty() && !other.identity.empty();
  for (const IdentityDifference& each : wattune::differences(identity_of(one), identity_of(other))) {
    const bool is_told = each.part == "device" || each.part == "driver" || each.part.starts_with("tuning parameter ");
    if (is_told || (each.part != "objectives" && !both_tell)) continue;
    texts.push_back(differ(each.found, each.wanted) ? fmt::format("{} ({} and {})", each.part, each.found, each.wanted)
                                                    : each.part);
  }
  return texts;
}

// Returns the positions of the parameters `parameters` in the list `among` of another record's parameters.
std::vector<std::size_t> places_of(const std::vector<Parameter>& parameters, const std::vector<Parameter>& among) {
  std::vector<std::size_t> places;
  for (const Parameter& parameter : parameters)
    places.push_back(
        static_cast<std::size_t>(std::ranges::find(among, parameter.name, &Parameter::name) - among.begin()));
  return places;
}

void add_values(std::vector<Parameter>& parameters, const std::vector<Parameter>& more,
                const std::vector<std::size_t>& places) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (const Value& value : more[places[i]].values)
      if (std::ranges::count(parameters[i].values, value) == 0) parameters[i].values.push_back(value);
}

std::vector<Value> reordered(const std::vector<Value>& values, const std::vector<std::size_t>& places) {
  std::vector<Value> ordered;
  for (const std::size_t place : places) ordered.push_back(values[place]);
  return ordered;
}

// A merging of records. All records are merged into the first one.
class Merging {
 public:
  explicit Merging(NamedRecord first)
      : merged_{.results = std::move(first.results), .sources = {std::move(first.name)}, .apart = {}} {
    std::vector<Trial> trials = std::move(merged_.results.trials);
    merged_.results.trials.clear();
    merged_.results.info.space_hash.clear();  // merged Trials get new ids
    for (const Parameter& parameter : info().parameters) names_.push_back(parameter.name);
    for (Trial& trial : trials) add(std::move(trial));
  }

  const RunInfo& info() const { return merged_.results.info; }
  void set_apart(std::vector<std::string> differences) { merged_.apart = std::move(differences); }

  void add(NamedRecord record) {
    merged_.sources.push_back(std::move(record.name));
    RunInfo& own = merged_.results.info;
    const RunInfo& theirs = record.results.info;
    const std::vector<std::size_t> places = places_of(own.parameters, theirs.parameters);
    const bool same_default = !own.default_values.empty() && theirs.default_values.size() == places.size() &&
                              reordered(theirs.default_values, places) == own.default_values;
    add_values(own.parameters, theirs.parameters, places);
    for (Trial& trial : record.results.trials) {
      trial.configuration = Configuration({}, shared_names(), reordered(trial.configuration.values(), places));
      if (!same_default) trial.observation.over_default.reset();
      add(std::move(trial));
    }
  }

  MergedRecord take() {
    keep_counting(merged_.results.trials);
    return std::move(merged_);
  }

 private:
  // Adds a Trial. Trials with the same values get the same id.
  void add(Trial trial) {
    const auto [found, is_new] = ids_.emplace(trial.configuration.values(), ids_.size());
    trial.configuration = Configuration(ConfigurationId(found->second), shared_names(), trial.configuration.values());
    merged_.results.trials.push_back(std::move(trial));
  }
  Configuration::Names shared_names() {
    if (!shared_) shared_ = std::make_shared<const std::vector<std::string>>(names_);
    return shared_;
  }

  MergedRecord merged_;
  std::vector<std::string> names_;
  Configuration::Names shared_;
  std::unordered_map<std::vector<Value>, std::uint64_t, ValueHash> ids_;
};

Result<std::vector<NamedRecord>> runs_of_database(const std::filesystem::path& file) {
  WATTUNE_ASSIGN(std::vector<StoredRun> runs, load_database(file));
  std::vector<NamedRecord> records;
  for (StoredRun& run : runs)
    records.push_back({fmt::format("{}#{}", file.string(), run.number), std::move(run.results)});
  return records;
}

}  // namespace

std::vector<std::string_view> concatenated_parts(std::string_view text) {
  const std::string_view begun = without_blanks_in_front(text);
  if (looks_like_journal(begun)) return journals_in(begun);
  if (begun.starts_with('{')) return documents_in(begun);
  return {text};
}

Result<std::vector<NamedRecord>> load_all_records(const std::filesystem::path& file) {
  if (is_database(file)) return runs_of_database(file);
  WATTUNE_ASSIGN(const std::string text, read_maybe_compressed(file));
  const std::vector<std::string_view> parts = concatenated_parts(text);
  std::vector<NamedRecord> records;
  for (const std::string_view part : parts) {
    const std::string name =
        parts.size() == 1 ? file.string() : fmt::format("{}, part {}", file.string(), records.size() + 1);
    WATTUNE_ASSIGN(ResultSet results, parse_results(part, parts.size() == 1 ? file : std::filesystem::path(name)));
    records.push_back({name, std::move(results)});
  }
  return records;
}

std::vector<MergedRecord> merge(std::vector<NamedRecord> records) {
  std::vector<Merging> groups;
  for (NamedRecord& record : records) {
    const auto found = std::ranges::find_if(groups, [&record](const Merging& group) {
      return differences_between(group.info(), record.results.info).empty();
    });
    if (found != groups.end()) {
      found->add(std::move(record));
      continue;
    }
    groups.emplace_back(std::move(record));
    if (groups.size() > 1) groups.back().set_apart(differences_between(groups.front().info(), groups.back().info()));
  }
  std::vector<MergedRecord> merged;
  for (Merging& group : groups) merged.push_back(group.take());
  return merged;
}

}  // namespace wattune::store
