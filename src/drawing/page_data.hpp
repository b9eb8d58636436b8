// The output of web/bundle.mjs as text: built by scripts/page, or kept in web/built. The WebAssembly core has none of
// it.
#pragma once

namespace shoal::page_data {

extern const char* const policy;                                 // content security policy
extern const char* const head;                                   // the policy and the style
extern const char* const wasm;                                   // the public side: gzip, base64
extern const char* const script;                                 // the policy contains its hash
extern const char *const compare_policy, *const compare_script;  // the same for the page of a comparison
// Land and borders, and names of places (web/coast.mjs): `numbers` numbers, packed by base/packed.hpp.
struct Packed {
  const char* text;
  unsigned long long numbers;
};
extern const Packed coast_110m;
extern const Packed coast_50m;
extern const Packed coast_10m;
extern const Packed places;

}  // namespace shoal::page_data
