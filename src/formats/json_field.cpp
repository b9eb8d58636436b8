#include "formats/json_field.hpp"

namespace shoal {

Epsilon epsilon_of(const JsonField& parent) {
  const JsonField exact = parent["epsilon_exact"];
  const std::string text = exact.text();
  const Epsilon epsilon = exact.made_by([&] { return Epsilon::parse(text); });
  if (epsilon.text() != text) exact.refuse("must be the shortest decimal");
  if (parent["epsilon"].number() != epsilon.value()) parent["epsilon"].refuse("must be the value of epsilon_exact");
  return epsilon;
}

}  // namespace shoal
