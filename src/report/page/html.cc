#include "report/page/html.h"

#include <fmt/format.h>

#include "report/interface/text.h"

namespace wattune::inline v0_1::report {

std::string scrolled(std::string_view name) {
  return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">", xml_text(name));
}

std::string html_of_rows(const PageTable& table) {
  std::string html;
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      fmt::format_to(std::back_inserter(html), "<td{}>{}", table.columns[i].is_number ? "" : " class=t",
                     xml_text(row[i]));
    html += '\n';
  }
  return html;
}

std::string html_of(const PageTable& table, std::string_view caption) {
  std::string html = scrolled(caption.empty() ? "table" : caption) + "<table>";
  if (!caption.empty()) html += fmt::format("<caption>{}</caption>", xml_text(caption));
  html += "<thead><tr>";
  for (const PageTable::Column& column : table.columns)
    html += fmt::format("<th scope=col{}>{}</th>", column.is_number ? "" : " class=t", xml_text(column.title));
  return html + "</tr></thead>\n<tbody>\n" + html_of_rows(table) + "</tbody></table></div>\n";
}

}  // namespace wattune::report
