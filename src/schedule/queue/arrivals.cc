#include "schedule/interface/arrivals.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "core/interface/suggest.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::schedule {

namespace {

constexpr std::string_view kColumns = "moment_ms,kernel,priority";

Nanoseconds mean_alone(const Machine& machine) {
  const auto kernels = kernels_of(machine);
  Nanoseconds all;
  for (const KernelTraits* kernel : kernels) all += kernel->alone.value_or(Nanoseconds());
  return all / static_cast<double>(kernels.size());
}

std::vector<Arrival> draw_arrivals(const Machine& machine, const ArrivalOptions& options,
                                   const std::function<Nanoseconds(Random&)>& gap) {
  const std::size_t kernels = kernels_of(machine).size();
  Random random(options.seed);
  std::vector<Arrival> arrivals;
  Nanoseconds moment;
  for (std::size_t i = 0; i < options.works; ++i) {
    moment += gap(random);
    arrivals.push_back({moment, random.below(kernels)});
  }
  return arrivals;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Returns the text up to the separator. Removes both from `rest`.
std::string_view take_field(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view field = without_spaces(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return field;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<KernelId> find_kernel(std::string_view name, const Machine& machine) {
  std::vector<std::string> names;
  for (const KernelTraits* kernel : kernels_of(machine)) {
    if (kernel->name == name) return names.size();
    names.push_back(kernel->name);
  }
  return Error(ErrorCode::not_found, "no kernel of this name runs here")
      .about(std::string(name))
      .hint(suggest(name, names));
}

Result<Arrival> parse_arrival(std::string_view line, Nanoseconds earliest, const Machine& machine) {
  std::string_view rest = line;
  const auto moment = number_of<double>(take_field(rest, ','));
  const std::string_view name = take_field(rest, ',');
  const auto priority = rest.empty() ? std::optional(0) : number_of<int>(take_field(rest, ','));
  if (!moment || !std::isfinite(*moment) || *moment < 0.0 || name.empty() || !priority || !rest.empty())
    return Error(ErrorCode::parse_error, "expected " + std::string(kColumns)).about(std::string(line));
  WATTUNE_ASSIGN(const KernelId kernel, find_kernel(name, machine));
  const Arrival arrival{nanoseconds_from_ms(*moment), kernel, *priority};
  if (arrival.moment < earliest)
    return Error(ErrorCode::parse_error, "the work arrives before that of the line above").about(std::string(line));
  return arrival;
}

}  // namespace

std::vector<const KernelTraits*> kernels_of(const Machine& machine) {
  std::vector<const KernelTraits*> kernels;
  while (const KernelTraits* kernel = machine.kernel(kernels.size())) kernels.push_back(kernel);
  return kernels;
}

std::vector<Arrival> backlog(const Machine& machine, const ArrivalOptions& options) {
  return draw_arrivals(machine, options, [](Random&) { return Nanoseconds(0); });
}

std::vector<Arrival> poisson_arrivals(const Machine& machine, const ArrivalOptions& options) {
  const Nanoseconds mean = mean_alone(machine) / options.load;
  return draw_arrivals(machine, options, [mean](Random& random) { return -std::log1p(-random.uniform()) * mean; });
}

Result<std::vector<Arrival>> parse_arrivals(std::string_view text, const std::string& file, const Machine& machine) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<Arrival> arrivals;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = take_field(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (arrivals.empty() && kColumns.starts_with(line))) continue;
    const Nanoseconds earliest = arrivals.empty() ? Nanoseconds() : arrivals.back().moment;
    auto arrival = parse_arrival(line, earliest, machine);
    if (!arrival) return std::move(arrival).error().at({.file = file, .line = number});
    arrivals.push_back(*arrival);
  }
  if (arrivals.empty())
    return Error(ErrorCode::parse_error, "the table has no arrivals").at({.file = file}).hint(std::string(kColumns));
  return arrivals;
}

}  // namespace wattune::schedule
