#include "publication_arguments.hpp"

#include <fmt/format.h>

#include "command.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/release.hpp"

namespace shoal::cli {

void PublicationArguments::add(CLI::App& command) {
  start_group(command, "Publication (public)");
  command.add_option("--title", title, "Title of page and pictures");
  command.add_option("--source", source, "Source of the data, as readers may know it");
  command.add_option("--date", date, "Date or period of the data, in any form");
  command.add_option("--contact", contact, "Where readers may ask");
  command.add_option("--basemap", base_map, "Your own map (GeoJSON) under clusters on a map");
}

Publication PublicationArguments::over(Publication publication) const {
  const auto put = [](const std::optional<std::string>& given, std::string& field) {
    if (given) field = *given;
  };
  put(title, publication.title);
  put(source, publication.source);
  put(date, publication.date);
  put(contact, publication.contact);
  check_publication(publication);
  return publication;
}

Publication PublicationArguments::over(Publication publication, const Grid& grid) const {
  publication = over(std::move(publication));
  if (!base_map) return publication;
  constexpr std::size_t largest = std::size_t{64} << 20;
  const std::string geojson = read_file(*base_map, largest);
  try {
    publication.base_map = published_base_map(geojson, grid);
    check_publication(publication);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--basemap '{}': {}", *base_map, error.what()));
  }
  return publication;
}

std::vector<std::string> PublicationArguments::files(std::vector<std::string> inputs) const {
  if (base_map) inputs.push_back(*base_map);
  return inputs;
}

}  // namespace shoal::cli
