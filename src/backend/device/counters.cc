#include "wattune/backend/counters.h"

#include "backend/cuda/profiler_host.h"

namespace wattune::inline v0_1::backend {

namespace {

constexpr CounterAlias kAliases[] = {
    {"dram_bandwidth", "dram__bytes.sum.per_second", "bytes a second to and from device memory"},
    {"dram_utilization", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "percent of its peak"},
    {"dram_bytes_read", "dram__bytes_read.sum", "from device memory"},
    {"dram_bytes_written", "dram__bytes_write.sum", "to device memory"},
    {"l2_hit_rate", "lts__t_sector_hit_rate.pct", "percent of the sectors looked up"},
    {"l1_hit_rate", "l1tex__t_sector_hit_rate.pct", "percent of the sectors looked up"},
    {"bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "of shared memory"},
    {"instructions", "smsp__inst_executed.sum", "of warps, executed"},
    {"instructions_per_cycle", "sm__inst_executed.avg.per_cycle_active", "of a busy multiprocessor"},
    {"compute_utilization", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "percent of the multiprocessors' peak"},
    {"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", "percent of the warps that fit"},
};

}  // namespace

std::string_view to_string(CounterKind kind) {
  switch (kind) {
    case CounterKind::counter: return "counter";
    case CounterKind::ratio: return "ratio";
    case CounterKind::throughput: return "throughput";
  }
  return {};
}

std::span<const CounterAlias> counter_aliases() { return kAliases; }

Result<std::vector<CounterInfo>> counters_of_chip(const std::string& chip) {
  WATTUNE_ASSIGN(const cuda::CuptiApi* cupti, cuda::cupti_api());
  WATTUNE_ASSIGN(const cuda::ProfilerHost host, cuda::ProfilerHost::open(*cupti, chip));
  return host.counters();
}

}  // namespace wattune::backend
