#include "drawing/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drawing/base_map.hpp"
#include "drawing/page_data.hpp"
#include "drawing/report.hpp"
#include "shoal/compare.hpp"

namespace shoal {

#ifndef SHOAL_HAS_PAGE
bool has_page() { return false; }
std::string release_page_html(const Release& release) { return release_report(release); }
std::string set_page_html(const ReleaseSet& set) { return set.report(); }
std::string page_policy() {
  return "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
}
std::string linked_page(std::string page, const std::string& /*facts*/) { return page; }
std::string compare_policy() { return page_policy() + "; img-src data:"; }
#else

namespace {

constexpr std::uint64_t most_cells = std::uint64_t{1} << 24;  // a browser can easily hold this many

// Escapes text for a <script>, which ends at the first "</script". JSON needs no "<" outside its strings.
std::string inside_script(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (const char character : text) {
    if (character == '<') {
      result += "\\u003c";
    } else {
      result += character;
    }
  }
  return result;
}

void insert_before(std::string& page, const std::string& mark, const std::string& text) {
  page.insert(page.find(mark), text);
}

std::uint64_t cells_of(const Release& release) {
  const NoisyCounts* values = release.parts().values();
  return std::max(cell_count(release.cluster_cells().shape()),
                  values == nullptr ? 0 : cell_count(values->value().shape()));
}

void drop_claim(std::string& page) {
  const std::string claim = " and runs no scripts";
  if (const std::size_t at = page.rfind(claim); at != std::string::npos) page.erase(at, claim.size());
}

// Adds to a static report what is needed to explore it: the JSON, the base map, and the code.
std::string explorable(std::string page, const std::string& json, const ReleaseParts& parts) {
  insert_before(page, "</head>", page_data::head);
  insert_before(page, "<p class=\"privacy ", "<div id=\"shoal-app\" hidden></div>\n");
  std::string end =
      fmt::format("<script type=\"application/json\" id=\"shoal-release\">{}</script>\n", inside_script(json));
  end += fmt::format("<script type=\"application/json\" id=\"shoal-coast\">{}</script>\n",
                     inside_script(base_map_json(base_map_of(parts.grid, parts.publication))));
  end += fmt::format("<script type=\"text/plain\" id=\"shoal-wasm\">{}</script>\n", page_data::wasm);
  end += fmt::format("<script>{}</script>\n", page_data::script);
  insert_before(page, "</body>", end);
  drop_claim(page);
  return page;
}

}  // namespace

bool has_page() { return true; }
std::string page_policy() { return page_data::policy; }
std::string compare_policy() { return page_data::compare_policy; }

std::string linked_page(std::string page, const std::string& facts) {
  insert_before(page, "</head>",
                fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", compare_policy()));
  insert_before(page, "</body>",
                fmt::format("<script type=\"application/json\" id=\"shoal-changes\">{}</script>\n<script>{}</script>\n",
                            inside_script(facts), page_data::compare_script));
  drop_claim(page);
  return page;
}

std::string release_page_html(const Release& release) {
  if (cells_of(release) > most_cells) return release_report(release);
  return explorable(release_report(release), release.json(), release.parts());
}

std::string set_page_html(const ReleaseSet& set) {
  std::uint64_t cells = 0;
  for (const NamedRelease& part : set.parts()) cells += cells_of(part.release);
  if (cells > most_cells) return set.report();
  return explorable(set.report(), set.json(), set.first().parts());
}

#endif

}  // namespace shoal
