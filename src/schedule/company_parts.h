// What a CompanySession consists of, and how it is opened, step by step.
#pragma once

#include <memory>

#include "schedule/company_evaluator.h"
#include "wattune/schedule/company.h"

namespace wattune::schedule {

struct CompanySession::Parts {
  CompanyOptions options;
  CompanySpace space;
  DeviceInfo info;
  CompanyPlan plan = {};
  Identity measuring = {};
  std::unique_ptr<backend::Device> device = {};
  std::unique_ptr<CompanyEvaluator> evaluator = {};
  search::StopRule stop = {};
  std::unique_ptr<search::Strategy> strategy = {};
};

// Objectives and metrics of a spec are those of its kernel alone, and left out. mismatch: it has no source for the
// device; invalid_argument: it has several launches.
Result<void> adapt_to_company(CompanyMember& member, const DeviceInfo& device);
// Those of the options, to all but partners. unavailable: the device has no such blocks; invalid_argument: 0, or the
// same number twice, or no strategy that goes over them.
Result<void> add_resident_blocks(std::vector<CompanyMember>& members, const DeviceInfo& device,
                                 const CompanyOptions& options);
Result<DeviceInfo> choose_company_device(const KernelSpec& spec, const tune::SessionOptions& session);
// Device, soloists, clocks, sensors; then the strategy, which needs them.
Result<void> open_company_evaluator(CompanySession::Parts& parts);
Result<void> make_company_strategy(CompanySession::Parts& parts);

}  // namespace wattune::schedule
