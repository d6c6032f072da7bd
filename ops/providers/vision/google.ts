import { Problem } from '#kit'
import { clipBox, roundConfidence } from '../../../tasks/formats/vision/boxes.ts'
import { groupLabels, type LabelLimits } from '../../../tasks/formats/vision/labels.ts'
import type { FoundFace, FoundLabel, FoundRisk, Landmark, Risk } from '../../../tasks/formats/vision/results.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { FaceDetail, SentImage, VisionAdapter } from './contract.ts'

const TIMEOUT_MS = 20_000
const MAX_RESULTS = 100

interface Vertex {
  x?: number
  y?: number
}
interface FaceAnnotation {
  boundingPoly?: { vertices?: Vertex[] }
  fdBoundingPoly?: { vertices?: Vertex[] }
  landmarks?: { type?: string; position?: Vertex }[]
  rollAngle?: number
  panAngle?: number
  tiltAngle?: number
  detectionConfidence?: number
  [likelihood: `${string}Likelihood`]: string | undefined
}
interface AnnotateReply {
  error?: { code?: number; message?: string }
  labelAnnotations?: { description?: string; score?: number }[]
  localizedObjectAnnotations?: {
    name?: string
    score?: number
    boundingPoly?: { normalizedVertices?: Vertex[] }
  }[]
  faceAnnotations?: FaceAnnotation[]
  safeSearchAnnotation?: Record<string, string | undefined>
}

/** Cloud Vision by its REST API. It knows neither celebrities nor protective equipment, and does not compare faces. */
export function openGoogle({ url, key }: { url: string; key: string }): VisionAdapter {
  const client = openProviderClient({
    provider: 'google',
    baseUrl: url,
    headers: { 'x-goog-api-key': key },
    timeoutMs: TIMEOUT_MS,
  })

  async function annotate(image: SentImage, types: readonly string[], signal: AbortSignal): Promise<AnnotateReply> {
    const content = Buffer.from(image.bytes).toString('base64')
    const features = types.map(type => ({ type, maxResults: MAX_RESULTS }))
    const json = { requests: [{ image: { content }, features }] }
    const reply = await client({ path: '/v1/images:annotate', json, signal, isRepeatable: true }).catch(explainRefusal)
    const [response] = (reply as { responses?: AnnotateReply[] }).responses ?? []
    if (!response) throw new Problem('PROVIDER_UNAVAILABLE', { provider: 'google', reason: 'its answer is empty' })
    if (response.error) throw explainImageError(response.error)
    return response
  }

  return {
    async detectLabels(image, limits, signal) {
      const reply = await annotate(image, ['LABEL_DETECTION', 'OBJECT_LOCALIZATION'], signal)
      return readLabels(reply, limits)
    },
    async detectFaces(image, detail, signal) {
      const { faceAnnotations = [] } = await annotate(image, ['FACE_DETECTION'], signal)
      return faceAnnotations.map(face => readFace(face, image, detail))
    },
    async moderate(image, { minConfidence }, signal) {
      const { safeSearchAnnotation = {} } = await annotate(image, ['SAFE_SEARCH_DETECTION'], signal)
      return readRisks(safeSearchAnnotation).filter(({ confidence }) => confidence >= minConfidence)
    },
  }
}

/** A key that is not valid is answered with 400, as a request that is not. */
function explainRefusal(error: unknown): never {
  if (!(error instanceof ProviderRefusal)) throw error
  const { message = '' } = (error.body as { error?: { message?: string } }).error ?? {}
  if (/image/i.test(message)) throw new Problem('IMAGE_DECODE_FAILED', { provider: 'google' })
  throw new Problem('PROVIDER_UNAVAILABLE', { provider: 'google', providerStatus: error.status })
}

const INVALID_ARGUMENT = 3

function explainImageError({ code, message = '' }: NonNullable<AnnotateReply['error']>): Problem {
  if (code === INVALID_ARGUMENT || /bad image/i.test(message))
    return new Problem('IMAGE_DECODE_FAILED', { provider: 'google' })
  return new Problem('PROVIDER_UNAVAILABLE', { provider: 'google', providerCode: code })
}

