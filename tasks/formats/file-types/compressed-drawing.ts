import { constants, gunzipSync } from 'node:zlib'
import { recogniseLegacyMarkup, recogniseText } from './text.ts'

const SVG = 'image/svg+xml'
/** Decompressed, they are four megabytes at most, and have the root element of a drawing in any case. */
const HEAD_BYTES = 4096
const MAX_TEXT_BYTES = 64 * 1024

/** SVG if a gzip file begins as one, such as .svgz. */
export function recogniseCompressedDrawing(head: Uint8Array): string[] {
  try {
    const whole = gunzipSync(head.subarray(0, HEAD_BYTES), { finishFlush: constants.Z_SYNC_FLUSH })
    const text = whole.subarray(0, MAX_TEXT_BYTES)
    const types = [...recogniseText(text.toString('utf8')).types, ...recogniseLegacyMarkup(text)]
    return types.includes(SVG) ? [SVG] : []
  } catch {
    return []
  }
}
