// fmt's functions, compiled once for the whole library. Debian ships them only as a shared library, which a relocatable
// build cannot use. With fmt's header-only mode, every source would compile them again.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto locale_ref::get<std::locale>() const -> std::locale;
template auto dragonbox::to_decimal(float value) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double value) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl(locale_ref locale) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref locale) -> char;
template void buffer<char>::append(const char* begin, const char* end);
template void vformat_to(buffer<char>& out, string_view format, basic_format_args<FMT_BUFFER_CONTEXT(char)> arguments,
                         locale_ref locale);

}  // namespace detail
FMT_END_NAMESPACE
