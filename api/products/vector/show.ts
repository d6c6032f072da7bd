import type { ReadVector } from '../../../sql/vector/search.ts'

/** Floats with no more digits than a 32-bit float has. */
export function showFloats(bytes: Uint8Array): number[] {
  const copy = Uint8Array.from(bytes)
  return Array.from(new Float32Array(copy.buffer), shortenFloat)
}

/** The shortest decimal that is read as the same 32-bit float. */
function shortenFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}

export function showVector({ id, metadata, text, values }: ReadVector) {
  return {
    id,
    ...(metadata && { metadata }),
    ...(text !== null && { text }),
    ...(values !== null && { values: showFloats(Buffer.from(values, 'base64')) }),
  }
}
