// Text as C++ has it. Pieces of 15,000 characters: compilers promise 65,536 a literal.
export function literal(text) {
  const pieces = [];
  for (let at = 0; at < text.length; at += 15000) pieces.push(`R"~(${text.slice(at, at + 15000)})~"`);
  return pieces.length > 0 ? pieces.join("\n") : '""';
}
export const constant = (name, text) => `const char* const ${name} =\n${literal(text)};\n`;
