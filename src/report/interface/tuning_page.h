// The page of tuning runs, before it becomes HTML, so that other parts may be added.
#pragma once

#include <string>
#include <vector>

#include "report/interface/page.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::report {

// Makes the page of write_page() (report.h). Several runs are compared in a part of their own, which comes first.
Page tuning_page(const std::vector<ResultSet>& results, const std::vector<std::string>& files);

}  // namespace wattune::report
