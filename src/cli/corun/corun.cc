// `wattune corun`: runs kernels that share a GPU, as pairs at several ratios and as queues under several policies.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "cli/corun/corun_clocks.h"
#include "cli/corun/corun_journal.h"
#include "cli/corun/corun_kernels.h"
#include "cli/corun/corun_networks.h"
#include "cli/corun/corun_objective.h"
#include "cli/corun/corun_plans.h"
#include "cli/corun/corun_queue.h"
#include "cli/corun/corun_sweep.h"
#include "cli/corun/corun_tenants.h"
#include "cli/corun/profile_file.h"
#include "cli/program/command.h"
#include "cli/program/interrupt.h"
#include "cli/program/options.h"
#include "cli/program/output_file.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

struct CorunOptions {
  CorunKernels kernels;
  std::string device = "auto";
  schedule::QueueRequest queue = {.policies = {}};
  CorunObjective objective;
  CorunClocks clocks;
  schedule::NetworkChoice networks;
  CorunTenants tenants;
  std::optional<std::uint64_t> works;
  std::uint64_t repeats = 5;
  Nanoseconds least_time = nanoseconds_from_ms(2);
  bool explain = false;
  std::string profiles;
  std::string trace;
  std::string trace_of;
  std::string svg;
  std::string output;
  bool resume = false;
  bool overwrite = false;
  bool json = false;
  bool quiet = false;

  // Returns the name of the option that asks for a queue; empty if no option does.
  std::string queue_option() const {
    if (!queue.policies.empty()) return "--policies";
    if (!queue.arrivals.empty()) return "--arrivals";
    if (queue.load) return "--load";
    if (works) return "--works";
    if (const std::string given = objective.given_option(); !given.empty()) return given;
    if (clocks.choice.sets) return "--clocks";
    return networks.decide ? "--forecast" : "";
  }
  bool wants_queue() const { return !queue_option().empty(); }
};

std::vector<std::string> policies_of(const CorunOptions& options) {
  return options.queue.policies.empty() ? schedule::QueueRequest().policies : options.queue.policies;
}

Error refuse(std::string what, std::string about, std::string advice) {
  return Error(ErrorCode::invalid_argument, std::move(what)).about(std::move(about)).hint(std::move(advice));
}

Result<void> check_numbers(const CorunOptions& options) {
  if (options.repeats == 0) return refuse("--repeats", "0", "at least 1 is needed");
  if (options.kernels.waves == 0 || options.kernels.waves > 10000)
    return refuse("--waves", std::to_string(options.kernels.waves), "from 1 to 10,000");
  if (options.works && (*options.works == 0 || *options.works > 1'000'000))
    return refuse("--works", std::to_string(*options.works), "from 1 to 1,000,000");
  if (options.queue.load && !(*options.queue.load > 0.0))
    return refuse("--load", fmt::format("{:g}", *options.queue.load),
                  "a number above 0 is needed: the time alone of the works that arrive, per unit of time");
  return {};
}

// Rejects options that have no meaning for tenants.
Result<void> check_tenants_mode(const CorunOptions& options) {
  const bool is_another_queue = options.works || options.queue.load || !options.queue.arrivals.empty() ||
                                options.objective.is_given() || options.clocks.choice.sets;
  const bool keeps_more = options.explain || !options.trace.empty() || !options.svg.empty() || !options.output.empty();
  if (is_another_queue || keeps_more)
    return refuse("--tenant decides which works arrive, and reports throughput and responses",
                  options.tenants.texts.front(), "leave out all options of queues and sweeps except --policies");
  WATTUNE_TRY(parse_tenants(options.tenants.texts));
  return {};
}

