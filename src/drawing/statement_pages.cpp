// A statement as text and as a page.
#include <fmt/format.h>

#include <algorithm>

#include "drawing/canvas.hpp"
#include "shoal/explain.hpp"

namespace shoal {

namespace {

constexpr std::size_t line_width = 80;

// For A4 and Letter: the print rules make the text smaller, keep rows and points whole and drop the shade.
constexpr const char* statement_style = R"(
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:#f4f5f6;color:#1d2126;font:16px/1.5 Georgia,"Times New Roman","Liberation Serif",serif}
main{max-width:800px;margin:24px auto;padding:44px 52px 36px;background:#fff;border:1px solid #dfe2e6;border-radius:4px}
h1,h2,th,dt,.facts dd,footer{font-family:system-ui,-apple-system,"Segoe UI","Helvetica Neue",Arial,"Liberation Sans",sans-serif}
h1{font-size:26px;line-height:1.2;margin:0 0 4px}
.lead{color:#59616b;margin:0 0 20px}
h2{font-size:17px;margin:26px 0 6px;padding-top:10px;border-top:1px solid #dfe2e6}
p{margin:0 0 9px;overflow-wrap:anywhere}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px 18px;margin:0;padding:14px 16px;background:#eef5f1;border-left:5px solid #0b6e4f}
.weak .facts{background:#fff3d6;border-color:#8a5a00}
dt{color:#4c545d;font-size:12.5px}
.facts dd{margin:0;font-size:16px;font-weight:600;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;margin:4px 0 10px;font-size:15px;font-variant-numeric:tabular-nums}
th{text-align:left;font-size:12.5px;font-weight:600;color:#4c545d;border-bottom:1.5px solid #b9bfc6;padding:3px 14px 3px 0}
td{border-bottom:1px solid #e6e8eb;padding:4px 14px 4px 0;vertical-align:top;overflow-wrap:anywhere}
td:first-child{width:60%}
.settings td:first-child{width:26%;color:#4c545d}
tr.total td{font-weight:600;border-bottom:0}
ul{margin:4px 0 0;padding-left:1.2em}
li{margin:0 0 6px;overflow-wrap:anywhere}
footer{margin-top:24px;padding-top:8px;border-top:1px solid #dfe2e6;color:#59616b;font-size:12.5px}
@media (max-width:600px){main{margin:0;padding:22px 18px;border:0}}
@media print{@page{margin:11mm 15mm}
body{background:#fff;color:#000;font-size:8.5pt;line-height:1.26}
main{max-width:none;margin:0;padding:0;border:0}
h1{font-size:15pt;margin-bottom:5pt}.lead,footer{display:none}
h2{font-size:10.5pt;margin:6pt 0 2pt;padding-top:4pt;break-after:avoid}
p{margin-bottom:3pt}li{margin-bottom:1.5pt}
.facts{background:none;border:1px solid #888;border-left:4pt solid #0b6e4f;padding:6pt 9pt;gap:2pt 12pt}
.facts dd{font-size:10.5pt}dt,th{font-size:8pt;color:#333}
table{font-size:8.4pt;margin:1pt 0 3pt}td,th{padding-top:1.2pt;padding-bottom:1.2pt}
tr,li,.facts{break-inside:avoid}}
)";

// Breaks a text into lines; `indent` stands before every line but the first.
std::string wrapped(const std::string& text, const std::string& first, const std::string& indent) {
  std::string result = first;
  std::size_t column = first.size();
  bool empty = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (!empty && column + 1 + word.size() > line_width) {
      result += "\n" + indent;
      column = indent.size();
      empty = true;
    }
    result += (empty ? "" : " ") + word;
    column += word.size() + (empty ? 0 : 1);
    empty = false;
  }
  return result + "\n";
}

std::string table_text(const StatementTable& table) {
  std::size_t widest = table.head.empty() ? 0 : table.head.front().size();
  for (const auto& row : table.rows) widest = std::max(widest, row.front().size());
  const auto line = [widest](const std::vector<std::string>& row) {
    constexpr int column = 7;  // of a table with more than two
    std::string before = fmt::format("  {:<{}}  ", row.front(), widest);
    for (std::size_t i = 1; i + 1 < row.size(); ++i) before += fmt::format("{:<{}}", row[i], column);
    return wrapped(row.back(), before, std::string(widest + 4, ' '));
  };
  std::string text = table.head.empty() ? "" : line(table.head);
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::string table_html(const StatementTable& table) {
  if (table.rows.empty()) return {};
  std::string text = table.head.empty() ? "<table class=\"settings\">\n" : "<table>\n<thead><tr>";
  for (const std::string& title : table.head) text += fmt::format("<th scope=\"col\">{}</th>", escaped(title));
  if (!table.head.empty()) text += "</tr></thead>\n";
  text += "<tbody>\n";
  for (const auto& row : table.rows) {
    text += row.front() == "Total" ? "<tr class=\"total\">" : "<tr>";
    for (const std::string& cell : row) text += fmt::format("<td>{}</td>", escaped(cell));
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n";
}

// The words before the first full stop name the point.
std::string point_html(const std::string& point) {
  const std::size_t stop = point.find(". ");
  constexpr std::size_t longest_name = 48;
  if (stop == std::string::npos || stop > longest_name) return fmt::format("<li>{}</li>\n", escaped(point));
  return fmt::format("<li><b>{}</b>{}</li>\n", escaped(point.substr(0, stop + 1)), escaped(point.substr(stop + 1)));
}

}  // namespace

std::string statement_text(const PrivacyStatement& statement) {
  std::string text = "Privacy statement\n\n";
  std::size_t widest = 0;
  for (const auto& fact : statement.facts) widest = std::max(widest, fact.first.size());
  for (const auto& fact : statement.facts) text += fmt::format("  {:<{}}  {}\n", fact.first, widest, fact.second);
  for (const StatementSection& section : statement.sections) {
    text += fmt::format("\n{}\n", section.heading);
    for (const std::string& paragraph : section.paragraphs) text += wrapped(paragraph, "  ", "  ");
    text += table_text(section.table);
    for (const std::string& point : section.points) text += wrapped(point, "  - ", "    ");
  }
  return text;
}

std::string statement_html(const PrivacyStatement& statement) {
  std::string body = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : statement.facts) {
    body += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
  }
  body += "</dl>\n";
  for (const StatementSection& section : statement.sections) {
    body += fmt::format("<section>\n<h2>{}</h2>\n", escaped(section.heading));
    for (const std::string& paragraph : section.paragraphs) body += fmt::format("<p>{}</p>\n", escaped(paragraph));
    body += table_html(section.table);
    if (!section.points.empty()) {
      body += "<ul>\n";
      for (const std::string& point : section.points) body += point_html(point);
      body += "</ul>\n";
    }
    body += "</section>\n";
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri "
      "'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Privacy statement: "
      "{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body{2}>\n<main>\n<h1>Privacy statement</h1>\n"
      "<p class=\"lead\">About one release made with differential privacy, in plain words.</p>\n{3}"
      "<footer>Made by Shoal. This page is self-contained: it loads nothing and runs no scripts.</footer>\n"
      "</main>\n</body>\n</html>\n",
      escaped(statement.file), statement_style, statement.is_weak ? " class=\"weak\"" : "", body);
}

}  // namespace shoal
