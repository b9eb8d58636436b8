// What web/bundle.mjs makes, as text: there only where the pages were built (scripts/page).
#pragma once

namespace shoal::studio::studio_data {

extern const char* const page;
extern const char* const style;
extern const char* const script;

}  // namespace shoal::studio::studio_data