// Rejects combinations of options that contradict each other.
Result<void> check_mode(const CorunOptions& options) {
  const std::size_t kernels = options.kernels.specs.size() + options.kernels.names.size();
  const std::string only = kernels == 0                    ? ""
                           : options.kernels.specs.empty() ? options.kernels.names.front()
                                                           : options.kernels.specs.front();
  if (kernels < 2)
    return refuse("at least two kernels are needed to run together", only, "name two specs, or --kernels A,B");
  if (options.tenants.are_given()) return check_tenants_mode(options);
  if (options.tenants.time) return refuse("--for needs tenants", "", "--tenant NAME=KERNEL,...");
  if (!options.queue.arrivals.empty() && (options.queue.load || options.works))
    return refuse("--arrivals says when works arrive", options.queue.arrivals, "leave out --load and --works");
  if (!options.wants_queue() && (options.explain || !options.trace.empty()))
    return refuse("--explain and --trace need a queue", options.trace, "--policies paired,streams --works 100");
  if (!options.trace_of.empty() && options.trace.empty())
    return refuse("--trace-of says whose run --trace writes", options.trace_of, "--trace FILE");
  if (!options.output.empty() && options.wants_queue())
    return refuse(fmt::format("--output keeps swept pairs, and {} asks for a queue", options.queue_option()),
                  options.output, "leave out one of the two");
  if (options.resume && options.output.empty())
    return refuse("--resume goes on with a file of swept pairs", "", "name it: --output FILE");
  return {};
}

Result<void> check(const CorunOptions& options) {
  WATTUNE_TRY(check_mode(options));
  WATTUNE_TRY(schedule::check_policies(policies_of(options), options.objective.value()));
  WATTUNE_TRY(check_networks(options.networks, policies_of(options), options.objective.value()));
  if (options.clocks.choice.sets && !options.objective.value().needs_power())
    return refuse("--clocks needs an objective in joules or watts", "throughput",
                  "--objective energy, edp or --power-cap");
  if (options.clocks.take_over && !options.clocks.choice.sets)
    return refuse("--take-over needs clocks to set", "", "--clocks auto");
  if (options.clocks.energy_window && !options.objective.value().needs_power())
    return refuse("--energy-window needs an objective in joules or watts", "",
                  "--objective energy, edp or --power-cap");
  WATTUNE_TRY(check_numbers(options));
  WATTUNE_TRY(check_new_file(options.svg, options.overwrite));
  return check_new_file(options.trace, options.overwrite);
}

Json document(const schedule::CorunSession& session, const CorunOptions& options) {
  return {{"device", session.device()}, {"simulated", session.is_simulated()},
          {"repeats", options.repeats}, {"seed", options.queue.seed},
          {"notes", session.notes()},   {"prospects", nullptr},
          {"pairs", nullptr},           {"complementary", nullptr},
          {"planned", nullptr},         {"queue", nullptr},
          {"tenants", nullptr}};
}

ExitStatus status_of(bool printed, bool is_right) {
  if (!printed) return ExitStatus::environment;
  return is_right ? ExitStatus::good : ExitStatus::nothing_correct;
}

// Returns a callback that counts runs on a terminal, and ends them when the user has asked for it.
std::function<bool(std::size_t, std::size_t)> watch(const CorunOptions& options, const StopRequest& stop) {
  const bool shows = !options.quiet && stderr_is_terminal();
  return [shows, &stop, line = counting_line()](std::size_t done, std::size_t all) mutable {
    if (shows) line(done + 1, all);
    return !stop.made();
  };
}

// Opens the journal of swept pairs. Returns nullptr without --output.
Result<std::unique_ptr<SweepJournal>> open_sweep_journal(const CorunOptions& options) {
  if (options.output.empty()) return std::unique_ptr<SweepJournal>();
  WATTUNE_ASSIGN(SweepJournal journal,
                 SweepJournal::open(options.output, {.resume = options.resume, .overwrite = options.overwrite}));
  if (const std::string& doubt = journal.lock_doubt(); !options.quiet && !doubt.empty())
    print_note(fmt::format("{}: {}", options.output, doubt));
  for (const std::string& note : journal.notes()) print_note(note);
  return std::make_unique<SweepJournal>(std::move(journal));
}

