// What the other objects need of libfmt, whose package has no static library: this source uses the header-only form of
// each function, and so defines it.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <cstdint>
#include <locale>
#include <tuple>

namespace shoal::cli {

// Never called.
auto used_functions_of_fmt() {
  void (*const print)(fmt::string_view, fmt::format_args) = &fmt::vprint;
  void (*const print_to)(std::FILE*, fmt::string_view, fmt::format_args) = &fmt::vprint;
  std::string (*const to_text)(fmt::string_view, fmt::format_args) = &fmt::vformat;
  std::locale (fmt::detail::locale_ref::*const locale)() const = &fmt::detail::locale_ref::get<std::locale>;
  fmt::detail::thousands_sep_result<char> (*const thousands)(fmt::detail::locale_ref) =
      &fmt::detail::thousands_sep_impl<char>;
  bool (*const printable)(std::uint32_t) = &fmt::detail::is_printable;
  return std::make_tuple(print, print_to, to_text, locale, thousands, printable);
}

}  // namespace shoal::cli
