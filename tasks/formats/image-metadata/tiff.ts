import { createUnwantedTest, METADATA_BY_TAG, removeXmpLocation, type StripState } from './strip-gps.ts'
import { removeTags } from './tiff-editor.ts'

const XMP = 700

export function stripTiff(file: Buffer, state: StripState): Buffer {
  const result = Buffer.from(file)
  const visit = (tag: number, value: Uint8Array) => {
    if (tag === XMP && state.isOnlyGps) value.set(removeXmpLocation(Buffer.from(value), state))
  }
  for (const tag of removeTags(result, createUnwantedTest(state), visit)) {
    const name = METADATA_BY_TAG.get(tag)!
    state.removed.add(name)
    if (tag === 34_853) state.hadGps = true
  }
  return result
}
