import type { Point, Region } from '../geometry/region.ts'

/**
 * What the engines of the vision operations find, in one form for all of them. Boxes and points are fractions of the
 * image as displayed, from 0 to 1; confidences go from 0 to 100.
 */
export interface FoundLabel {
  name: string
  confidence: number
  /** More general labels. */
  parents: string[]
  instances: { box: Region; confidence: number }[]
}

export interface Landmark extends Point {
  type: string
}

export interface Trait {
  value: boolean
  confidence: number
}

export const FACE_TRAITS = [
  'smile',
  'eyeglasses',
  'sunglasses',
  'eyesOpen',
  'mouthOpen',
  'occluded',
  'headwear',
] as const

type FaceTraits = { [Name in (typeof FACE_TRAITS)[number]]?: Trait }

export interface FaceAttributes extends FaceTraits {
  emotions?: { type: string; confidence: number }[]
  age?: { low: number; high: number }
  gender?: { value: string; confidence: number }
}

export interface FoundFace {
  box: Region
  /** Absent if the engine tells none. */
  confidence?: number
  landmarks: Landmark[]
  /** In degrees. */
  pose?: { roll: number; yaw: number; pitch: number }
  /** From 0 to 100. */
  quality?: { brightness: number; sharpness: number }
  attributes?: FaceAttributes
}

export interface FaceComparison {
  /** The largest face of the source. */
  sourceFace: { box: Region; confidence: number }
  /** How many faces the source has, as far as the engine tells. */
  sourceFaces?: number
  /** All faces of the target. */
  faces: { box: Region; similarity: number }[]
}

interface FoundCelebrity {
  name: string
  id: string
  confidence: number
  box: Region
  urls: string[]
}

export interface FoundCelebrities {
  celebrities: FoundCelebrity[]
  /** Faces that are of no celebrity. */
  unrecognized: number
}

export const BODY_PARTS = ['face', 'head', 'hand', 'left-hand', 'right-hand'] as const
export type BodyPart = (typeof BODY_PARTS)[number]
export const EQUIPMENT = ['face-cover', 'head-cover', 'hand-cover'] as const
export type Equipment = (typeof EQUIPMENT)[number]

export interface FoundEquipment {
  type: Equipment
  confidence: number
  covers: boolean
}

export interface FoundPerson {
  box: Region
  confidence: number
  parts: { part: BodyPart; equipment: FoundEquipment[] }[]
  /** Parts without equipment are found too, so a part that is not listed is not visible. */
  listsBareParts: boolean
}

export const RISKS = [
  'explicit',
  'suggestive',
  'violence',
  'gore',
  'hate',
  'rude',
  'drugs',
  'alcohol',
  'tobacco',
  'gambling',
  'self-harm',
] as const
export type Risk = (typeof RISKS)[number]

export interface FoundRisk {
  name: string
  parent?: string
  /** Absent if none of our categories fits. */
  category?: Risk
  confidence: number
}
