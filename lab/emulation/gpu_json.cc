#include "lab/emulation/gpu_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/interface/suggest.h"
#include "wattune/model/co_residency.h"

namespace wattune::emulation {

namespace {

using simulate::GpuModel;
using simulate::kPipes;
using simulate::Pipe;
using Json = nlohmann::json;

constexpr double kMostOfAny = 1e9;

Error model_refused(ErrorCode code, std::string message, std::string what) {
  return Error(code, std::move(message)).about(std::move(what)).with_context("GPU model");
}

struct GpuMember {
  std::string name;
  bool whole;  // true for a number without a fraction
  double least;
  double most;
  void (*set)(GpuModel&, double);
};

const std::vector<GpuMember>& gpu_members() {
  static const std::vector<GpuMember> members = {
      {"sms", true, 1, 4096, [](GpuModel& gpu, double value) { gpu.sms = static_cast<unsigned>(value); }},
      {"clock_mhz", false, 1, 1e5, [](GpuModel& gpu, double value) { gpu.clock = Megahertz(value); }},
      {"schedulers", true, 1, 64, [](GpuModel& gpu, double value) { gpu.schedulers = static_cast<unsigned>(value); }},
      {"issue_rate", false, 1e-3, 64, [](GpuModel& gpu, double value) { gpu.issue_rate = value; }},
      {"arithmetic_latency", false, 1, 1e4, [](GpuModel& gpu, double value) { gpu.arithmetic_latency = value; }},
      {"l1_bytes_per_cycle", false, 1, kMostOfAny, [](GpuModel& gpu, double value) { gpu.l1_bytes_per_cycle = value; }},
      {"l2_gigabytes_per_second", false, 1e-3, kMostOfAny,
       [](GpuModel& gpu, double value) { gpu.l2_gigabytes_per_second = value; }},
      {"dram_gigabytes_per_second", false, 1e-3, kMostOfAny,
       [](GpuModel& gpu, double value) { gpu.dram_gigabytes_per_second = value; }},
      {"l2_latency", false, 1, 1e6, [](GpuModel& gpu, double value) { gpu.l2_latency = value; }},
      {"dram_latency", false, 1, 1e6, [](GpuModel& gpu, double value) { gpu.dram_latency = value; }},
      {"latency_per_request", false, 0, 1e3, [](GpuModel& gpu, double value) { gpu.latency_per_request = value; }},
      {"dram_mixing_loss", false, 0, 0.45, [](GpuModel& gpu, double value) { gpu.dram_mixing_loss = value; }},
      {"hardware_queues", true, 1, 1024,
       [](GpuModel& gpu, double value) { gpu.hardware_queues = static_cast<unsigned>(value); }},
      {"resident_grids", true, 1, 1024,
       [](GpuModel& gpu, double value) { gpu.resident_grids = static_cast<unsigned>(value); }},
      {"launch_gap_ns", false, 0, kMostOfAny, [](GpuModel& gpu, double value) { gpu.launch_gap = Nanoseconds(value); }},
      {"grid_interval_ns", false, 0, kMostOfAny,
       [](GpuModel& gpu, double value) { gpu.grid_interval = Nanoseconds(value); }},
      {"block_interval_ns", false, 0, kMostOfAny,
       [](GpuModel& gpu, double value) { gpu.block_interval = Nanoseconds(value); }},
      {"variation_of_blocks", false, 0, 10, [](GpuModel& gpu, double value) { gpu.variation_of_blocks = value; }}};
  return members;
}

std::vector<std::string> member_names() {
  std::vector<std::string> names = {"like", "name", "board", "compute_capability", "pipe_rates"};
  for (const GpuMember& member : gpu_members()) names.push_back(member.name);
  return names;
}

Result<double> number_in(const std::string& name, const Json& value, double least, double most) {
  if (value.is_number() && value.get<double>() >= least && value.get<double>() <= most) return value.get<double>();
  return model_refused(ErrorCode::invalid_argument, fmt::format("{} is a number from {} to {}", name, least, most),
                       value.dump());
}

Result<std::string> text_in(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return model_refused(ErrorCode::invalid_argument, name + " is a text", value.dump());
}

Result<void> set_pipes(GpuModel& gpu, const Json& pipes) {
  if (!pipes.is_object()) return model_refused(ErrorCode::invalid_argument, "pipe_rates is an object", pipes.dump());
  for (const auto& [name, value] : pipes.items()) {
    std::size_t pipe = 0;
    while (pipe < kPipes && to_string(static_cast<Pipe>(pipe)) != name) ++pipe;
    if (pipe == kPipes)
      return model_refused(ErrorCode::not_found, "no such pipe", name)
          .hint("there are fp32, integer, special, fp64, tensor and memory");
    const double least = static_cast<Pipe>(pipe) == Pipe::memory ? 1e-3 : 0.0;
    WATTUNE_ASSIGN(gpu.pipe_rates[pipe], number_in(name, value, least, 1024));
  }
  return {};
}

Result<void> set_capability(GpuModel& gpu, const Json& value) {
  WATTUNE_ASSIGN(const std::string text, text_in("compute_capability", value));
  WATTUNE_ASSIGN(gpu.capability, model::compute_capability(text));
  WATTUNE_TRY(model::SmRoom::of(gpu.capability));
  return {};
}

Result<void> set_member(GpuModel& gpu, const std::string& name, const Json& value) {
  if (name == "like") return {};
  if (name == "pipe_rates") return set_pipes(gpu, value);
  if (name == "compute_capability") return set_capability(gpu, value);
  if (name == "name" || name == "board") {
    WATTUNE_ASSIGN((name == "name" ? gpu.name : gpu.board), text_in(name, value));
    return {};
  }
  const auto member = std::ranges::find(gpu_members(), name, &GpuMember::name);
  if (member == gpu_members().end())
    return model_refused(ErrorCode::not_found, "a GPU model has no such member", name)
        .hint(suggest(name, member_names()));
  WATTUNE_ASSIGN(const double number, number_in(name, value, member->least, member->most));
  if (member->whole && number != std::floor(number))
    return model_refused(ErrorCode::invalid_argument, name + " is a whole number", value.dump());
  member->set(gpu, number);
  return {};
}

Result<GpuModel> base_of(const Json& custom) {
  if (!custom.contains("like"))
    return model_refused(ErrorCode::invalid_argument, "a custom model starts from another", "{...}")
        .hint("name it, \"like\": \"H100\"");
  WATTUNE_ASSIGN(const std::string name, text_in("like", custom["like"]));
  if (const GpuModel* const found = simulate::find_gpu_model(name)) return *found;
  std::string known;
  for (const GpuModel& each : simulate::gpu_models()) known += (known.empty() ? "" : ", ") + each.name;
  return model_refused(ErrorCode::not_found, "no such GPU model", name).hint("there are " + known);
}

}  // namespace

Result<GpuModel> gpu_model_from_json(const std::string& text) {
  const Json custom = Json::parse(text, nullptr, false);
  if (!custom.is_object()) return model_refused(ErrorCode::parse_error, "this is no JSON object", text.substr(0, 60));
  WATTUNE_ASSIGN(GpuModel gpu, base_of(custom));
  for (const auto& [name, value] : custom.items()) WATTUNE_TRY(set_member(gpu, name, value));
  return gpu;
}

}  // namespace wattune::emulation
