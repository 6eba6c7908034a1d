// The parts of a CompanySession, and the steps of opening it.
#pragma once

#include <memory>

#include "company/company_evaluator.h"
#include "company/interface/company.h"

namespace wattune::inline v0_1::company {

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

// Prepares a member. Objectives and metrics of its spec are those of its kernel alone, and are removed. Fails with
// mismatch if the spec has no source for the device, and with invalid_argument if it has several launches.
Result<void> adapt_to_company(CompanyMember& member, const DeviceInfo& device);
// Gives the resident blocks of the options to all members except partners. Fails with unavailable if the device has no
// resident blocks. Fails with invalid_argument if a number is 0 or occurs twice, or if the strategy never changes
// resident blocks.
Result<void> add_resident_blocks(std::vector<CompanyMember>& members, const DeviceInfo& device,
                                 const CompanyOptions& options);
// Returns the one device on which the company runs. Fails if several are chosen.
Result<DeviceInfo> choose_company_device(const KernelSpec& spec, const tune::SessionOptions& session);
// Opens device, soloists, clocks and sensors. The strategy needs them, so make_company_strategy() makes it afterwards.
Result<void> open_company_evaluator(CompanySession::Parts& parts);
Result<void> make_company_strategy(CompanySession::Parts& parts);

}  // namespace wattune::company