Json sweeps_document(const schedule::CorunSession& session, const CorunOptions& options,
                     const std::vector<Prospect>& prospects, const std::vector<schedule::SweptPair>& pairs) {
  Json json = document(session, options);
  json["prospects"] = prospects_json(prospects);
  json["pairs"] = sweep_json(session, prospects, pairs);
  json["complementary"] = complementary_json(complementary_gain(prospects, pairs));
  json["planned"] = planned_gain_json(planned_gain(prospects, pairs));
  return json;
}

// Describes the gains over all pairs. Returns an empty text for a single pair.
std::string totals_text(const std::vector<Prospect>& prospects, const std::vector<schedule::SweptPair>& pairs) {
  if (pairs.size() < 2) return "";
  return complementary_text(prospects, complementary_gain(prospects, pairs)) +
         planned_gain_text(planned_gain(prospects, pairs));
}

// Prints each pair when it is swept. A JSON document is printed at the end, or after an interrupt.
Result<ExitStatus> run_sweeps(schedule::CorunSession& session, const CorunOptions& options, SweepJournal* journal,
                              const StopRequest& stop) {
  session.read_use();
  const std::vector<Prospect> prospects = prospects_of(session);
  std::vector<schedule::SweptPair> pairs;
  bool printed = options.json || print_result(prospects_text(prospects));
  const schedule::SweepOptions sweep{.rounds = options.repeats,
                                     .seed = options.queue.seed,
                                     .least_time = options.least_time,
                                     .on_progress = watch(options, stop)};
  const auto swept = sweep_all(session, sweep, journal, [&](schedule::SweptPair pair) -> Result<void> {
    const std::string gap = pairs.empty() ? "" : "\n";
    if (!options.json) printed &= print_result(gap + sweep_text(session, prospects[pairs.size()], pair));
    pairs.push_back(std::move(pair));
    return {};
  });
  if (!swept && pairs.empty()) return swept.error();
  printed &= options.json ? print_document(dump(sweeps_document(session, options, prospects, pairs)))
                          : print_result(totals_text(prospects, pairs));
  if (!swept) return swept.error();
  if (!options.svg.empty())
    WATTUNE_TRY(store::write_file(
        options.svg, prospects.size() == 1 ? sweep_svg(session, pairs.front()) : forecasts_svg(session, pairs),
        options.overwrite));
  return status_of(printed, std::ranges::all_of(pairs, &schedule::SweptPair::is_right));
}

Result<ExitStatus> run_queues(schedule::CorunSession& session, const CorunOptions& options, const StopRequest& stop) {
  schedule::QueueRequest request = options.queue;
  request.policies = policies_of(options);
  request.objective = options.objective.value();
  request.works = options.works.value_or(request.works);
  request.repeats = options.repeats;
  request.energy_window = options.clocks.energy_window;
  request.traced = !options.trace.empty();
  request.trace_of = options.trace_of;
  request.on_progress = watch(options, stop);
  request.cancel = &stop.made();
  WATTUNE_ASSIGN(const schedule::QueueReport report, session.run_queue(request));
  Json json = document(session, options);
  json["queue"] = queue_json(session, report);
  const bool printed =
      options.json ? print_document(dump(json)) : print_result(queue_text(session, report, options.explain));
  if (!options.trace.empty() && !report.trace.empty())
    WATTUNE_TRY(store::write_file(options.trace, report.trace, options.overwrite));
  if (!options.svg.empty()) WATTUNE_TRY(store::write_file(options.svg, queue_svg(session, report), options.overwrite));
  if (report.refused) return report.refused->why;
  return status_of(printed, !report.outputs || report.outputs->differences.empty());
}