function readLabels(reply: AnnotateReply, { maxLabels, minConfidence }: LabelLimits): FoundLabel[] {
  const { labelAnnotations = [], localizedObjectAnnotations = [] } = reply
  const labels = labelAnnotations.map(({ description = '', score = 0 }) => ({
    name: description,
    confidence: score * 100,
  }))
  const objects = localizedObjectAnnotations.map(({ name = '', score = 0, boundingPoly }) => ({
    name,
    confidence: score * 100,
    box: readBox(boundingPoly?.normalizedVertices, { width: 1, height: 1 }),
  }))
  return groupLabels([...labels, ...objects], { maxLabels, minConfidence })
}

/** A coordinate of 0 is left out. */
function readBox(vertices: readonly Vertex[] = [], { width, height }: { width: number; height: number }) {
  const [xs, ys] = [vertices.map(({ x = 0 }) => x / width), vertices.map(({ y = 0 }) => y / height)]
  const [left, top] = [Math.min(...xs, 1), Math.min(...ys, 1)]
  return clipBox({ x: left, y: top, width: Math.max(...xs, 0) - left, height: Math.max(...ys, 0) - top })
}

const LIKELIHOODS: Record<string, number> = {
  VERY_UNLIKELY: 5,
  UNLIKELY: 25,
  POSSIBLE: 50,
  LIKELY: 75,
  VERY_LIKELY: 95,
}

function readFace(face: FaceAnnotation, image: SentImage, { attributes }: FaceDetail): FoundFace {
  const { fdBoundingPoly, boundingPoly, detectionConfidence = 0, landmarks = [] } = face
  const box = readBox((fdBoundingPoly ?? boundingPoly)?.vertices, image)
  const found = { box, confidence: roundConfidence(detectionConfidence * 100), landmarks: [] }
  if (attributes === 'none') return found
  const { rollAngle: roll = 0, panAngle: yaw = 0, tiltAngle: pitch = 0 } = face
  return {
    ...found,
    landmarks: landmarks.flatMap(({ type = '', position }) => readLandmark(type, position, image)),
    pose: { roll, yaw, pitch },
    quality: readQuality(face),
    ...(attributes === 'all' && { attributes: readAttributes(face) }),
  }
}

function readLandmark(type: string, position: Vertex | undefined, { width, height }: SentImage): Landmark[] {
  if (!position) return []
  const name = type.toLowerCase().replaceAll('_', '-')
  return [{ type: name, x: (position.x ?? 0) / width, y: (position.y ?? 0) / height }]
}

function readQuality({ underExposedLikelihood, blurredLikelihood }: FaceAnnotation) {
  const isnt = (likelihood = 'POSSIBLE') => 100 - (LIKELIHOODS[likelihood] ?? 50)
  return { brightness: isnt(underExposedLikelihood), sharpness: isnt(blurredLikelihood) }
}

function readAttributes(face: FaceAnnotation): FoundFace['attributes'] {
  const trait = (likelihood: string | undefined) => {
    const value = LIKELIHOODS[likelihood ?? '']
    return value === undefined ? undefined : { value: value > 50, confidence: value > 50 ? value : 100 - value }
  }
  const emotions = (['joy', 'sorrow', 'anger', 'surprise'] as const).flatMap(type => {
    const confidence = LIKELIHOODS[face[`${type}Likelihood`] ?? '']
    return confidence === undefined ? [] : { type, confidence }
  })
  return { headwear: trait(face.headwearLikelihood), emotions }
}

const CATEGORIES: Readonly<Record<string, Risk>> = {
  adult: 'explicit',
  racy: 'suggestive',
  violence: 'violence',
  medical: 'gore',
}

function readRisks(annotation: Readonly<Record<string, string | undefined>>): FoundRisk[] {
  return Object.entries(CATEGORIES).flatMap(([name, category]) => {
    const confidence = LIKELIHOODS[annotation[name] ?? '']
    return confidence === undefined ? [] : { name, category, confidence }
  })
}
