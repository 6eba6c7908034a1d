#include "cli/inspect/slice_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/program/json.h"
#include "cli/program/terminal.h"
#include "report/interface/text.h"

namespace wattune::cli {

namespace {

using slice::KernelAnalysis;
using slice::Obstacle;
using slice::Twin;
using slice::TwinForm;

const backend::KernelResources* assembled_kernel(const SliceReport& report, const std::string& name) {
  if (!report.assembled) return nullptr;
  const auto found = report.assembled->find(name);
  return found == report.assembled->end() ? nullptr : &found->second;
}

template <typename T>
std::string number_or_dash(const std::optional<T>& value, std::string_view unit) {
  return value ? fmt::format("{}{}", *value, unit) : "-";
}

// Returns the cells for registers, spilled bytes and shared memory.
std::vector<std::string> resource_cells(const backend::KernelResources* kernel) {
  if (kernel == nullptr) return {"-", "-", "-"};
  return {number_or_dash(kernel->registers, ""), number_or_dash(kernel->spill_bytes, " B"),
          number_or_dash(kernel->static_local_bytes, " B")};
}

std::string obstacle_text(const Obstacle& obstacle) {
  return fmt::format("refused, line {}: `{}`: {}", obstacle.position.line.value_or(0), obstacle.construct,
                     obstacle.reason);
}

std::string kernel_remark(const KernelAnalysis& kernel) {
  if (!kernel.order_sensitive) return "";
  return fmt::format("line {}: {}", kernel.order_sensitive->position.line.value_or(0), kernel.order_sensitive->reason);
}

// Returns the twin's name, followed by the blocks that the twin can run if it cannot run all.
std::string twin_text(const KernelAnalysis& kernel, const Twin& twin) {
  const std::string_view blocks =
      twin.form == TwinForm::persistent ? slice::words_for(kernel.persistent_blocks) : std::string_view();
  return blocks.empty() ? twin.name : fmt::format("{}, where {}", twin.name, blocks);
}

// Lists the requested forms for which this obstacle is the first.
std::string first_stopped_by(const SliceReport& report, const KernelAnalysis& kernel, const Obstacle& obstacle) {
  std::string forms;
  for (const TwinForm form : report.forms)
    if (kernel.obstacle_to(form) == &obstacle) forms += (forms.empty() ? "" : ", ") + std::string(to_string(form));
  return forms;
}

void add_row(report::TextTable& table, const std::string& kernel, std::string_view form,
             const backend::KernelResources* resources, const std::string& remark) {
  std::vector<std::string> cells = {kernel, std::string(form)};
  for (std::string& cell : resource_cells(resources)) cells.push_back(std::move(cell));
  cells.push_back(remark);
  table.add_row(std::move(cells));
}

void add_kernel(report::TextTable& table, const SliceReport& report, const KernelAnalysis& kernel) {
  const std::string name(kernel.name);
  add_row(table, name, "original", assembled_kernel(report, name), kernel_remark(kernel));
  for (const TwinForm form : report.forms)
    if (const Twin* twin = report.module.find(kernel.name, form))
      add_row(table, "", to_string(form), assembled_kernel(report, twin->name), twin_text(kernel, *twin));
  for (const Obstacle& obstacle : kernel.obstacles)
    if (const std::string forms = first_stopped_by(report, kernel, obstacle); !forms.empty())
      add_row(table, "", forms, nullptr, obstacle_text(obstacle));
}

Json resources_json(const backend::KernelResources* kernel) {
  if (kernel == nullptr) return nullptr;
  return {{"registers", json_or_null(kernel->registers)},
          {"spill_bytes", json_or_null(kernel->spill_bytes)},
          {"shared_bytes", json_or_null(kernel->static_local_bytes)}};
}

Json obstacle_json(const Obstacle& obstacle) {
  return {{"construct", obstacle.construct},
          {"reason", obstacle.reason},
          {"line", obstacle.position.line.value_or(0)},
          {"column", obstacle.position.column.value_or(0)}};
}

Json declared_json(const slice::DeclaredResources& declared) {
  return {{"parameter_bytes", declared.parameter_bytes},
          {"shared_bytes", declared.shared_bytes},
          {"dynamic_shared", declared.dynamic_shared},
          {"local_bytes", declared.local_bytes},
          {"max_threads", json_or_null(declared.max_threads)},
          {"min_blocks", json_or_null(declared.min_blocks)},
          {"max_registers", json_or_null(declared.max_registers)}};
}

Json form_json(const SliceReport& report, const KernelAnalysis& kernel, TwinForm form) {
  Json json = {{"form", to_string(form)}};
  if (const Twin* twin = report.module.find(kernel.name, form)) {
    json["twin"] = twin->name;
    json["parameter_index"] = twin->parameter_index;
    json["parameter_offset"] = twin->parameter_offset;
    json["parameter_bytes"] = twin->parameter_bytes;
    if (form == TwinForm::persistent) json["blocks"] = slice::to_string(kernel.persistent_blocks);
    json["assembled"] = resources_json(assembled_kernel(report, twin->name));
    return json;
  }
  json["obstacles"] = Json::array();
  for (const Obstacle& obstacle : kernel.obstacles)
    if (obstacle.forms[static_cast<std::size_t>(form)]) json["obstacles"].push_back(obstacle_json(obstacle));
  return json;
}

Json kernel_json(const SliceReport& report, const KernelAnalysis& kernel) {
  const std::string name(kernel.name);
  Json json = {{"name", name}, {"line", kernel.position.line.value_or(0)}};
  json["special_registers"] = kernel.special_registers;
  json["order_sensitive"] = kernel.order_sensitive ? obstacle_json(*kernel.order_sensitive) : Json(nullptr);
  json["declared"] = declared_json(kernel.resources);
  json["assembled"] = resources_json(assembled_kernel(report, name));
  json["forms"] = Json::array();
  for (const TwinForm form : report.forms) json["forms"].push_back(form_json(report, kernel, form));
  return json;
}

}  // namespace

std::string slice_text(const SliceReport& report) {
  auto table = report::TextTable::of_text({"kernel", "form", "registers", "spilled", "shared", "twin, or why not"});
  for (const KernelAnalysis& kernel : report.kernels) add_kernel(table, report, kernel);
  return fmt::format("{} for {}\n\n{}", report.file, report.architecture, table.to_string(table_width(STDOUT_FILENO)));
}

std::string slice_json(const SliceReport& report) {
  Json json = {{"file", report.file}, {"architecture", report.architecture}, {"kernels", Json::array()}};
  for (const KernelAnalysis& kernel : report.kernels) json["kernels"].push_back(kernel_json(report, kernel));
  return dump(json);
}

}  // namespace wattune::cli
