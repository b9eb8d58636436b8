// What web/studio.mjs makes, as text: built by scripts/page, or kept in web/built.
#pragma once

namespace shoal::studio::studio_data {

extern const char* const page;
extern const char* const style;
extern const char* const script;

}  // namespace shoal::studio::studio_data
