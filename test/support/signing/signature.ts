/** What the last signature of a document covers, and the signature itself, found without any library of PDF. */
export function readSignature(bytes: Uint8Array): { signed: Buffer; cms: Buffer; contentsAt: number } {
  const file = Buffer.from(bytes)
  const ranges = [...file.toString('latin1').matchAll(/\/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]/g)]
  const [start, length, second, rest] = ranges.at(-1)!.slice(1).map(Number) as [number, number, number, number]
  const signed = Buffer.concat([file.subarray(start, start + length), file.subarray(second, second + rest)])
  const padded = Buffer.from(file.toString('latin1', start + length + 1, second - 1), 'hex')
  return { signed, cms: padded.subarray(0, 4 + padded.readUInt16BE(2)), contentsAt: start + length + 1 }
}
