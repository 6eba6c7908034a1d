// Reads the description of a simulated GPU from JSON.
//
// The function keeps no state: any thread may call it.
//
//   WATTUNE_ASSIGN(const simulate::GpuModel mine, emulation::gpu_model_from_json(text));
#pragma once

#include <string>

#include "wattune/core/result.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::emulation {

// Reads a custom GPU from JSON. "like" names the model whose values hold for all members that are absent. The other
// members have the names of simulate::GpuModel's members:
//   {"like": "H100", "name": "half", "sms": 66, "dram_gigabytes_per_second": 1680, "clock_mhz": 1500}
//
// Times are in ns ("launch_gap_ns"), and rates of pipes are in an object ("pipe_rates": {"fp64": 2}). Fails with
// parse_error if the text is no JSON object, with not_found if a member or model does not exist, with invalid_argument
// if a value is out of range.
Result<simulate::GpuModel> gpu_model_from_json(const std::string& text);

}  // namespace wattune::emulation
