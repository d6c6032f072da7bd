import type { Finding, ReasonCode } from '../../../formats/identity/reasons.ts'
import type { FaceFault, ImageQuality } from '../reader.ts'

/** Decision 0340. */
const MIN_SHARPNESS = 0.5
const MAX_BRIGHTNESS = 252
const MIN_SIDE = 300

/** What is wrong with an image so that a better one may help. */
function findFault({ width, height, sharpness, brightness }: ImageQuality): ReasonCode | undefined {
  if (brightness > MAX_BRIGHTNESS) return 'IMAGE_GLARE'
  return sharpness < MIN_SHARPNESS || Math.min(width, height) < MIN_SIDE ? 'IMAGE_BLURRY' : undefined
}

export function checkQuality(images: readonly ImageQuality[]): Finding[] {
  if (images.length === 0) return [{ name: 'image_quality', result: 'skipped', detail: 'the images were not measured' }]
  const faults = images.flatMap(image => {
    const reason = findFault(image)
    return reason ? [{ side: image.side, reason }] : []
  })
  if (faults.length === 0) return [{ name: 'image_quality', result: 'pass', detail: null }]
  return faults.map(({ side, reason }) => ({ name: 'image_quality', result: 'review', detail: side, reason }))
}

const SAME_PERSON = 90
const OTHER_PERSON = 50

const FACE_FAULTS: Record<FaceFault, string> = {
  unavailable: 'the provider that compares faces could not be asked',
  'not-comparable': 'the images could not be compared',
  'no-face-in-selfie': 'no face was found in the selfie',
  'no-face-in-document': 'no face was found in the document',
}

/** An estimate for the person who decides, never a decision. */
export function checkFaces(similarity: number | undefined, fault: FaceFault | undefined): Finding {
  const name = 'face_match'
  if (similarity === undefined)
    return { name, result: 'review', detail: fault ? FACE_FAULTS[fault] : 'no engine compares faces here' }
  const detail = `similarity ${Math.round(similarity)} of 100`
  if (similarity >= SAME_PERSON) return { name, result: 'pass', detail }
  return { name, result: 'review', detail, ...(similarity < OTHER_PERSON && { reason: 'FACE_MISMATCH' as const }) }
}
