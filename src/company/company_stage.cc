#include "company/company_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace wattune::inline v0_1::company {

namespace {

constexpr Nanoseconds kIdleGap = nanoseconds_from_ms(10);  // idle time after which clocks may have dropped
constexpr std::size_t kKeptPerMember = 4;                  // kernels that stay loaded, since walks come back to them

// Returns how a member runs in the joint run, with a lane of its own. A member that is not timed is relaunched as long
// as the timed one runs.
schedule::Party party_of(const CompanyPlan& plan, std::size_t member, unsigned resident_blocks) {
  const bool endless = plan.timed && *plan.timed != member;
  return {.kernel = member,
          .form = resident_blocks > 0 ? schedule::Form::persistent : schedule::Form::whole,
          .per_sm = resident_blocks,
          .repetitions = endless ? std::numeric_limits<std::size_t>::max() : plan.repetitions[member]};
}

// Checks that this many blocks can stay resident. The traits in `staged` are those of the persistent twin, if there is
// one.
Result<void> check_resident(const StagedKernel& staged, unsigned resident_blocks) {
  if (resident_blocks == 0) return {};
  const std::string why_not = schedule::why_not_persistent(*staged.kernel);
  if (!why_not.empty())
    return Error(ErrorCode::invalid_argument, "the blocks of this kernel cannot stay resident").hint(why_not);
  const unsigned most = staged.traits.profile.blocks_alone;
  if (resident_blocks <= most) return {};
  return Error(ErrorCode::invalid_argument,
               fmt::format("a multiprocessor holds {} of its blocks, not {}", most, resident_blocks));
}

}  // namespace

CompanyRunner::CompanyRunner(backend::Device& device, std::vector<std::shared_ptr<StagedKernel>> kernels,
                             std::unique_ptr<schedule::DeviceMachine> machine, const CompanyPlan& plan,
                             const std::vector<unsigned>& resident_blocks, Nanoseconds limit)
    : kernels_(std::move(kernels)), machine_(std::move(machine)), plan_(plan) {
  options_.limit = limit;
  for (const std::size_t member : plan_.order) {
    if (plan_.timed == member) options_.until = parties_.size();
    parties_.push_back(party_of(plan_, member, resident_blocks[member]));
  }
  restores_ = std::ranges::any_of(kernels_, [](const auto& each) { return !each->outputs.overwritten().empty(); });
  if (const Result<backend::Sensors*> sensors = device.sensors()) sensors_ = *sensors;
}

Result<std::vector<Sample>> CompanyRunner::run(std::size_t n) {
  std::vector<Sample> samples;
  while (samples.size() < n) {
    WATTUNE_ASSIGN(const schedule::JointRun run, once(restores_));
    samples.push_back({.time = options_.until ? run.parties[*options_.until].time() : run.makespan()});
    own_times_.push_back(own_times_of(run));
  }
  const backend::Conditions behind = conditions();
  for (Sample& sample : samples) {
    sample.clock = behind.clock;
    sample.throttled = behind.throttled.value_or(false);
  }
  return samples;
}

OwnTimes CompanyRunner::own_times_of(const schedule::JointRun& run) const {
  OwnTimes times(kernels_.size());
  for (std::size_t i = 0; i < parties_.size(); ++i) {
    const std::size_t member = parties_[i].kernel;
    const double launches =
        static_cast<double>(run.parties[i].blocks) / static_cast<double>(kernels_[member]->traits.blocks);
    times[member] = run.parties[i].time() / launches;
  }
  return times;
}

// Reads the board's conditions right after several runs, for which the same reading then stands. Values that cannot be
// read stay empty.
backend::Conditions CompanyRunner::conditions() const {
  if (sensors_ == nullptr) return {};
  const Result<backend::SensorReadings> readings = sensors_->read();
  return readings ? readings->conditions : backend::Conditions();
}

Nanoseconds CompanyRunner::busy_time() const {
  return since_last_run_ && since_last_run_->elapsed() <= kIdleGap ? busy_ : Nanoseconds();
}

Result<void> CompanyRunner::keep_busy(std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) WATTUNE_TRY(once(false));
  return {};
}

Result<std::optional<std::string>> CompanyRunner::difference() {
  for (const auto& each : kernels_) WATTUNE_TRY(each->outputs.restore());
  std::vector<schedule::Party> each_once = parties_;
  for (schedule::Party& party : each_once) party.repetitions = 1;
  WATTUNE_TRY(run_jointly(*machine_, each_once, {.limit = options_.limit}));
  for (const auto& each : kernels_) {
    WATTUNE_ASSIGN(const std::optional<std::string> difference, each->outputs.difference());
    if (difference)
      return std::optional(each->traits.name + " leaves other results when it runs beside the others: " + *difference);
  }
  return std::optional<std::string>();
}

