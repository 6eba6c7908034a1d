#include <fmt/format.h>

#include "report/interface/page.h"
#include "report/interface/text.h"
#include "report/page/assets.h"
#include "report/page/sha256.h"
#include "wattune/core/version.h"

namespace wattune::inline v0_1::report {

namespace {

std::string style_of(const Page& page) {
  std::set<std::string> styles;
  for (const PagePart& part : page.parts)
    for (const PageSection& section : part.sections) styles.insert(section.styles().begin(), section.styles().end());
  std::string text(kPageStyle);
  for (const std::string& style : styles) text += style;
  return text;
}

// Returns the policy that forbids every request, and all scripts and styles but these two.
std::string policy_of(std::string_view script, std::string_view style) {
  return fmt::format("default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
                     policy_hash(script), policy_hash(style));
}

std::string head_of(const Page& page) {
  const std::string style = style_of(page);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"wattune {}\">\n<title>{}</title>\n<style>{}</style>\n</head>\n",
      policy_of(kPageScript, style), kVersion, xml_text(page.title), style);
}

// A page of several parts, or of a single one, whose sections have the larger headings and the shorter ids.
class PageBody {
 public:
  explicit PageBody(const Page& page) : page_(page), has_parts_(page.parts.size() > 1) {}

  std::string to_string() const {
    std::string html = fmt::format("<body>\n<header><h1>{}</h1>", xml_text(page_.title));
    if (!page_.subtitle.empty()) html += fmt::format("<p>{}</p>", xml_text(page_.subtitle));
    html += "</header>\n<nav aria-label=\"Contents\">" + contents() + "</nav>\n<main>\n";
    for (std::size_t i = 0; i < page_.parts.size(); ++i) html += part(i);
    return html + "</main>\n";
  }

 private:
  std::string prefix(std::size_t number) const { return has_parts_ ? fmt::format("part-{}-", number + 1) : ""; }

  std::string links_of(std::size_t number) const {
    std::string html = "<ul>";
    for (const PageSection& section : page_.parts[number].sections)
      html +=
          fmt::format("<li><a href=\"#{}{}\">{}</a></li>\n", prefix(number), section.id(), xml_text(section.title()));
    return html + "</ul>";
  }

  std::string contents() const {
    if (!has_parts_) return page_.parts.empty() ? "" : links_of(0);
    std::string html = "<ul>";
    for (std::size_t i = 0; i < page_.parts.size(); ++i)
      html += fmt::format("<li><a href=\"#part-{}\">{}</a></li>\n", i + 1, xml_text(page_.parts[i].title));
    return html + "</ul>";
  }

  std::string part(std::size_t number) const {
    const PagePart& its = page_.parts[number];
    std::string html;
    if (has_parts_)
      html += fmt::format("<div class=\"part\" id=\"part-{}\"><h2>{}</h2>\n<div class=\"links\">{}</div>\n", number + 1,
                          xml_text(its.title), links_of(number));
    const char level = has_parts_ ? '3' : '2';
    for (const PageSection& section : its.sections)
      html += fmt::format("<section id=\"{0}{1}\"><h{2}>{3}</h{2}>\n{4}</section>\n", prefix(number), section.id(),
                          level, xml_text(section.title()), section.html());
    return has_parts_ ? html + "</div>\n" : html;
  }

  const Page& page_;
  bool has_parts_;
};

}  // namespace

std::string to_html(const Page& page) {
  return head_of(page) + PageBody(page).to_string() +
         fmt::format(
             "<footer><p>Written by Wattune {}. This file needs no network.</p></footer>\n"
             "<script>{}</script>\n</body>\n</html>\n",
             kVersion, kPageScript);
}

}  // namespace wattune::report
