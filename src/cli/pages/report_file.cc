#include "cli/pages/report_file.h"

#include "cli/pages/documents.h"
#include "report/interface/tuning_page.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

// Makes the page of all files: results of tuning runs first, then documents.
Result<report::Page> page_of(const std::vector<std::string>& files) {
  std::vector<ResultSet> results;
  std::vector<std::string> of_results;
  std::vector<report::PagePart> others;
  for (const std::string& file : files) {
    WATTUNE_ASSIGN(const auto parts, parts_of_document(file));
    if (parts) {
      others.insert(others.end(), parts->begin(), parts->end());
      continue;
    }
    WATTUNE_ASSIGN(ResultSet loaded, store::load_results(file));
    results.push_back(std::move(loaded));
    of_results.push_back(file);
  }
  report::Page page = results.empty() ? report::Page{.title = others.front().title, .parts = {}}
                                      : report::tuning_page(results, of_results);
  page.parts.insert(page.parts.end(), others.begin(), others.end());
  return page;
}

}  // namespace

Result<void> write_report(const std::vector<std::string>& files, const std::string& output, bool overwrite) {
  WATTUNE_ASSIGN(const report::Page page, page_of(files));
  return store::write_file(output, report::to_html(page), overwrite);
}

}  // namespace wattune::cli
