// CorunSession: kernels of several specs that share one GPU, as pairs, as queues, or work by work. The launches of a
// spec that has several are one kernel: they run one after another.
//
// It owns the device and the kernels that are loaded there. One thread at a time may use it, except for submit(), which
// any thread may call. Profiles, sweeps and queues first wait until all submitted works have ended, and submit() waits
// for the end of profiles, sweeps and queues. Kernels run in this process, so a kernel that crashes ends it.
//
//   WATTUNE_ASSIGN(const auto session, schedule::open({gemm, copy}));
//   WATTUNE_ASSIGN(const auto pairs, session->sweep());
//   WATTUNE_ASSIGN(const auto report, session->run_queue({.policies = {"paired", "streams"}}));
//   WATTUNE_ASSIGN(const auto ticket, session->submit({.kernel = 0}));
//   WATTUNE_ASSIGN(const auto own, session->submit({.kernel = 1}, {{"x", x}, {"n", n}}));
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/backend/own_argument.h"
#include "wattune/core/configuration.h"
#include "wattune/core/export.h"
#include "wattune/core/identity.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/schedule/machine.h"
#include "wattune/schedule/profile_record.h"
#include "wattune/schedule/queue_report.h"
#include "wattune/schedule/swept_pair.h"
#include "wattune/schedule/tenants.h"
#include "wattune/schedule/work.h"
#include "wattune/simulate/gpu_model.h"

namespace wattune::inline v0_1::schedule {

class Stage;  // the device of a session with the kernels that are loaded there

// A kernel with the single configuration in which it runs.
struct WATTUNE_EXPORT CorunKernel {
  KernelSpec spec;
  std::optional<Configuration> configuration = {};  // the default configuration if absent
  std::string name = {};                            // the spec's name if empty; a second kernel of it is "gemm#2"
};

// The clocks that policies may set, for an objective that needs joules or watts.
struct WATTUNE_EXPORT ClockChoice {
  bool sets = false;  // true to set clocks; otherwise they are left to the board
  // Clocks of the cores, each with one of the memory or with the board's own. If empty, a selection of the core clocks
  // that the board offers.
  std::vector<backend::BoardSetting> clocks = {};
  bool take_over = false;  // true to set them although somebody else has set the board or computes on it
};

// The choice of pairs and clocks by networks, as in Jiao et al. (docs/schedule.md#networks). The policy `greedy`
// follows it.
struct WATTUNE_EXPORT NetworkChoice {
  bool decide = false;    // true to train or read networks
  std::string file = {};  // file of networks, which is read if it exists; otherwise they are trained and kept there
  // Result files to learn from: kernels of `profiles`, with energies at several clocks. If empty, networks of a
  // simulated GPU learn from its own kernels.
  std::vector<std::string> recordings = {};
};

// The options of a session.
struct WATTUNE_EXPORT CorunOptions {
  std::string device = "auto";   // a name that tune::find_devices_for() takes
  StoredProfiles profiles = {};  // known profiles; a kernel that has one is measured only at other clocks
  ClockChoice clocks = {};       // clocks; if none are given and networks decide, the clocks that the networks know
  NetworkChoice networks = {};
  // The priority from which on submitted works are urgent; nullopt if no work is. Urgent works begin at once, beside
  // all works that run. Kernels then run only as wholes, so that blocks of urgent works take the places of blocks that
  // end.
  std::optional<int> urgent_from = {};
  // The name of registered sensors (power::register_sensors()), which measure energy and power instead of the device's
  // own. A simulated GPU takes none.
  std::string sensors = {};
};

// A kernel of a session.
struct WATTUNE_EXPORT StageKernel {
  Identity identity;  // code, sizes, device and whatever else its times depend on
  KernelTraits traits;
  std::optional<simulate::BlockCosts> costs = {};  // costs of a block; absent if they were not counted
  bool is_profiled = false;  // true if all of the kernel alone is measured, except power and clocks
};

// Memory and values of an application for a work, by the names of the spec's arguments.
using OwnArguments = std::map<std::string, backend::OwnArgument>;

// A device with kernels that run together there.
class WATTUNE_EXPORT CorunSession {
 public:
  explicit CorunSession(std::unique_ptr<Stage> stage, std::optional<int> urgent_from = {});
  ~CorunSession();

  std::string device() const;  // name of the device
  bool is_simulated() const;
  // Returns the model of the GPU with its peaks; nullptr if they are unknown.
  const simulate::GpuModel* gpu() const;
  // Returns notes on the kernels for people, a line each.
  std::vector<std::string> notes() const;
  // Returns the kernels. Their positions are their ids in works.
  const std::vector<StageKernel>& kernels() const;
  // Returns the clocks that may be set, sorted by memory clock and then by core clock; an empty list if none may be
  // set.
  const std::vector<backend::BoardSetting>& clocks() const;

