#include "search/models/counters.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

namespace {

struct Name {
  std::string_view name;
  Counter counter;
  double unit;  // factor by which the profiler's number is multiplied
};

constexpr double kCount = 1.0;
constexpr double kBytes = 1.0 / 32;
constexpr double kPercent = 0.01;
constexpr double kLevel = 0.1;  // nvprof's utilisations go from 0 to 10

// Factor for the utilisation by one type of instructions, which the profiler gives in percent. From compute capability
// 7.0 on, a warp occupies a unit of 16 lanes for two cycles. So one type of instructions fills at most half of the
// issue slots.
constexpr double kPercentOfHalf = 0.02;

constexpr Name kNames[] = {
    {"dram_read_transactions", dram_reads, kCount},
    {"dram_read_bytes", dram_reads, kBytes},
    {"dram__sectors_read.sum", dram_reads, kCount},
    {"dram__bytes_read.sum", dram_reads, kBytes},
    {"dram_write_transactions", dram_writes, kCount},
    {"dram_write_bytes", dram_writes, kBytes},
    {"dram__sectors_write.sum", dram_writes, kCount},
    {"dram__bytes_write.sum", dram_writes, kBytes},
    {"dram_utilization", dram_utilisation, kLevel},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", dram_utilisation, kPercent},
    {"l2_read_transactions", l2_reads, kCount},
    {"lts__t_sectors_op_read.sum", l2_reads, kCount},
    {"l2_write_transactions", l2_writes, kCount},
    {"lts__t_sectors_op_write.sum", l2_writes, kCount},
    {"l2_utilization", l2_utilisation, kLevel},
    {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", l2_utilisation, kPercent},
    {"tex_cache_transactions", global_loads, kCount},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", global_loads, kCount},
    {"tex_utilization", global_load_utilisation, kLevel},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.avg.pct_of_peak_sustained_active", global_load_utilisation, kPercent},
    {"local_load_transactions", local_loads, kCount},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", local_loads, kCount},
    {"local_store_transactions", local_stores, kCount},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", local_stores, kCount},
    {"local_memory_overhead", local_overhead, kPercent},
    {"shared_load_transactions", shared_loads, kCount},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", shared_loads, kCount},
    {"shared_store_transactions", shared_stores, kCount},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", shared_stores, kCount},
    {"shared_utilization", shared_utilisation, kLevel},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed", shared_utilisation, kPercent},
    {"inst_fp_32", fp32_instructions, kCount},
    {"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", fp32_instructions, kCount},
    {"inst_fp_64", fp64_instructions, kCount},
    {"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", fp64_instructions, kCount},
    {"inst_integer", integer_instructions, kCount},
    {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum", integer_instructions, kCount},
    {"inst_control", control_instructions, kCount},
    {"smsp__sass_thread_inst_executed_op_control_pred_on.sum", control_instructions, kCount},
    {"inst_compute_ld_st", memory_instructions, kCount},
    {"smsp__sass_thread_inst_executed_op_memory_pred_on.sum", memory_instructions, kCount},
    {"inst_misc", other_instructions, kCount},
    {"smsp__sass_thread_inst_executed_op_misc_pred_on.sum", other_instructions, kCount},
    {"inst_bit_convert", conversion_instructions, kCount},
    {"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", conversion_instructions, kCount},
    {"special_fu_utilization", special_utilisation, kLevel},
    {"smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", special_utilisation, kPercent},
    {"issue_slot_utilization", issue_utilisation, kPercent},
    {"issue_slot_utilization", instruction_utilisation, kPercent},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", issue_utilisation, kPercent},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", instruction_utilisation, kPercentOfHalf},
    {"sm_efficiency", multiprocessor_activity, kPercent},
    {"smsp__cycles_active.avg.pct_of_peak_sustained_elapsed", multiprocessor_activity, kPercent},
};

}  // namespace

std::optional<Counters> counters_in(const std::vector<Metric>& metrics) {
  Counters counters;
  bool any = false;
  for (const Metric& metric : metrics) {
    if (!std::isfinite(metric.value)) continue;
    for (const Name& known : kNames) {
      if (known.name != metric.name) continue;
      counters[known.counter] = metric.value * known.unit;
      any = true;
    }
  }
  return any ? std::optional(counters) : std::nullopt;
}

std::vector<std::string> profiled_counters() {
  std::vector<std::string> names;
  std::array<bool, counter_count> named{};
  for (const Name& known : kNames) {
    const bool of_cupti = known.name.find("__") != std::string_view::npos;
    if (!of_cupti || std::exchange(named[known.counter], true)) continue;
    if (std::ranges::count(names, known.name) == 0) names.emplace_back(known.name);
  }
  return names;
}

}  // namespace wattune::search
