#include "slice/obstacles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "slice/flow.h"
#include "slice/interface/slice_words.h"
#include "slice/memory_layout.h"
#include "slice/memory_use.h"

namespace wattune::inline v0_1::slice {

namespace {

constexpr unsigned bit_of(TwinForm form) { return 1u << static_cast<unsigned>(form); }

constexpr TwinForms kAllForms((1u << kTwinForms) - 1);
constexpr TwinForms kAllButGuard(((1u << kTwinForms) - 1) & ~bit_of(TwinForm::guard));
constexpr TwinForms kPersistent(bit_of(TwinForm::persistent));

// A rule that forbids some forms of twins if a name begins with the prefix.
struct Rule {
  std::string_view prefix;
  TwinForms forms;
  std::string_view reason;
};

constexpr std::string_view kOfCluster = "blocks of a cluster work together, and a slice would part them";
constexpr std::string_view kOfLaunch = "a device-side launch belongs to a grid as a whole";

// Rules for special registers.
constexpr auto kRegisterRules = std::to_array<Rule>({
    {"%envreg", kAllForms, "it is how a grid synchronises as a whole, and a twin cannot set it"},
    {"%cluster", kAllForms, kOfCluster},
    {"%ncluster", kAllForms, kOfCluster},
    {"%is_explicit_cluster", kAllForms, kOfCluster},
    {"%total_smem_size", kPersistent, "a persistent twin has more shared memory"},
    {"%aggr_smem_size", kPersistent, "a persistent twin has more shared memory"},
});

// Rules for opcodes, which include their modifiers.
constexpr auto kInstructionRules = std::to_array<Rule>({
    {"griddepcontrol", kAllForms, "it orders whole grids, and slices are several"},
    {"clusterlaunchcontrol", kAllForms, "the grid takes blocks that have not begun, as a twin does"},
    {"barrier.cluster", kAllForms, kOfCluster},
    {"mapa", kAllForms, kOfCluster},
    {"getctarank", kAllForms, kOfCluster},
    {"setmaxnreg", kPersistent, "registers that a warp gave away would be missing in the next block"},
    {"mbarrier.init", kPersistent, "an mbarrier must not be initialised again by the next block"},
    {"tcgen05.relinquish_alloc_permit", kPersistent, "the next block could allocate no tensor memory"},
    {"alloca", kPersistent, "each block would take more of the stack"},
});

// Rules for functions of the runtime library.
constexpr auto kCalleeRules = std::to_array<Rule>({
    {"cudaLaunchDevice", kAllForms, kOfLaunch},
    {"cudaGetParameterBuffer", kAllForms, kOfLaunch},
    {"cudaCDP", kAllForms, kOfLaunch},
    {"__cudaCDP", kAllForms, kOfLaunch},
    {"cudaGraphLaunch", kAllForms, kOfLaunch},
});

constexpr auto kEntryRules = std::to_array<Rule>({
    {"reqnctapercluster", kAllForms, kOfCluster},
    {"explicitcluster", kAllForms, kOfCluster},
    {"maxclusterrank", kAllForms, kOfCluster},
    {"blocksareclusters", kAllForms, kOfCluster},
});

template <typename Rules>
const Rule* rule_for(std::string_view name, const Rules& rules) {
  const auto found = std::ranges::find_if(rules, [&](const Rule& rule) { return name.starts_with(rule.prefix); });
  return found == rules.end() ? nullptr : &*found;
}

// Returns the opcode with all modifiers, such as "cp.async.bulk".
std::string full_opcode(const PtxInstruction& instruction) {
  std::string name(instruction.opcode);
  for (const std::string_view modifier : instruction.modifiers) name += fmt::format(".{}", modifier);
  return name;
}

// Returns the number of the target, such as 90 for "sm_90a".
unsigned target_number(const PtxTree& tree) {
  unsigned number = 0;
  for (const std::string_view word : tree.target)
    if (word.starts_with("sm_")) std::from_chars(word.data() + 3, word.data() + word.size(), number);
  return number;
}

class ObstacleFinder {
 public:
  ObstacleFinder(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls, WaitFinder& waits)
      : tree_(tree), entry_(entry), calls_(calls), waits_(waits) {}

  std::vector<Obstacle> find(const BoundaryPlan& plan) {
    look_at_target();
    look_at_entry();
    const std::set<std::string_view> names = calls_.reachable(entry_.name);
    for (const PtxInstruction* waiting : waits_.find(names))
      add(full_opcode(*waiting), "a loop that goes on by it may wait for another block", waiting->text, kAllForms);
    for (const std::string_view name : names) {
      const CalledFunction& reached = calls_.functions.at(name);
      look_at_function(*reached.function);
      if (reached.indirect_call != nullptr) look_at_indirect_call(*reached.indirect_call);
    }
    for (const Forbidden& forbidden : plan.forbidden)
      add(full_opcode(*forbidden.instruction), forbidden.reason, forbidden.instruction->text, kPersistent);
    std::ranges::stable_sort(found_, {}, [](const Obstacle& obstacle) {
      return std::pair(obstacle.position.line, obstacle.position.column);
    });
    return std::move(found_);
  }

