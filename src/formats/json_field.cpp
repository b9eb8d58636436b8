#include "formats/json_field.hpp"

#include <utility>

namespace shoal {

namespace {

// Builds the document from parser events. Parsing with a callback would take time that grows with the square of a list.
class DocumentBuilder final : public json::json_sax_t {
 public:
  DocumentBuilder(json& document, std::size_t deepest) : document_(document), deepest_(deepest) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // JSON has no binary values
  bool start_object(std::size_t /*size*/) override { return open(json::object()); }
  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      throw InputError(fmt::format("at the top: the key '{}' occurs twice", name));
    }
    next_ = &(*open_.back())[name];
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(json::array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/, const json::exception& error) override {
    throw InputError(fmt::format("it is cut off or damaged ({})", error.what()));
  }

 private:
  // Returns where the next value goes: after a key, at the end of a list, or the whole document.
  json& place() {
    if (json* const keyed = std::exchange(next_, nullptr)) return *keyed;
    if (open_.empty()) return document_;
    open_.back()->push_back(nullptr);
    return open_.back()->back();
  }
  bool add(json value) {
    place() = std::move(value);
    return true;
  }
  bool open(json empty) {
    if (open_.size() == deepest_) throw InputError("at the top: its lists and objects are nested too deeply");
    json& here = place();
    here = std::move(empty);
    open_.push_back(&here);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json& document_;
  std::size_t deepest_;
  std::vector<json*> open_;  // none of them moves while a value inside it is open
  json* next_ = nullptr;
};

}  // namespace

json parse_strictly(const std::string& text, std::size_t deepest) {
  json document;
  DocumentBuilder builder(document, deepest);
  json::sax_parse(text, &builder);
  return document;
}

Epsilon epsilon_of(const JsonField& parent) {
  const JsonField exact = parent["epsilon_exact"];
  const std::string& text = exact.text();
  const Epsilon epsilon = exact.made_by([&] { return Epsilon::parse(text); });
  if (epsilon.text() != text) exact.refuse("must be the shortest decimal");
  if (parent["epsilon"].number() != epsilon.value()) parent["epsilon"].refuse("must be the value of epsilon_exact");
  return epsilon;
}

}  // namespace shoal
