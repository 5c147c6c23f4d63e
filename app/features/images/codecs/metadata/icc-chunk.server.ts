import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";

const compress = promisify(deflate);

const SIGNATURE_AND_HEADER = 8 + 25;

/** Returns the PNG with an ICC profile and the same pixel values (PNG, 11.3.2.3). sharp would convert them. */
export async function withIccProfile(png: Buffer, profile: Buffer): Promise<Buffer> {
  const body = Buffer.concat([Buffer.from("iCCPicc\0\0", "latin1"), await compress(profile)]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([png.subarray(0, SIGNATURE_AND_HEADER), chunk, png.subarray(SIGNATURE_AND_HEADER)]);
}