  // Reads, from the device's performance counters, the shares of the GPU that each kernel uses when it runs alone,
  // unless they are known. It does so in a worker, which it starts only if this process may read counters; otherwise a
  // note says why not. Profiles, queues and the first submitted work do this by themselves.
  void read_use();
  // Measures each kernel alone, as medians of this many rounds. With `power` it also measures the power of the board
  // meanwhile. Fails with unavailable if power is wanted and the board reports no energy, and with errors of the
  // device.
  Result<std::vector<ProfileRecord>> profile(std::size_t rounds = 3, bool power = false);

  // Runs two kernels alone and together in every way, and then the best ways again in as many rounds. Virtual time
  // needs one round only. Errors are those of sweep_pair().
  Result<SweptPair> sweep(KernelId first, KernelId second, const SweepOptions& options = {});
  // Sweeps every two of the kernels, and fails as the sweep of a pair does.
  Result<std::vector<SweptPair>> sweep(const SweepOptions& options = {});

  // Runs works of the kernels under several policies in rounds. Fails as check_policies() does, with invalid_argument
  // if the objective's limits cannot be kept, and with errors of the arrivals and the device. Fails with not_found if
  // no policy has the label that is to be traced, and with cancelled.
  Result<QueueReport> run_queue(const QueueRequest& request = {});

  // Runs the works of tenants under several policies in rounds, in each for the requested time. Fails as
  // check_policies() does, with invalid_argument if a tenant or its kernels are impossible, with errors of the device,
  // and with cancelled.
  Result<TenantReport> run_tenants(const TenantRequest& request);

  // Submits one work. It runs beside another work if the two together are faster than one after the other. The first
  // call profiles the kernels.
  //
  // Without arguments the work uses the session's own data. With arguments it uses values and memory of the
  // application; the memory must belong to the device's context. The grid always follows from the spec's sizes.
  // Arguments that are not given are the session's own, but each buffer that the kernel writes must be given. From this
  // call to the end of the work, the application must not write the memory. It may read the memory if the kernel only
  // reads it.
  //
  // Two works that may run at the same time may share memory only if both of them only read it. A work that waits for
  // another (Work::after) does not run at the same time as that one. Fails with invalid_argument, naming both
  // arguments, if works share memory in another way, and for arguments that do not fit. Fails with not_found if there
  // is no such argument, with unavailable on a simulated GPU, with the errors of Runtime::submit(), and with errors of
  // the device.
  Result<Ticket> submit(const Work& work, const OwnArguments& arguments = {});

  // Returns the measured energy of a run that took this time; nullopt if it is not known well enough. Real boards renew
  // their counters every 100 ms, so that the energy of a run shorter than a second is unknown.
  std::optional<Joules> known_energy(std::optional<Joules> energy, Nanoseconds time) const;

 private:
  std::unique_ptr<Stage> stage_;
  std::optional<int> urgent_from_;  // see CorunOptions
  struct Submission;
  std::unique_ptr<Submission> submission_;
};

// Checks the names of policies. Fails with not_found if one does not exist, and with invalid_argument if none of the
// policies heeds the objective.
WATTUNE_EXPORT Result<void> check_policies(const std::vector<std::string>& policies, const Objective& objective);
// Checks that networks can decide. They choose pairs only for the policy `greedy`, and only for joules without limits.
// Fails with invalid_argument otherwise.
WATTUNE_EXPORT Result<void> check_networks(const std::vector<std::string>& policies, const Objective& objective);

// Opens a device of this process and loads the kernels there. Errors name what is wrong with device, spec,
// configuration or kernel. Fails with mismatch if a profile has the name of a kernel, but no profile has its identity,
// or if networks are of another board. Fails with invalid_argument if there is no kernel, or if the board refuses the
// clocks. Fails with not_found if no sensors of the name in the options are registered, and with unavailable if they
// tell neither energy nor power.
WATTUNE_EXPORT Result<std::unique_ptr<CorunSession>> open(std::vector<CorunKernel> kernels,
                                                          const CorunOptions& options = {});
// Opens a device with the kernels of these specs in their default configurations. Errors are those of opening
// CorunKernels.
WATTUNE_EXPORT Result<std::unique_ptr<CorunSession>> open(std::vector<KernelSpec> specs,
                                                          const CorunOptions& options = {});

// Loads the kernels on a device of the application (backend::attach_cuda(), attach_opencl()). The device must outlive
// the session. Works of these kernels may use memory of the device's context. Errors are those of the open() above; the
// device's name in the options is ignored.
WATTUNE_EXPORT Result<std::unique_ptr<CorunSession>> open(backend::Device& device, std::vector<CorunKernel> kernels,
                                                          const CorunOptions& options = {});

// Opens a simulated GPU, whose name is `options.device` (H100, GT640), with published kernels. Each has a grid that
// fills the GPU `waves` times. A name such as "C+L" stands for works that launch both, one after the other. Fails with
// not_found if there is no such GPU or kernel. Fails with mismatch if a profile has the name of a kernel, but no
// profile has its identity. Fails with invalid_argument if the clocks cannot be set, or if sensors are named.
WATTUNE_EXPORT Result<std::unique_ptr<CorunSession>> open_simulated(const std::vector<std::string>& kernels,
                                                                    std::uint64_t waves = 8,
                                                                    const CorunOptions& options = {});

}  // namespace wattune::schedule
