// What web/bundle.mjs makes, as text: there only where the page was built (scripts/page).
#pragma once

namespace shoal::page_data {

extern const char* const policy;                                 // content security policy
extern const char* const head;                                   // the policy and the style
extern const char* const wasm;                                   // the public side: gzip, base64
extern const char* const script;                                 // its hash stands in the policy
extern const char *const compare_policy, *const compare_script;  // the same of the page of a comparison
// Lines of coasts and borders (web/coast.mjs), as base/packed.hpp packs so many numbers.
struct Packed {
  const char* text;
  unsigned long long numbers;
};
extern const Packed coast_110m;
extern const Packed coast_50m;
extern const Packed coast_10m;

}  // namespace shoal::page_data
