#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "report/axis.h"
#include "report/interface/text.h"
#include "report/interface/trials.h"
#include "report/svg.h"
#include "report/time_text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

class ConvergencePicture {
 public:
  ConvergencePicture(const ResultSet& results, const std::vector<const Trial*>& ranked_trials)
      : results_(results),
        best_(*ranked_trials.front()),
        default_(default_trial(results)),
        unit_(unit_for(time_of(best_))),
        evaluations_(Axis::linear(1, static_cast<double>(results.trials.size()))),
        times_(axis_of_times()) {
    if (default_ != nullptr && !has_time(*default_)) default_ = nullptr;
  }

  std::string draw() {
    draw_titles();
    draw_axes();
    draw_trials();
    draw_best();
    draw_default();
    if (has_final()) draw_final();
    return svg_.finish();
  }

  static std::string empty() {
    Svg svg(kChartWidth, kHeight, kStyle);
    svg.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">no evaluation gave a correct result</text>\n",
            kChartWidth / 2, kHeight / 2);
    return svg.finish();
  }

 private:
  // Returns the time that the search measured, in the unit of the axis.
  double in_unit(const Trial& trial) const { return unit_.of(trial.observation.search_figures().time); }

  bool has_final() const { return best_.observation.in_search.has_value(); }
  double in_final() const { return unit_.of(time_of(best_)); }

  Axis axis_of_times() const {
    double low = in_final();
    double high = low;
    for (const Trial& trial : results_.trials) {
      if (!has_time(trial)) continue;
      low = std::min(low, in_unit(trial));
      high = std::max(high, in_unit(trial));
    }
    return Axis::of_times(low, high);
  }

  double x_of(std::size_t evaluation) const {
    const double position = results_.trials.size() == 1 ? 0.5 : evaluations_.position(static_cast<double>(evaluation));
    return kLeft + position * (kChartRight - kLeft);
  }
  double y_of(double value) const { return kPlotBottom - times_.position(value) * (kPlotBottom - kTop); }

  void draw_titles() {
    svg_.add_title(kLeft, kChartRight, name_of(results_.info));
    svg_.add("<text x=\"{}\" y=\"48\">{}<tspan fill=\"#d9730d\">━ {}, at last {}</tspan>", kLeft,
             has_final() ? "search: " : "", searched_for(results_) ? "time of the best so far" : "best so far",
             time_text(nanoseconds_from_ms(convergence(results_).back())));
    svg_.add("<tspan dx=\"14\" fill=\"#3b82c4\">● one evaluation</tspan>");
    if (std::any_of(results_.trials.begin(), results_.trials.end(), [](const Trial& t) { return !has_time(t); }))
      svg_.add("<tspan dx=\"14\" fill=\"#c43b4f\">| failed</tspan>");
    if (default_ != nullptr)
      svg_.add("<tspan dx=\"14\">┅ default, {}</tspan>", time_text(default_->observation.search_figures().time));
    svg_.add("</text>\n");
    if (has_final()) draw_title_of_final();
  }

  void draw_title_of_final() {
    svg_.add("<text x=\"{}\" y=\"64\">final: <tspan fill=\"#d9730d\">◇ best, {}</tspan>", kLeft,
             time_text(time_of(best_)));
    if (default_ != nullptr && default_->observation.in_search)
      svg_.add("<tspan dx=\"14\">default, {}</tspan>", time_text(time_of(*default_)));
    svg_.add("</text>\n");
  }

  void draw_axes() {
    for (const double tick : times_.ticks(7)) {
      svg_.add("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kLeft, kChartRight,
               y_of(tick), y_of(tick));
      svg_.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y_of(tick) + 4,
               tick_text(tick));
    }
    for (const double tick : evaluation_ticks()) {
      const double x = x_of(static_cast<std::size_t>(tick));
      svg_.add("<line class=\"frame\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>\n", x, x, kBottom, kBottom + 5);
      svg_.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, kBottom + 19, tick_text(tick));
    }
    svg_.add("<path class=\"frame\" fill=\"none\" d=\"M{} {}V{}H{}\"/>\n", kLeft, kTop, kBottom, kChartRight);
    svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">evaluations</text>\n", (kLeft + kChartRight) / 2,
             kHeight - 12);
    svg_.add("<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">time ({})</text>\n",
             (kTop + kBottom) / 2, unit_.name);
  }

  // Returns whole numbers as ticks, with 1 in place of 0, since evaluations count from 1.
  std::vector<double> evaluation_ticks() const {
    std::vector<double> ticks = {1};
    for (const double tick : evaluations_.ticks(8))
      if (tick > 1 && tick <= static_cast<double>(results_.trials.size()) && tick == std::floor(tick))
        ticks.push_back(tick);
    return ticks;
  }

  // Draws one path for all dots and one for all failures. A dot on top of another dot is left out, which bounds the
  // file's size.
  void draw_trials() {
    std::string dots;
    std::string failures;
    std::set<std::pair<long, long>> drawn;
    for (std::size_t i = 0; i < results_.trials.size(); ++i) {
      const Trial& trial = results_.trials[i];
      const double x = x_of(i + 1);
      const double y = has_time(trial) ? y_of(in_unit(trial)) : kFailedY;
      if (!drawn.emplace(std::lround(x), std::lround(y)).second) continue;
      if (has_time(trial))
        fmt::format_to(std::back_inserter(dots), "M{:.1f} {:.1f}h0", x, y);
      else
        fmt::format_to(std::back_inserter(failures), "M{:.1f} {:.1f}v8", x, y - 4);
    }
    svg_.add("<path class=\"dots\" d=\"{}\"/>\n", dots);
    if (!failures.empty()) svg_.add("<path class=\"failed\" d=\"{}\"/>\n", failures);
  }

  void draw_best() {
    const std::vector<double> best = convergence(results_);
    std::string path;
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (std::isnan(best[i]) || (i > 0 && best[i] == best[i - 1])) continue;
      path += fmt::format("{}{:.1f}{}{:.1f}", path.empty() ? "M" : "H", x_of(i + 1), path.empty() ? " " : "V",
                          y_of(unit_.of(nanoseconds_from_ms(best[i]))));
    }
    svg_.add("<path class=\"best\" d=\"{}H{}\"/>\n", path, kChartRight);
  }

  void draw_default() {
    if (default_ == nullptr) return;
    const double y = y_of(in_unit(*default_));
    svg_.add("<line class=\"default\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kLeft, kChartRight, y, y);
  }

  // Draws a diamond for the final, at the end of the search.
  void draw_final() {
    svg_.add("<path class=\"final\" d=\"M{:.1f} {:.1f}l6 6l-6 6l-6 -6z\"/>\n", kChartRight, y_of(in_final()) - 6);
  }

  static constexpr const char* kStyle =
      ".dots{stroke:#3b82c4;stroke-opacity:.55;stroke-width:4;stroke-linecap:round}"
      ".best{stroke:#d9730d;stroke-width:2;fill:none}"
      ".failed{stroke:#c43b4f;stroke-opacity:.7}"
      ".default{stroke:#7b8088;stroke-width:1.5;stroke-dasharray:6 4}"
      ".final{stroke:#d9730d;stroke-width:2;fill:none}";
  static constexpr double kHeight = 440, kLeft = 76, kTop = 72, kBottom = 388;
  static constexpr double kFailedY = kBottom - 6;  // height at which failures are marked
  static constexpr double kPlotBottom = kBottom - 16;

  const ResultSet& results_;
  const Trial& best_;
  const Trial* default_;
  TimeUnit unit_;
  Axis evaluations_;
  Axis times_;
  Svg svg_{kChartWidth, kHeight, kStyle};
};

}  // namespace

std::string plot_convergence_svg(const ResultSet& results) {
  const std::vector<const Trial*> trials = ranked(results);
  return trials.empty() ? ConvergencePicture::empty() : ConvergencePicture(results, trials).draw();
}

}  // namespace wattune::report
