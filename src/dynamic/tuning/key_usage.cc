#include "dynamic/tuning/key_usage.h"

namespace wattune::inline v0_1::dynamic {

void KeyUsage::count(const Pairing& pairing) {
  const std::uint64_t calls = path_.calls();
  const std::uint64_t further = calls - std::exchange(counted_calls_, calls);
  const std::optional<Nanoseconds> time = pairing.best_time();
  if (!time) return;
  const ConfigurationId id = pairing.best()->configuration().id();
  if (!beginning_with_) {
    beginning_with_ = {id, *time};
    around_.usage.add_key();
  }
  const double count = static_cast<double>(further);
  took_ += count * *time;
  around_.usage.add(count * *time);
  if (id != beginning_with_->first) around_.stall_budget.save(count * (beginning_with_->second - *time));
  const Nanoseconds run = static_cast<double>(told_calls_) * *time;
  around_.stall_budget.expect(run - std::exchange(told_run_, run));
}

Nanoseconds KeyUsage::outlook() const {
  const std::uint64_t calls = path_.calls();
  const std::uint64_t off = told_calls_ > calls ? told_calls_ - calls : calls - told_calls_;
  const Nanoseconds expected = path_.expected();
  if (told_calls_ > 0 && expected > Nanoseconds()) return static_cast<double>(off) * expected;
  return std::max(took_, around_.usage.of_a_key());
}

}  // namespace wattune::dynamic
