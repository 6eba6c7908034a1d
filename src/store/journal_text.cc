#include "store/journal_text.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "core/interface/printable.h"
#include "store/interface/document.h"
#include "store/interface/sealed_line.h"
#include "store/limits.h"
#include "store/plausible.h"
#include "store/run_json.h"

namespace wattune::inline v0_1::store {

namespace {

// The version of the format. Version 1 did not record the identity of its Trials.
constexpr std::uint64_t kJournalFormat = 2;
constexpr std::string_view kHeaderStart = "{\"wattune_journal\":";
constexpr std::string_view kNextRun = "\n{\"wattune_journal\":";
constexpr const char* kCarried = "carried";
constexpr const char* kCutOff = "cut the file off before this line to go on with the Trials above it";

Error error_at(const std::filesystem::path& file, int line, std::string message) {
  return Error(ErrorCode::parse_error, std::move(message)).at(position_in(file, line));
}

Result<RunInfo> read_header(std::string_view line, int number, JsonLimits& limits, const std::filesystem::path& file) {
  WATTUNE_ASSIGN(const Json json, guard(position_in(file, number), [&] { return parse_line(line, limits); }));
  const Json* version = find_member(json, "wattune_journal");
  if (version == nullptr && !looks_like_journal(line)) return error_at(file, number, "not a Wattune journal");
  if (version != nullptr && version->is_number_unsigned() && version->get<std::uint64_t>() > kJournalFormat)
    return error_at(file, number,
                    fmt::format("the journal has format {}, this Wattune reads up to {}", version->get<std::uint64_t>(),
                                kJournalFormat))
        .hint("use the Wattune that wrote it, or a newer one");
  if (version == nullptr || !is_sealed(line)) return error_at(file, number, "the journal's header is damaged");
  return guard(position_in(file, number), [&] { return run_info_from_json(json); });
}

// A check of ids. Throws if a line contradicts an earlier one.
class IdCheck {
 public:
  IdCheck(const JournalChecks& checks, const RunInfo& run) : checks_(checks), run_(run) {}

  void add(const Trial& trial) {
    const Configuration& configuration = trial.configuration;
    const ConfigurationId id = configuration.id();
    const auto [found, is_new] = id_of_.emplace(configuration.values(), id);
    if (found->second != id) refuse(configuration, "an earlier line has these values under another `id`");
    if (is_new && !ids_.insert(id).second) refuse(configuration, "an earlier line has other values under this `id`");
    if (is_new && checks_.configuration && !checks_.configuration(trial, run_))
      refuse(configuration, "the search space has other values there");
  }

 private:
  [[noreturn]] static void refuse(const Configuration& configuration, const char* reason) {
    throw Malformed(fmt::format("`id` {} contradicts `values`, {}: {}", wattune::to_string(configuration.id()),
                                configuration.to_string(), reason));
  }

  const JournalChecks& checks_;
  const RunInfo& run_;
  std::unordered_map<std::vector<Value>, ConfigurationId, ValueHash> id_of_;
  std::set<ConfigurationId> ids_;
};

// True if the header of a later run announces more Trials than follow it. Then the run before it counts instead.
bool is_half_carried(std::string_view run) {
  LineReader lines(run);
  const std::optional<std::string_view> header = lines.next();
  if (!header || !is_sealed(*header)) return !header;
  const Json json = Json::parse(*header, nullptr, false);
  const Json* carried = find_member(json, kCarried);
  std::uint64_t missing = carried != nullptr && carried->is_number_unsigned() ? carried->get<std::uint64_t>() : 0;
  while (missing > 0 && !lines.done()) missing -= lines.next() ? 1 : 0;
  return missing > 0;
}

// Reads a run that begins after the first `lines_before` lines of the file.
Result<JournalContents> read_run(std::string_view text, int lines_before, const std::filesystem::path& file,
                                 const JournalChecks& checks) {
  LineReader lines(text);
  JournalContents contents;
  JsonLimits limits;
  WATTUNE_ASSIGN(contents.results.info, read_header(lines.next().value_or(text), lines_before + 1, limits, file));
  if (checks.run) WATTUNE_TRY(checks.run(contents.results.info));
  contents.intact_bytes = lines.consumed();
  const TrialDecoder decoder(contents.results.info.parameters);
  IdCheck ids(checks, contents.results.info);
  std::vector<Trial>& trials = contents.results.trials;
  for (int number = lines_before + 2; !lines.done(); ++number) {
    const std::optional<std::string_view> line = lines.next();
    if (!line || !is_sealed(*line)) {
      if (lines.done()) break;
      return error_at(file, number, "this line of the journal is damaged, and it is not the last").hint(kCutOff);
    }
    Result<Trial> trial = guard(position_in(file, number), [&] {
      Trial decoded = decoder.decode(*line, limits);
      ids.add(decoded);
      return decoded;
    });
    if (!trial) return std::move(trial).error().hint(kCutOff);
    trials.push_back(*std::move(trial));
    contents.intact_bytes = lines.consumed();
  }
  keep_counting(trials);
  return contents;
}

}  // namespace

std::string journal_header(const RunInfo& info, std::optional<std::size_t> carried) {
  Json json;
  json["wattune_journal"] = kJournalFormat;
  if (carried) json[kCarried] = *carried;
  add_run_info(json, info);
  return sealed(json);
}

TrialEncoder::TrialEncoder(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    Column column;
    column.name = parameter.name;
    for (const Value& value : parameter.values) column.index_of.emplace(value, column.index_of.size());
    columns_.push_back(std::move(column));
  }
}

