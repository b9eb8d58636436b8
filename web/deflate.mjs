// Compression by gzip(1), whose bytes are the same on every machine. Those of Node's zlib depend on its version and on the processor,
// so the page that is kept in web/built could not be compared with one that is built again.
import { execFileSync } from "node:child_process";

/** The bytes in gzip's format, without name and time. */
export const gzip = (bytes) => execFileSync("gzip", ["-9n"], { input: bytes, maxBuffer: 1 << 27 });

function adler32(bytes) {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(b * 65536 + a);
  return sum;
}

/** The bytes in zlib's format: the same stream between another head and another sum. */
export function deflate(bytes) {
  const stream = gzip(bytes).subarray(10, -8);
  return Buffer.concat([Buffer.from([0x78, 0xda]), stream, adler32(bytes)]);
}