Result<ExitStatus> run_tenants(schedule::CorunSession& session, const CorunOptions& options, const StopRequest& stop) {
  schedule::TenantRequest request;
  WATTUNE_ASSIGN(auto named, parse_tenants(options.tenants.texts));
  WATTUNE_ASSIGN(request.tenants, tenants_of(session, std::move(named)));
  if (!options.queue.policies.empty()) request.policies = options.queue.policies;
  request.time = options.tenants.time.value_or(request.time);
  request.seed = options.queue.seed;
  request.repeats = options.repeats;
  request.on_progress = watch(options, stop);
  request.cancel = &stop.made();
  WATTUNE_ASSIGN(const schedule::TenantReport report, session.run_tenants(request));
  Json json = document(session, options);
  json["tenants"] = tenants_json(report);
  const bool printed = options.json ? print_document(dump(json)) : print_result(tenants_text(session, report));
  return status_of(printed, report.differences.empty());
}

Result<ExitStatus> run_corun(CorunOptions options) {
  WATTUNE_TRY(check(options));
  schedule::CorunOptions wanted{.clocks = options.clocks.choice};
  wanted.clocks.take_over = options.clocks.take_over;
  wanted.networks = options.networks;
  if (!options.profiles.empty()) {
    WATTUNE_ASSIGN(wanted.profiles, schedule::load_profiles(options.profiles));
  }
  const std::vector<std::string> notes = notes_on(wanted.profiles);
  WATTUNE_ASSIGN(const auto journal, open_sweep_journal(options));
  WATTUNE_ASSIGN(const auto session, open_corun(options.device, options.kernels, std::move(wanted)));
  for (const std::string& note : notes) print_note(note);
  // Every repetition takes the same virtual time, so one is enough.
  if (session->is_simulated()) options.repeats = 1;
  std::size_t told = 0;
  const auto tell = [&] {
    const std::vector<std::string> all = session->notes();
    for (; told < all.size() && !options.json; ++told) print_note(all[told]);
  };
  tell();
  const StopRequest stop;
  auto status = options.tenants.are_given() ? run_tenants(*session, options, stop)
                : options.wants_queue()     ? run_queues(*session, options, stop)
                                            : run_sweeps(*session, options, journal.get(), stop);
  tell();
  if (!status && status.error().code() == ErrorCode::cancelled && stop.made()) return ExitStatus::interrupted;
  return status;
}

void declare_queues(CLI::App& app, CorunOptions& options) {
  app.option_defaults()->group("Queues");
  app.add_option("--policies", options.queue.policies,
                 "Run a queue under each of these policies instead of sweeping ratios: paired, greedy, kernelet, "
                 "random, split, orion, priority, streams, fifo (docs/schedule.md). With --works, --load or --arrivals "
                 "the default is fifo, streams, split and paired")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_parsed(app, "--works", options.works, parse_count, "N",
             "Number of works, drawn evenly from the kernels; by default 100");
  add_parsed(app, "--load", options.queue.load, parse_number, "LOAD",
             "Works arrive at random, with this much time alone per unit of time. Without it all are there from the "
             "beginning");
  app.add_option("--arrivals", options.queue.arrivals, "Recorded arrivals: a table of moment_ms,kernel,priority")
      ->type_name("FILE");
  app.add_flag("--explain", options.explain,
               "Show the pairs by which policies plan: their ratios, forecasts and results");
  app.add_option("--trace", options.trace,
                 "Write the timeline of the last round of the fastest policy, for Perfetto (ui.perfetto.dev)")
      ->type_name("FILE");
  app.add_option("--trace-of", options.trace_of, "Trace this policy instead, by its name in the table")
      ->type_name("NAME");
}

