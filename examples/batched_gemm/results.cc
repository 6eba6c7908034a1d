#include "results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "wattune/report/report.h"

namespace batched_gemm {

namespace {

using nlohmann::ordered_json;
using wattune::Nanoseconds;
using wattune::to_ms;

double gigabytes_per_second(const Row& row, Nanoseconds time) {
  return bytes_moved(row.sizes, row.batch) / time.value();
}

double calls_per_time(const Row& row) { return static_cast<double>(row.calls) / row.elapsed.value(); }

// Returns the calls made until `time`, as a share of the calls that the application makes in that time with the optimum
// known.
double share_at(const Row& row, const Row& known, Nanoseconds time) {
  std::uint64_t calls = 0;
  for (const Milestone& each : row.milestones)
    if (each.time <= time) calls = each.calls;
  return static_cast<double>(calls) / (calls_per_time(known) * time.value());
}

ordered_json to_json(const Row& row, const Optimum& optimum, const Shares& shares) {
  return {{"sizes", to_string(row.sizes)},
          {"batch", row.batch},
          {"share_of_optimum", shares.with_overhead},
          {"share_of_optimum_time", shares.of_time},
          {"restricted_share", shares.restricted},
          {"calls", row.calls},
          {"seconds", wattune::to_seconds(row.elapsed)},
          {"longest_call_ms", to_ms(row.longest_call)},
          {"blocked_ms", to_ms(row.blocked)},
          {"explored", row.explored},
          {"fallbacks", row.fallbacks},
          {"first", row.first ? row.first->to_string() : ""},
          {"first_after_ms", to_ms(row.first_after)},
          {"checked", row.checked},
          {"wrong_results", row.wrong_results},
          {"best", row.best ? row.best->to_string() : ""},
          {"optimum", optimum.configuration},
          {"optimum_ms", to_ms(optimum.time)},
          {"optimum_gb_per_s", gigabytes_per_second(row, optimum.time)}};
}

ordered_json to_json(const wattune::dynamic::Report& report) {
  return {{"loading_ms", to_ms(report.stalls.loading)},     {"exploring_ms", to_ms(report.stalls.exploring)},
          {"comparing_ms", to_ms(report.stalls.comparing)}, {"screening_ms", to_ms(report.stalls.screening)},
          {"waiting_ms", to_ms(report.stalls.waiting)},     {"running_ms", to_ms(report.running)},
          {"histogram", report.histogram.counts},           {"loads", report.loads},
          {"loads_in_gaps", report.loads_in_gaps},          {"notes", report.notes}};
}

ordered_json to_json(const Results& results, const ModeResult& result) {
  const Summary summary = summarize(results, result);
  ordered_json json{{"mode", to_string(result.mode)},
                    {"share_of_optimum", summary.share_of_optimum},
                    {"share_of_optimum_time", summary.share_of_optimum_time},
                    {"restricted_share", summary.restricted_share},
                    {"overhead_share", summary.overhead_share},
                    {"longest_stall_ms", to_ms(result.report.longest_stall)},
                    {"longest_call_ms", summary.longest_call_ms},
                    {"explored", summary.explored},
                    {"checked", summary.checked},
                    {"wrong_results", summary.wrong_results},
                    {"stalls", to_json(result.report)},
                    {"sizes", ordered_json::array()}};
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    json["sizes"].push_back(to_json(result.rows[i], results.optima[i], results.shares_of(result, i)));
  return json;
}

}  // namespace

Shares Results::shares_of(const ModeResult& result, std::size_t i) const {
  const Row& row = result.rows[i];
  Shares shares{.with_overhead = calls_per_time(row) / calls_per_time(known.rows[i]),
                .of_time = static_cast<double>(row.calls) * (optima[i].time / row.elapsed)};
  const auto chosen = row.best ? optima[i].times.find(row.best->to_string()) : optima[i].times.end();
  if (chosen != optima[i].times.end()) shares.restricted = optima[i].time / chosen->second;
  return shares;
}

Summary summarize(const Results& results, const ModeResult& result) {
  Summary summary;
  const auto count = static_cast<double>(result.rows.size());
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const Row& row = result.rows[i];
    const Shares shares = results.shares_of(result, i);
    summary.share_of_optimum += shares.with_overhead / count;
    summary.share_of_optimum_time += shares.of_time / count;
    summary.restricted_share += shares.restricted / count;
    if (shares.restricted > 0) summary.overhead_share += (1 - shares.with_overhead / shares.restricted) / count;
    summary.longest_call_ms = std::max(summary.longest_call_ms, to_ms(row.longest_call));
    summary.explored += row.explored;
    summary.checked += row.checked;
    summary.wrong_results += row.wrong_results;
  }
  return summary;
}

std::string to_table(const Results& results, const ModeResult& result) {
  std::string table = fmt::format("{}\n{:>10} {:>12} {:>10} {:>10} {:>10} {:>9} {:>13}\n", to_string(result.mode),
                                  "sizes", "best GB/s", "share", "restricted", "explored", "calls", "longest call");
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const Row& row = result.rows[i];
    const Shares shares = results.shares_of(result, i);
    table += fmt::format("{:>10} {:>12.1f} {:>9.1f}% {:>9.1f}% {:>10} {:>9} {:>10.2f} ms\n", to_string(row.sizes),
                         gigabytes_per_second(row, results.optima[i].time), 100 * shares.with_overhead,
                         100 * shares.restricted, row.explored, row.calls, to_ms(row.longest_call));
  }
  const Summary summary = summarize(results, result);
  table += fmt::format("{:>10} {:>12} {:>9.1f}% {:>9.1f}% {:>10}; longest stall {:.2f} ms, {} wrong of {} results\n",
                       "all", "", 100 * summary.share_of_optimum, 100 * summary.restricted_share, summary.explored,
                       to_ms(result.report.longest_stall), summary.wrong_results, summary.checked);
  return table;
}

std::string to_json(const Machine& machine, const RunOptions& options, const Results& results) {
  ordered_json json{{"device", machine.info().name},
                    {"bytes", machine.bytes()},
                    {"seconds_per_size", options.seconds},
                    {"peak_gb_per_s", options.peak / 1e9},
                    {"seed", options.seed}};
  ordered_json modes = ordered_json::array();
  for (const ModeResult& each : results.modes) modes.push_back(to_json(results, each));
  // The top of the JSON repeats the figures of the mode that was named first.
  for (const char* const key : {"share_of_optimum", "overhead_share", "longest_stall_ms", "explored", "wrong_results"})
    json[key] = modes[0][key];
  json["modes"] = std::move(modes);
  json["known"] = to_json(results, results.known);
  return json.dump(2) + "\n";
}

std::string to_svg(const Results& results, const RunOptions& options) {
  constexpr int kPoints = 100;
  const std::size_t sizes = results.known.rows.size();
  std::vector<wattune::report::PerformanceCurve> curves;
  for (const ModeResult& result : results.modes) {
    auto& curve = curves.emplace_back(wattune::report::PerformanceCurve{to_string(result.mode), {0.0}});
    for (int point = 1; point <= kPoints; ++point) {
      const Nanoseconds time = wattune::nanoseconds_from_seconds(options.seconds) * (1.0 * point / kPoints);
      double sum = 0.0;
      for (std::size_t i = 0; i < sizes; ++i) sum += share_at(result.rows[i], results.known.rows[i], time);
      curve.values.push_back(sum / static_cast<double>(sizes));
    }
  }
  return wattune::report::plot_amortization_svg(
      fmt::format("Batched GEMM, {} sizes, {} s each", sizes, options.seconds), curves);
}

}  // namespace batched_gemm
