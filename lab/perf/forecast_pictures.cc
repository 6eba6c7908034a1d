// Draws the pictures of docs/results/corun.md: forecasts for pairs of kernels against their measured or simulated
// results. Prints the errors of the forecasts on standard output.
//
//   forecast_pictures FOLDER RECORDED        of what `wattune corun` printed on an H200, recorded there
//   forecast_pictures FOLDER simulated GPU   of the chain against detailed runs: C2050 or GTX680
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "lab/perf/corun_judge.h"
#include "lab/perf/recorded_sweep.h"
#include "report/interface/forecast_plot.h"
#include "wattune/schedule/pair_sweep.h"
#include "wattune/store/formats.h"

using namespace wattune;
using namespace wattune::perf;
using report::ForecastPlot;

namespace {

using Json = nlohmann::json;

std::string name_of(const std::string& first, const std::string& second) {
  return fmt::format("{} with {}", first, second);
}

bool keep(const std::string& folder, const std::string& name, const ForecastPlot& plot) {
  for (const ForecastPlot::Series& series : plot.series) {
    const report::ForecastErrors errors = report::errors_of(series.points);
    fmt::print("{}, {}: {} points, mean error {:.4g}, rms {:.4g}, worst {:+.4g} ({})\n", name, series.name,
               errors.points, errors.mean, errors.rms, errors.worst, errors.name_of_worst);
  }
  const auto written = store::write_file(fmt::format("{}/{}.svg", folder, name), plot_forecasts_svg(plot), true);
  if (!written) fmt::print(stderr, "forecast_pictures: {}\n", written.error().to_string());
  return written.has_value();
}

// A run of `wattune queue` with the same kernels: the forecasts for each pair, and each kernel's speed alone with fewer
// blocks.
struct RecordedQueue {
  std::map<std::string, std::vector<double>> rate_at_residency;
  Json pairs;  // the pairs that `paired` knew
};

RecordedQueue read_queue(const std::string& file) {
  std::ifstream text(file);
  const Json queue = Json::parse(text).at("queue");
  RecordedQueue recorded;
  for (const Json& kernel : queue.at("kernels"))
    recorded.rate_at_residency[kernel.at("name")] = kernel.at("rate_at_residency").get<std::vector<double>>();
  for (const Json& policy : queue.at("policies"))
    if (policy.at("policy") == "paired") recorded.pairs = policy.at("pairs");
  return recorded;
}

std::array<double, 2> rates_of(const Json& pair, const char* field) { return pair.at(field); }

// Returns the point of a pair in the plot: its forecast gain and its measured gain, NaN if the ratio was not swept. The
// forecast assumes that the kernel that is left at the end keeps its number of blocks.
ForecastPlot::Point by_pilots(const RecordedPair& swept, const Json& pair, const RecordedQueue& queue) {
  const std::array<unsigned, 2> ratio = pair.at("ratio");
  std::array<double, 2> after = {};
  for (std::size_t i = 0; i < 2; ++i) after[i] = queue.rate_at_residency.at(swept.names[i]).at(ratio[i] - 1);
  const double gain = schedule::expected_gain(swept.alone, rates_of(pair, "forecast_rates"), after);
  const auto row = swept.gain_at.find({ratio[0], ratio[1]});
  const double came = row == swept.gain_at.end() ? std::nan("") : row->second;
  return {fmt::format("{}, {}:{}", name_of(swept.names[0], swept.names[1]), ratio[0], ratio[1]), 100.0 * gain,
          100.0 * came};
}

ForecastPlot pilots_plot(const std::vector<RecordedPair>& sweep, const RecordedQueue& queue) {
  ForecastPlot plot{.title = "Pairs on an H200 at the ratio of their best pilot, measured",
                    .forecast_label = "gain that the pilot's speeds let expect, %",
                    .measured_label = "gain of the sweep, %",
                    .series = {{"by pilots", {}}}};
  for (const RecordedPair& swept : sweep)
    for (const Json& pair : queue.pairs)
      if (pair.at("kernels") == Json(swept.names)) plot.series[0].points.push_back(by_pilots(swept, pair, queue));
  return plot;
}

ForecastPlot counts_plot(const RecordedQueue& queue) {
  ForecastPlot plot{.title = "Pairs on an H200: counted forecasts and pilots, each at its own best ratio",
                    .forecast_label = "S by what the kernels use",
                    .measured_label = "S of the best pilot, measured",
                    .series = {{"others", {}}, {"with spmv or pointer_chasing", {}}}};
  for (const Json& pair : queue.pairs) {
    const std::array<std::string, 2> names = pair.at("kernels");
    const auto counted = rates_of(pair, "counted_rates");
    const auto pilots = rates_of(pair, "forecast_rates");
    const bool lives_in_caches =
        std::ranges::any_of(names, [](const std::string& name) { return name == "spmv" || name == "pointer_chasing"; });
    plot.series[lives_in_caches ? 1 : 0].points.push_back(
        {name_of(names[0], names[1]), counted[0] + counted[1], pilots[0] + pilots[1]});
  }
  return plot;
}

int draw_recorded(const std::string& folder, const std::string& recorded) {
  const RecordedQueue queue = read_queue(recorded + "/queue_of_nine.json");
  const bool kept = keep(folder, "corun-pilots", pilots_plot(read_sweep(recorded + "/sweep.txt"), queue)) &&
                    keep(folder, "corun-counts", counts_plot(queue));
  return kept ? 0 : 1;
}

ForecastPlot::Series alone_series(const simulate::GpuModel& gpu) {
  ForecastPlot::Series series{"one kernel", {}};
  for (const simulate::KerneletKernel& row : simulate::kernelet_kernels()) {
    const model::PairKernel kernel = simulate::pair_kernel(row.kernel, gpu).value();
    series.points.push_back({row.kernel.name, chain_alone(simulate::chain_sm(gpu), kernel),
                             run_detailed(gpu, {row.kernel}, {kernel.blocks_alone}).ipc[0]});
  }
  return series;
}

// Draws figures 7, 8, 9 and 12 of Kernelet. Lines mark an error of 20 % of the peak.
int draw_simulated(const std::string& folder, const std::string& name) {
  const simulate::GpuModel gpu = detailed_gpu(name.c_str());
  const double peak = gpu.schedulers * gpu.issue_rate;
  const PairJudge judge(gpu);
  ForecastPlot ipc{.title = fmt::format("The chain and detailed runs of a {}, simulated", name),
                   .forecast_label = "instructions per cycle by the chain",
                   .measured_label = "in detailed runs",
                   .series = {alone_series(gpu), {"pairs, chain's ratio", {}}, {"pairs, even ratio", {}}},
                   .band = 0.2 * peak};
  ForecastPlot profit{.title = fmt::format("CP by the chain and in detailed runs of a {}, simulated", name),
                      .forecast_label = "share of time saved (CP) by the chain",
                      .measured_label = "in detailed runs",
                      .series = {{"pairs, chain's ratio", {}}, {"pairs, even ratio", {}}}};
  const auto& rows = simulate::kernelet_kernels();
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const std::array judged = {judge.planned(i, j, model::RatioRule::most_profit), judge.even(i, j)};
      for (std::size_t k = 0; k < 2; ++k) {
        const std::string pair = name_of(rows[i].kernel.name, rows[j].kernel.name);
        ipc.series[1 + k].points.push_back({pair, judged[k].predicted_ipc(), judged[k].simulated_ipc});
        profit.series[k].points.push_back({pair, judged[k].plan.profit, judged[k].simulated_profit});
      }
    }
  const bool kept = keep(folder, fmt::format("corun-ipc-{}", name), ipc) &&
                    keep(folder, fmt::format("corun-profit-{}", name), profit);
  return kept ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 3 && words[1] == "simulated") return draw_simulated(words[0], words[2]);
  if (words.size() == 2) return draw_recorded(words[0], words[1]);
  fmt::print(stderr, "usage: forecast_pictures FOLDER RECORDED | FOLDER simulated GPU\n");
  return 2;
}
