#include "publication_arguments.hpp"

#include "command.hpp"

namespace shoal::cli {

void PublicationArguments::add(CLI::App& command) {
  start_group(command, "Publication (public text)");
  command.add_option("--title", title, "Title of page and pictures");
  command.add_option("--source", source, "Source of the data, as readers may know it");
  command.add_option("--date", date, "Date or period of the data, in any form");
  command.add_option("--contact", contact, "Where readers may ask");
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

}  // namespace shoal::cli