 private:
  void add(std::string construct, std::string_view reason, std::string_view at, TwinForms forms) {
    found_.push_back({std::move(construct), std::string(reason), tree_.position(at), forms});
  }

  void look_at_target() {
    const unsigned target = target_number(tree_);
    if (tree_.address_size != 64)
      add(".address_size 32", "its counter is at an address of 64 bits", entry_.name, kPersistent);
    if (target < 70 || tree_.version_major < 6)
      add(fmt::format("sm_{} in PTX {}.{}", target, tree_.version_major, tree_.version_minor),
          "threads of a warp can part and meet from sm_70 and PTX 6.0 on", entry_.name, kPersistent);
  }

  void look_at_entry() {
    for (const PtxDirective& directive : entry_.directives)
      if (const Rule* rule = rule_for(directive.name, kEntryRules))
        add(fmt::format(".{}", directive.name), rule->reason, directive.text, rule->forms);
    look_at_parameters();
    look_at_shared_memory();
  }

  // Checks that the words of a twin fit into the kernel's parameters. The parameters may have 32,764 bytes from sm_70
  // and PTX
  // 8.1 on, and 4,096 bytes before.
  void look_at_parameters() {
    const bool many = target_number(tree_) >= 70 &&
                      (tree_.version_major > 8 || (tree_.version_major == 8 && tree_.version_minor >= 1));
    const std::size_t most = many ? 32764 : 4096;
    if (parameters_end(entry_, alignof(PersistentWords)) + sizeof(PersistentWords) <= most) return;
    add(fmt::format("{} bytes of parameters", parameters_end(entry_, 1)), "there is no room for the words of a twin",
        entry_.name, kAllForms);
  }

  // Checks that the additional shared memory of a persistent twin fits into the 48 KiB that a kernel may declare
  // statically.
  void look_at_shared_memory() {
    constexpr std::size_t kMostStaticSharedBytes = 48 * 1024;
    const std::size_t declared = shared_bytes_of(tree_, entry_, calls_);
    if (declared > kMostStaticSharedBytes || declared + kTakenBytes <= kMostStaticSharedBytes) return;
    add(fmt::format("{} bytes of static shared memory", declared), "there is no room for what a persistent twin shares",
        entry_.name, kPersistent);
  }

  void look_at_function(const PtxFunction& function) {
    if (function.body.empty()) return look_at_foreign(function);
    for (const PtxInstruction& instruction : function.instructions) look_at_instruction(instruction);
  }

  void look_at_foreign(const PtxFunction& function) {
    if (const Rule* rule = rule_for(function.name, kCalleeRules))
      return add(std::string(function.name), rule->reason, function.name, rule->forms);
    if (!is_drivers_function(function.name))
      add(std::string(function.name), "its code is not in this text and may read the block's index", function.name,
          kAllButGuard);
  }

  void look_at_instruction(const PtxInstruction& instruction) {
    for (const PtxOperand& operand : instruction.operands)
      if (const Rule* rule = operand.name.starts_with('%') ? rule_for(operand.name, kRegisterRules) : nullptr)
        add(std::string(operand.name), rule->reason, operand.text, rule->forms);
    if (!might_match(instruction.opcode)) return;
    const std::string name = full_opcode(instruction);
    if (const Rule* rule = rule_for(name, kInstructionRules)) add(name, rule->reason, instruction.text, rule->forms);
  }

  static bool might_match(std::string_view opcode) {
    return std::ranges::any_of(kInstructionRules, [&](const Rule& rule) { return rule.prefix.starts_with(opcode); });
  }

  // Forbids twins for an indirect call whose possible targets read coordinates, because an indirect call cannot pass
  // additional arguments.
  void look_at_indirect_call(const PtxInstruction& call) {
    for (const std::string_view target : calls_.address_taken)
      if (calls_.coordinates(target).any())
        return add("call through a register",
                   fmt::format("it may reach `{}`, which reads the block's index or the grid", target), call.text,
                   kAllButGuard);
  }

  const PtxTree& tree_;
  const PtxFunction& entry_;
  const CallGraph& calls_;
  WaitFinder& waits_;
  std::vector<Obstacle> found_;
};

}  // namespace

std::vector<Obstacle> obstacles_of(const PtxTree& tree, const PtxFunction& entry, const CallGraph& calls,
                                   const BoundaryPlan& plan, WaitFinder& waits) {
  return ObstacleFinder(tree, entry, calls, waits).find(plan);
}

}  // namespace wattune::slice
