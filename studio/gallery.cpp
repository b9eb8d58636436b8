#include "studio/gallery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "shoal/error.hpp"
#include "shoal/text.hpp"
#include "studio/releases.hpp"

namespace shoal::studio {

namespace {

constexpr const char* gallery_policy =
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr const char* gallery_style =
    R"(:root{color-scheme:light dark;--paper:#fff;--ink:#1d2126;--soft:#59616b;--line:#dfe2e6;--card:#f7f8f9;--link:#00588a}
@media (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ec;--soft:#a3abb5;--line:#343a42;--card:#1d2127;--link:#7cc4f0}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI","Helvetica Neue",Arial,"Liberation Sans",sans-serif}
main{max-width:1080px;margin:0 auto;padding:28px 24px 56px}
h1{font-size:27px;line-height:1.25;margin:0 0 6px}
p{margin:0 0 20px;color:var(--soft);max-width:72ch}
ul{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(280px,1fr));gap:18px}
a{display:block;height:100%;color:inherit;text-decoration:none;background:var(--card);border:1px solid var(--line);border-radius:10px;overflow:hidden}
a:hover{border-color:var(--link)}
a:focus-visible{outline:3px solid var(--link);outline-offset:2px}
img{display:block;width:100%;height:210px;object-fit:contain;background:#fff;border-bottom:1px solid var(--line)}
b{display:block;padding:12px 16px 0;color:var(--link);overflow-wrap:anywhere}
span{display:block;padding:0 16px;font-size:14.5px}
span:last-child{padding-bottom:14px;color:var(--soft)}
)";

struct Shown {
  std::string file, name, headline, details;
};

Shown shown(const std::string& file) {
  const About summary = about(ReleaseSet::load(file));
  return {.file = file,
          .name = std::filesystem::path(file).filename().string(),
          .headline = summary.headline,
          .details = fmt::format("{}; epsilon {} for {}", summary.axes, summary.epsilon, summary.unit)};
}

std::string index(const std::vector<Shown>& all) {
  std::string cards;
  for (std::size_t i = 0; i < all.size(); ++i) {
    cards += fmt::format(
        "<li><a href=\"/release/{0}\"><img src=\"/picture/{0}\" alt=\"\" loading=\"lazy\"><b>{1}</b><span>{2}</span>"
        "<span>{3}</span></a></li>\n",
        i + 1, escaped(all[i].name), escaped(all[i].headline), escaped(all[i].details));
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>Releases</title><link rel=\"stylesheet\" "
      "href=\"/gallery.css\"></head>\n<body><main><h1>Releases</h1><p>Each page explores one release. Exploring a "
      "release "
      "spends no privacy budget.</p><ul>\n{}</ul></main></body></html>\n",
      cards);
}

// The release that "/KIND/NUMBER" asks for.
const Shown* asked_for(const std::vector<Shown>& all, std::string_view path, std::string_view kind) {
  if (!path.starts_with(kind)) return nullptr;
  path.remove_prefix(kind.size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
  if (error != std::errc{} || end != path.data() + path.size() || number < 1 || number > all.size()) return nullptr;
  return &all[number - 1];
}

}  // namespace

Response released_page(const ReleaseSet& release) {
  // The document's own policy names its script; this one adds where the document may stand and what it may reach.
  return {.type = "text/html; charset=utf-8",
          .body = release.html(),
          .policy = fmt::format("{}; frame-ancestors 'self'; sandbox allow-scripts allow-downloads", page_policy())};
}

Response icon() {
  return {
      .type = "image/svg+xml",
      .body =
          R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#00588a"/>)"
          R"(<g fill="#fff"><circle cx="12" cy="12" r="4"/><circle cx="19" cy="10" r="3"/><circle cx="10" cy="20" r="3"/>)"
          R"(<circle cx="24" cy="23" r="4" fill="#ffcf70"/></g></svg>)"};
}

Response download(const ReleaseSet& release, const std::string& name, const std::string& suffix) {
  const std::string type = suffix == ".html"  ? "text/html; charset=utf-8"
                           : suffix == ".csv" ? "text/csv; charset=utf-8"
                           : suffix == ".svg" ? "image/svg+xml"
                           : suffix == ".png" ? "image/png"
                                              : "application/json; charset=utf-8";
  return {.type = type,
          .body = release.contents(suffix),
          .policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox",
          .fields = {{"Content-Disposition", fmt::format("attachment; filename=\"{}{}\"", name, suffix)}}};
}

Site gallery(const std::vector<std::string>& files) {
  std::vector<Shown> all;
  for (const std::string& file : files) all.push_back(shown(file));
  return {.answer = [all = std::move(all)](const Request& request) -> Response {
    if (request.method != "GET") return refusal(405, "a gallery is read only");
    if (request.path == "/") return {.type = "text/html; charset=utf-8", .body = index(all), .policy = gallery_policy};
    if (request.path == "/gallery.css") return {.type = "text/css; charset=utf-8", .body = gallery_style};
    if (request.path == "/favicon.ico") return icon();
    if (const Shown* loaded = asked_for(all, request.path, "/release/"))
      return released_page(ReleaseSet::load(loaded->file));
    if (const Shown* loaded = asked_for(all, request.path, "/picture/")) {
      Response picture = download(ReleaseSet::load(loaded->file), "picture", ".svg");
      picture.fields.clear();
      return picture;
    }
    return refusal(404, "there is no such page");
  }};
}

}  // namespace shoal::studio