Result<schedule::JointRun> CompanyRunner::once(bool restoring) {
  if (restoring)
    for (const auto& each : kernels_) WATTUNE_TRY(each->outputs.restore());
  busy_ = busy_time();
  WATTUNE_ASSIGN(schedule::JointRun run, run_jointly(*machine_, parties_, options_));
  busy_ += run.makespan();
  spent_ += run.makespan();
  since_last_run_.emplace();
  return run;
}

// Tells the machine the kernels' times alone, since they decide how many blocks of work a resident block fetches at a
// time.
Result<std::unique_ptr<CompanyRunner>> CompanyStage::gather(const CompanyChoice& choice, const CompanyPlan& plan) {
  WATTUNE_ASSIGN(auto machine, schedule::DeviceMachine::make(device_));
  std::vector<std::shared_ptr<StagedKernel>> kernels;
  std::vector<unsigned> resident_blocks;
  for (std::size_t k = 0; k < space_.size(); ++k) {
    auto staged = kernel(k, space_.own(k, choice.all));
    if (!staged) return std::move(staged).error().with_context(space_.member(k).name);
    resident_blocks.push_back(space_.resident_blocks(k, choice.all));
    if (Result<void> fits = check_resident(**staged, resident_blocks.back()); !fits)
      return std::move(fits).error().with_context(space_.member(k).name);
    schedule::KernelTraits traits = (*staged)->traits;
    traits.alone = choice.alone[k];
    WATTUNE_TRY(machine->add((*staged)->kernel, std::move(traits)));
    kernels.push_back(*std::move(staged));
  }
  return std::make_unique<CompanyRunner>(device_, std::move(kernels), std::move(machine), plan, resident_blocks,
                                         limits_.run);
}

Result<std::shared_ptr<StagedKernel>> CompanyStage::kernel(std::size_t member, const Configuration& own) {
  const Key key(member, own.id());
  const auto found = std::ranges::find(kept_, key, [](const auto& each) { return each.first; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return kept_.front().second;
  }
  if (kept_.size() >= kKeptPerMember * space_.size()) kept_.pop_back();
  WATTUNE_ASSIGN(auto staged, load(member, own));
  kept_.emplace_front(key, staged);
  return staged;
}

// Loads a configuration with the member's shared buffers. If the configuration overwrites inputs, it gets buffers of
// its own, and new shared ones are made for the other configurations.
Result<std::shared_ptr<StagedKernel>> CompanyStage::load(std::size_t member, const Configuration& own) {
  WATTUNE_ASSIGN(auto staged, load_on(&buffers_[member], member, own));
  WATTUNE_ASSIGN(const bool is_clean, buffers_[member].inputs_hold(digest_));
  if (is_clean) return staged;
  staged.reset();
  std::erase_if(kept_, [member](const auto& each) { return each.first.first == member; });
  buffers_[member] = schedule::KernelBuffers();
  return load_on(nullptr, member, own);
}

Result<std::shared_ptr<StagedKernel>> CompanyStage::load_on(schedule::KernelBuffers* buffers, std::size_t member,
                                                            const Configuration& own) {
  const CompanyMember& its = space_.member(member);
  WATTUNE_ASSIGN(const auto copies,
                 schedule::load_kernel(
                     device_, its.spec, own,
                     {.with_twins = !its.resident_blocks.empty(), .limit = limits_.compile, .buffers = buffers}));
  const std::shared_ptr<const schedule::LoadedKernel>& kernel = copies.front();
  compile_time_ += kernel->compile_time;
  if (buffers != nullptr) WATTUNE_TRY(buffers->note_inputs(digest_));
  WATTUNE_ASSIGN(const auto machine, schedule::DeviceMachine::make(device_));
  WATTUNE_ASSIGN(schedule::KernelTraits traits, machine->traits_of(*kernel));
  traits.name = its.name;
  schedule::KernelOutputs outputs(device_, its.spec, *kernel, schedule::Sameness::tolerance, &digest_);
  auto staged = std::make_shared<StagedKernel>(StagedKernel{kernel, std::move(traits), std::move(outputs)});
  WATTUNE_TRY(remember_alone(member, *machine, *staged));
  return staged;
}

// Runs the kernel once alone and remembers its outputs, with which later outputs are compared.
Result<void> CompanyStage::remember_alone(std::size_t member, schedule::DeviceMachine& machine, StagedKernel& staged) {
  WATTUNE_TRY(staged.outputs.restore());
  WATTUNE_ASSIGN(const schedule::KernelId kernel, machine.add(staged.kernel, staged.traits));
  WATTUNE_TRY(run_jointly(machine, std::vector<schedule::Party>{{.kernel = kernel}}, {.limit = limits_.run}));
  std::vector<const schedule::KernelOutputs*> others;
  for (const auto& [key, other] : kept_)
    if (key.first == member) others.push_back(&other->outputs);
  return staged.outputs.remember(others);
}

}  // namespace wattune::company
