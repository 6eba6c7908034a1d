// Page: one HTML file that needs nothing else, made of sections with words, tables, pictures and commands.
//
// The file makes no request: a content policy forbids all of them, and allows no script or style but its own, by their
// hashes. Every text that is added is escaped, and its control characters become spaces. So names and messages may come
// from anywhere. The page is complete without scripts. They sort and filter tables, draw what the reader chooses, and
// copy commands (page/page.js). Returns text, prints nothing. Any thread may call.
//
//   report::PageSection verdict("verdict", "What won");
//   verdict.add_words("The policy paired is the fastest.");
//   store::write_file("queue.html", report::to_html({.title = "Queue", .parts = {{.sections = {verdict}}}}), false);
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wattune::inline v0_1::report {

struct PageTable {
  struct Column {
    std::string title;
    bool is_number = true;  // aligned to the right
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // a text for each column

  // Makes a table whose first `texts` columns hold texts, and all others numbers.
  static PageTable of(std::size_t texts, const std::vector<std::string>& titles);
};

// A name with its value, such as a parameter's.
struct PageChip {
  std::string name;
  std::string value;
  std::string note = {};
};

// A figure that answers a question, with the sentences that explain it.
struct PageCard {
  std::string question;
  std::string figure;
  std::vector<std::string> words;  // empty ones are left out
  std::vector<PageChip> chips = {};
};

class PageSection {
 public:
  // Takes the heading, and a name by which links find the section. The name has only lower-case letters and -, and no
  // other section of the same part of the page has it.
  PageSection(std::string id, std::string title) : id_(std::move(id)), title_(std::move(title)) {}

  const std::string& id() const { return id_; }
  const std::string& title() const { return title_; }
  const std::string& html() const { return html_; }
  // Returns the rules of style that its pictures need.
  const std::set<std::string>& styles() const { return styles_; }

  void add_words(std::string_view text);  // a paragraph
  void add_warning(std::string_view text);
  void add_list(const std::vector<std::string>& items);
  void add_facts(const std::vector<std::pair<std::string, std::string>>& facts);  // those without a text are left out
  void add_cards(const std::vector<PageCard>& cards);
  // Adds a command line to copy, below the reason to run it.
  void add_command(std::string_view reason, std::string_view command);
  void add_table(std::string_view caption, const PageTable& table);
  // Adds a table that is shown on demand.
  void add_table_behind(std::string_view caption, const PageTable& table);
  // Adds an SVG of this module, which `caption` describes, and the table of its figures behind it.
  void add_picture(std::string_view svg, std::string_view caption, const PageTable& behind);
  // Adds HTML as it is.
  void add_html(std::string_view html) { html_ += html; }

 private:
  std::string id_;
  std::string title_;
  std::string html_;
  std::set<std::string> styles_;
};

// The sections about one thing, such as a run.
struct PagePart {
  std::string title = {};
  std::vector<PageSection> sections;
};

struct Page {
  std::string title;
  std::string subtitle = {};
  std::vector<PagePart> parts;  // a single one needs no title
};

std::string to_html(const Page& page);

}  // namespace wattune::report
