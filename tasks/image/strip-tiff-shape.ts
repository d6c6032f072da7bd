import type { Work } from './strip-exif-shape.ts'
import { isUnwanted, NAMES, withoutPlaceInXmp } from './strip-place-shape.ts'
import { removeTags } from './tiff-edit-shape.ts'

const XMP = 700

export function stripTiff(file: Buffer, work: Work): Buffer {
  const made = Buffer.from(file)
  const look = (tag: number, value: Uint8Array) => {
    if (tag === XMP && work.isOnlyGps) value.set(withoutPlaceInXmp(Buffer.from(value), work))
  }
  for (const tag of removeTags(made, isUnwanted(work), look)) {
    const name = NAMES.get(tag)!
    work.removed.add(name)
    if (tag === 34_853) work.hadGps = true
  }
  return made
}
