import type { Point, Region } from '../geometry/region.ts'

/** Something that a model has found, in pixels of its input. */
export interface Detection {
  label: string
  /** From 0 to 100. */
  confidence: number
  box: Region
  landmarks: Point[]
}

/** How much two boxes overlap: 1 if they are equal, 0 if they do not touch. */
function computeOverlap(one: Region, other: Region): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y)
  if (width <= 0 || height <= 0) return 0
  const shared = width * height
  return shared / (one.width * one.height + other.width * other.height - shared)
}

const MAX_DETECTIONS = 300

/** Of detections of one label that overlap by more than `limit`, keeps the surest; the surest come first. */
export function suppressOverlaps(detections: readonly Detection[], limit: number): Detection[] {
  const kept: Detection[] = []
  for (const detection of detections.toSorted((a, b) => b.confidence - a.confidence)) {
    if (kept.length >= MAX_DETECTIONS) break
    const isRepeated = kept.some(
      ({ label, box }) => label === detection.label && computeOverlap(box, detection.box) > limit,
    )
    if (!isRepeated) kept.push(detection)
  }
  return kept
}

/** Turns a box in pixels of a model's input into fractions of the image, whose place in that input is given. */
export function toFractions(box: Region, placement: Region): Region {
  const left = (box.x - placement.x) / placement.width
  const top = (box.y - placement.y) / placement.height
  return clipBox({ x: left, y: top, width: box.width / placement.width, height: box.height / placement.height })
}

export function toFraction({ x, y }: Point, placement: Region): Point {
  return {
    x: roundFraction((x - placement.x) / placement.width),
    y: roundFraction((y - placement.y) / placement.height),
  }
}

/** The part of a box, given in fractions, that is inside the image. */
export function clipBox({ x, y, width, height }: Region): Region {
  const clip = (value: number) => Math.min(1, Math.max(0, value))
  const [left, top, right, bottom] = [clip(x), clip(y), clip(x + width), clip(y + height)]
  return {
    x: roundFraction(left),
    y: roundFraction(top),
    width: roundFraction(right - left),
    height: roundFraction(bottom - top),
  }
}

function roundFraction(value: number): number {
  return Math.round(value * 1e5) / 1e5
}

export function roundConfidence(value: number): number {
  return Math.round(Math.min(100, Math.max(0, value)) * 100) / 100
}
