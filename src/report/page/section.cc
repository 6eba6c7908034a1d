#include <fmt/format.h>

#include <algorithm>

#include "report/interface/page.h"
#include "report/interface/text.h"
#include "report/page/html.h"
#include "report/page/picture.h"

namespace wattune::inline v0_1::report {

namespace {

// Escapes prose, and keeps a number and its percent sign in one line.
std::string prose(std::string_view words) {
  constexpr std::string_view kFrom = " %", kTo = "\u00a0%";
  std::string text = xml_text(words);
  for (std::size_t at = text.find(kFrom); at != std::string::npos; at = text.find(kFrom, at + kTo.size()))
    text.replace(at, kFrom.size(), kTo);
  return text;
}

// Leaves out the columns that have no text in any row.
PageTable without_empty_columns(const PageTable& table) {
  PageTable kept;
  kept.rows.resize(table.rows.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto is_empty = [i](const std::vector<std::string>& row) { return row[i].empty(); };
    if (!table.rows.empty() && std::ranges::all_of(table.rows, is_empty)) continue;
    kept.columns.push_back(table.columns[i]);
    for (std::size_t r = 0; r < table.rows.size(); ++r) kept.rows[r].push_back(table.rows[r][i]);
  }
  return kept;
}

std::string behind(std::string_view summary, const PageTable& table) {
  return fmt::format("<details><summary>{}</summary>{}</details>\n", xml_text(summary),
                     html_of(without_empty_columns(table), summary));
}

// Keeps each word of a command in one line if it fits there, so that no line ends within an option.
std::string words_of_command(std::string_view command) {
  std::string html;
  for (std::size_t begin = 0; begin < command.size();) {
    const std::size_t end = std::min(command.find(' ', begin), command.size());
    html += fmt::format("<span>{}</span>", xml_text(command.substr(begin, end - begin)));
    if (end < command.size()) html += ' ';
    begin = end + 1;
  }
  return html;
}

std::string html_of(const PageCard& card) {
  std::string html = fmt::format("<div class=\"card\"><p class=\"question\">{}</p><p class=\"figure\">{}</p>\n",
                                 xml_text(card.question), xml_text(card.figure));
  if (!card.chips.empty()) {
    html += "<ul class=\"chips\">";
    for (const PageChip& chip : card.chips)
      html += fmt::format("<li>{} <b>{}</b> <span>{}</span></li>\n", xml_text(chip.name), xml_text(chip.value),
                          xml_text(chip.note));
    html += "</ul>";
  }
  for (const std::string& words : card.words)
    if (!words.empty()) html += fmt::format("<p>{}</p>\n", prose(words));
  return html + "</div>\n";
}

}  // namespace

PageTable PageTable::of(std::size_t texts, const std::vector<std::string>& titles) {
  PageTable table;
  for (const std::string& title : titles)
    table.columns.push_back({.title = title, .is_number = table.columns.size() >= texts});
  return table;
}

void PageSection::add_words(std::string_view text) {
  if (!text.empty()) html_ += fmt::format("<p>{}</p>\n", prose(text));
}

void PageSection::add_warning(std::string_view text) {
  if (!text.empty()) html_ += fmt::format("<p class=\"warning\">{}</p>\n", prose(text));
}

void PageSection::add_list(const std::vector<std::string>& items) {
  if (items.empty()) return;
  html_ += "<ul>";
  for (const std::string& item : items) html_ += fmt::format("<li>{}</li>\n", prose(item));
  html_ += "</ul>\n";
}

void PageSection::add_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  html_ += "<dl>";
  for (const auto& [name, text] : facts)
    if (!text.empty()) html_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", xml_text(name), xml_text(text));
  html_ += "</dl>\n";
}

void PageSection::add_cards(const std::vector<PageCard>& cards) {
  html_ += "<div class=\"cards\">\n";
  for (const PageCard& card : cards) html_ += html_of(card);
  html_ += "</div>\n";
}

void PageSection::add_command(std::string_view reason, std::string_view command) {
  html_ += fmt::format("<div class=\"command\"><p>{}</p><pre tabindex=\"0\"><code>{}</code></pre></div>\n",
                       xml_text(reason), words_of_command(command));
}

void PageSection::add_table(std::string_view caption, const PageTable& table) {
  html_ += report::html_of(without_empty_columns(table), caption);
}

void PageSection::add_table_behind(std::string_view caption, const PageTable& table) {
  html_ += behind(caption, table);
}

void PageSection::add_picture(std::string_view svg, std::string_view caption, const PageTable& table) {
  PagePicture picture = picture_for_page(svg, caption);
  styles_.insert(std::move(picture.style));
  html_ += fmt::format("<figure>{}{}</div><figcaption>{}</figcaption></figure>\n",
                       scrolled(fmt::format("picture: {}", caption)), picture.svg, xml_text(caption));
  html_ += behind("The figures of this picture as a table", table);
}

}  // namespace wattune::report