Result<void> TrialEncoder::encode(const Trial& trial, std::string& line) const {
  const std::vector<Value>& values = trial.configuration.values();
  if (values.size() != columns_.size())
    return Error(ErrorCode::invalid_argument, "the configuration is of another space than the journal");
  if (trial.observation.ok() &&
      !(trial.observation.statistics && std::isfinite(trial.observation.statistics->median.value())))
    return Error(ErrorCode::invalid_argument, "a correct Trial needs statistics with a finite median");
  if (std::string why = implausible(trial.observation); !why.empty())
    return Error(ErrorCode::invalid_argument, std::move(why));
  line = "{\"id\":\"";
  line += to_string(trial.configuration.id());
  line += "\",\"values\":[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto found = columns_[i].index_of.find(values[i]);
    if (found == columns_[i].index_of.end())
      return Error(ErrorCode::invalid_argument,
                   fmt::format("the space has no such value of {}", in_quotes(columns_[i].name)))
          .about(values[i].to_string());
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}{}"), i == 0 ? "" : ",", found->second);
  }
  line += "],";
  append_measured(line, trial);
  seal(line);
  return {};
}

TrialDecoder::TrialDecoder(const std::vector<Parameter>& parameters)
    : parameters_(parameters), names_(names_of(parameters_)) {}

Trial TrialDecoder::decode(std::string_view line, JsonLimits& limits) const {
  const Json json = parse_line(line, limits);
  if (!json.is_object()) throw Malformed("not a JSON object");
  Configuration configuration(id_from_json(json), names_, values_from(array_member(json, "values")));
  Measured measured = measured_from_json(json);
  return {std::move(configuration), std::move(measured.observation), measured.finished_at, std::move(measured.device)};
}

Result<Trial> TrialDecoder::decode(std::string_view line) const {
  if (!is_sealed(line)) return Error(ErrorCode::parse_error, "the line of a Trial is damaged");
  JsonLimits limits;
  return guard({}, [&] { return decode(line, limits); });
}

std::vector<Value> TrialDecoder::values_from(const Json& indices) const {
  if (indices.size() != parameters_.size()) throw Malformed("`values` must have one index for each parameter");
  std::vector<Value> values;
  values.reserve(indices.size());
  for (const Parameter& parameter : parameters_) {
    const Json& index = indices[values.size()];
    if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= parameter.values.size())
      throw Malformed(fmt::format("`values` has no index of a value of {}", in_quotes(parameter.name)));
    values.push_back(parameter.values[index.get<std::size_t>()]);
  }
  return values;
}

bool continues_a_journal(std::string_view run) {
  const std::optional<std::string_view> header = LineReader(run).next();
  const Json json = Json::parse(header.value_or(run), nullptr, false);
  return find_member(json, kCarried) != nullptr;
}

bool looks_like_journal(std::string_view text) {
  return !text.empty() && (text.starts_with(kHeaderStart) || kHeaderStart.starts_with(text));
}

bool is_unbegun_journal(std::string_view text) {
  return text.empty() || (looks_like_journal(text) && text.find('\n') == std::string_view::npos);
}

std::vector<std::string_view> runs_in(std::string_view text) {
  std::vector<std::string_view> runs;
  for (std::size_t next = text.find(kNextRun); next != std::string_view::npos; next = text.find(kNextRun)) {
    runs.push_back(text.substr(0, next + 1));
    text.remove_prefix(next + 1);
  }
  runs.push_back(text);
  return runs;
}

Result<JournalContents> read_journal_text(std::string_view text, const std::filesystem::path& file,
                                          const JournalChecks& checks) {
  if (is_unbegun_journal(text)) return error_at(file, 1, "the journal has not been begun: its header is incomplete");
  const std::string_view run = runs_in(text).back();
  const std::string_view before = text.substr(0, text.size() - run.size());
  if (!before.empty() && is_half_carried(run)) return read_journal_text(before, file, checks);
  const auto lines_before = static_cast<int>(std::ranges::count(before, '\n'));
  WATTUNE_ASSIGN(JournalContents contents, read_run(run, lines_before, file, checks));
  contents.intact_bytes += before.size();
  return contents;
}

}  // namespace wattune::store