void declare_results(CLI::App& app, CorunOptions& options) {
  app.option_defaults()->group("Measuring and results");
  app.add_option("--profiles", options.profiles,
                 "Profiles that wattune profile wrote. They replace counting and measuring each kernel alone")
      ->type_name("FILE");
  add_parsed(app, "--repeats", options.repeats, parse_count, "N",
             "Number of rounds, in each of which everything runs once. Medians count; one round tells nothing of "
             "noise. A simulated GPU needs only one")
      ->default_str("5");
  add_parsed(app, "--least-time", options.least_time, parse_time, "TIME",
             "Repeat the kernels of a pair until a run takes at least this long; joules of real boards need 1s")
      ->default_str("2ms");
  add_parsed(app, "--seed", options.queue.seed, parse_count, "N", "Seed of all that is drawn at random")
      ->default_str("1");
  app.add_option("--output,-o", options.output, "Keep the swept pairs in this file, one line of JSON for each")
      ->type_name("FILE");
  app.add_flag("--resume", options.resume,
               "Take from the file of --output the pairs that were swept with the same kernels on the same device");
  app.add_option("--svg", options.svg,
                 "Write a plot. For a pair: its gain at each ratio. For several pairs: the gain of paired against the "
                 "forecast of its pilots. For a queue: the works per second of each policy against joules")
      ->type_name("FILE");
  app.add_flag("--overwrite", options.overwrite,
               "Replace existing files. A file of swept pairs is kept, with ~ behind its name");
  app.add_flag("--json", options.json, "Print one JSON document (docs/formats/json.md)");
  app.add_flag("--quiet,-q", options.quiet, "No progress on standard error");
}

}  // namespace

Command add_corun(CLI::App& program) {
  const auto options = std::make_shared<CorunOptions>();
  CLI::App* app = program.add_subcommand("corun", "Run kernels together: gains of pairs, and queues under policies");
  declare_corun_kernels(*app, options->kernels, options->device);
  declare_queues(*app, *options);
  declare_tenants(*app, options->tenants);
  declare_objective(*app, options->objective);
  declare_clocks(*app, options->clocks);
  declare_networks(*app, options->networks);
  declare_results(*app, *options);
  app->footer(
      "Two kernels that wait for different things gain by sharing a GPU, if the ratio is right. Without a policy every "
      "pair runs alone and together in every way: one after the other, in streams, with priorities, on SMs of their "
      "own (green contexts), and sharing every SM at each ratio of resident blocks. The gain is the sum of the times "
      "alone "
      "over the time together, less one; the shorter kernel is repeated until both take equally long. Outputs are "
      "compared with those of runs alone. Kernels run in this process: one that crashes ends it.\n\n"
      "Examples:\n"
      "  wattune corun gemm.toml copy.toml\n"
      "  wattune corun gemm.toml@gemm.journal.jsonl copy.toml@block=256 --svg gain.svg\n"
      "  wattune corun gemm.toml gemm.toml -p gemm.n=1024 -p gemm#2.n=4096\n"
      "  wattune corun --device simulated:H100 --kernels C,L,M --works 200 --policies paired,streams,split --explain\n"
      "  wattune corun --device simulated:H100 --kernels C,L,M --objective energy --slowdown 30% --explain\n"
      "  wattune corun --device simulated:GT640 --kernels Srad,Time_step,Hotspot --objective energy --clocks auto "
      "--explain\n"
      "  wattune corun --device simulated:GT640 --kernels Srad,Hotspot --objective energy --clocks "
      "562/324,562/710,1228/324,1228/710\n"
      "  wattune corun --device simulated:GT640 --kernels Srad,Hotspot,Bt --objective energy --forecast networks "
      "--networks gt640.jsonl --clocks auto --policies greedy\n"
      "  wattune corun --arrivals trace.csv gemm.toml copy.toml --trace trace.json --json\n"
      "  wattune corun --device simulated:C2050 --kernels PC,BS,TEA --waves 2 --tenant chat=TEA,priority=1,poisson=2ms "
      "--tenant train=PC --tenant batch=BS --for 500ms");
  return {app, [options] { return run_corun(*options); }};
}

}  // namespace wattune::cli
