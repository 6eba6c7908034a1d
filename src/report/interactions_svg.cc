#include <algorithm>
#include <map>

#include "report/svg.h"
#include "report/text.h"
#include "wattune/report/report.h"

namespace wattune::report {

namespace {

constexpr const char* kStyle = ".cell{fill:#3b82c4;stroke:#7b8088;stroke-opacity:.25}";
constexpr double kLeft = 180, kTop = 48, kCell = 44, kMargin = 24, kLabels = 150;
constexpr std::size_t kLongestName = 22;

class HeatMap {
 public:
  explicit HeatMap(const ResultSet& results)
      : names_(parameter_importance(results)),
        size_(kCell * static_cast<double>(names_.size())),
        svg_(kLeft + size_ + kMargin + kLabels, kTop + size_ + kLabels, kStyle) {
    for (const Interaction& each : parameter_interactions(results))
      shares_[{each.first, each.second}] = shares_[{each.second, each.first}] = each.share;
    svg_.add("<text class=\"title\" x=\"{}\" y=\"26\">{}</text>\n", kMargin, xml_text(cut(title(results), 80)));
  }

  std::string draw() {
    for (std::size_t row = 0; row < names_.size(); ++row) {
      draw_name(row);
      for (std::size_t column = 0; column < names_.size(); ++column) draw_cell(row, column);
    }
    return svg_.finish();
  }

 private:
  static std::string title(const ResultSet& results) {
    return fmt::format("{}{}{}: share of the variance of log(time), %", results.info.kernel_name,
                       results.info.device.name.empty() ? "" : " on ", results.info.device.name);
  }

  static double place(std::size_t number) { return kCell * (static_cast<double>(number) + 0.5); }

  void draw_name(std::size_t number) {
    const std::string name = xml_text(cut(names_[number].parameter, kLongestName));
    svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, kTop + place(number) + 4, name);
    svg_.add("<text transform=\"translate({} {}) rotate(45)\">{}</text>\n", kLeft + place(number) - 4,
             kTop + size_ + 14, name);
  }

  void draw_cell(std::size_t row, std::size_t column) {
    const double share = row == column ? names_[row].main_effect.value_or(0.0)
                                       : shares_[{names_[row].parameter, names_[column].parameter}];
    const double x = kLeft + place(column);
    const double y = kTop + place(row);
    svg_.add("<rect class=\"cell\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{:.3f}\"/>\n",
             x - kCell / 2, y - kCell / 2, kCell, kCell, std::min(1.0, share));
    svg_.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{:.1f}</text>\n", x, y + 4, 100.0 * share);
  }

  std::vector<Importance> names_;  // the most important first
  double size_;
  Svg svg_;
  std::map<std::pair<std::string, std::string>, double> shares_;
};

}  // namespace

std::string plot_interactions_svg(const ResultSet& results) { return HeatMap(results).draw(); }

}  // namespace wattune::report
