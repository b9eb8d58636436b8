// Decodes bytes from a text: five characters for four bytes. A first digit states how many of the last four bytes are padding. web/bundle.mjs encodes it.
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?()[]{}@%$#_~`";

export function base85(text: string): Uint8Array<ArrayBuffer> {
  const values = new Uint8Array(128);
  for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
  const words = (text.length - 1) / 5;
  const bytes = new DataView(new ArrayBuffer(4 * words));
  for (let word = 0; word < words; word++) {
    let value = 0;
    for (let i = 1; i <= 5; i++) value = 85 * value + values[text.charCodeAt(5 * word + i)]!;
    bytes.setUint32(4 * word, value);
  }
  return new Uint8Array(bytes.buffer, 0, 4 * words - Number(text[0]));
}
