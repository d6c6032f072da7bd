import { Problem } from '#kit'
import { clipBox, roundConfidence } from '../../../tasks/formats/vision/boxes.ts'
import { groupLabels } from '../../../tasks/formats/vision/labels.ts'
import type { FoundFace, FoundRisk, Landmark, Risk } from '../../../tasks/formats/vision/results.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import type { FaceDetail, SentImage, VisionAdapter } from './contract.ts'

const TIMEOUT_MS = 20_000
const JPEG = { 'content-type': 'application/octet-stream' }

interface Rectangle {
  left: number
  top: number
  width: number
  height: number
}
interface AnalysisReply {
  tagsResult?: { values?: { name?: string; confidence?: number }[] }
  objectsResult?: {
    values?: {
      boundingBox?: { x: number; y: number; w: number; h: number }
      tags?: { name?: string; confidence?: number }[]
    }[]
  }
}
interface FaceReply {
  faceRectangle: Rectangle
  faceLandmarks?: Record<string, { x: number; y: number }>
  faceAttributes?: {
    headPose?: { roll: number; yaw: number; pitch: number }
    blur?: { value: number }
    exposure?: { value: number }
    glasses?: string
    occlusion?: Record<string, boolean>
    accessories?: { type: string; confidence: number }[]
  }
}

/** Image Analysis 4.0, Face and Content Safety under one endpoint and key, as a resource of several services has them. */
export function openAzure({ url, key }: { url: string; key: string }): VisionAdapter {
  const client = openProviderClient({
    provider: 'azure',
    baseUrl: url,
    headers: { 'ocp-apim-subscription-key': key },
    timeoutMs: TIMEOUT_MS,
  })
  type Call = Parameters<typeof client>[0]
  const ask = async <Reply>(call: Call): Promise<Reply> =>
    (await client({ ...call, isRepeatable: true }).catch(explainRefusal)) as Reply
  const toBody = ({ bytes }: SentImage) => new Uint8Array(bytes)

  return {
    async detectLabels(image, limits, signal) {
      const query = { 'api-version': '2024-02-01', features: 'tags,objects' }
      const call = { path: '/computervision/imageanalysis:analyze', query, body: toBody(image), headers: JPEG, signal }
      const { tagsResult, objectsResult } = await ask<AnalysisReply>(call)
      const tags = (tagsResult?.values ?? []).map(({ name = '', confidence = 0 }) => ({
        name,
        confidence: confidence * 100,
      }))
      const objects = (objectsResult?.values ?? []).flatMap(({ boundingBox, tags: [tag] = [] }) => {
        if (!boundingBox || !tag?.name) return []
        const { x, y, w, h } = boundingBox
        return {
          name: tag.name,
          confidence: (tag.confidence ?? 0) * 100,
          box: toBox({ left: x, top: y, width: w, height: h }, image),
        }
      })
      return groupLabels([...tags, ...objects], limits)
    },
    async detectFaces(image, detail, signal) {
      const query = {
        detectionModel: 'detection_01',
        returnFaceId: false,
        returnFaceLandmarks: detail.attributes !== 'none',
        returnFaceAttributes: FACE_ATTRIBUTES[detail.attributes],
      }
      const call = { path: '/face/v1.0/detect', query, body: toBody(image), headers: JPEG, signal }
      const faces = await ask<FaceReply[]>(call)
      return faces.map(face => readFace(face, image, detail))
    },
    async moderate(image, { minConfidence }, signal) {
      const json = {
        image: { content: Buffer.from(image.bytes).toString('base64') },
        categories: Object.keys(CATEGORIES),
        outputType: 'FourSeverityLevels',
      }
      const call = { path: '/contentsafety/image:analyze', query: { 'api-version': '2024-09-01' }, json, signal }
      const { categoriesAnalysis = [] } = await ask<{ categoriesAnalysis?: { category: string; severity?: number }[] }>(
        call,
      )
      return categoriesAnalysis.map(readRisk).filter(({ confidence }) => confidence >= minConfidence)
    },
  }
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof ProviderRefusal)) throw error
  const { code = '', innererror } =
    (error.body as { error?: { code?: string; innererror?: { code?: string } } }).error ?? {}
  if (/image|InvalidRequestBody/i.test(`${code} ${innererror?.code ?? ''}`))
    throw new Problem('IMAGE_DECODE_FAILED', { provider: 'azure' })
  throw new Problem('PROVIDER_UNAVAILABLE', { provider: 'azure', providerStatus: error.status })
}

function toBox({ left, top, width, height }: Rectangle, image: SentImage) {
  return clipBox({
    x: left / image.width,
    y: top / image.height,
    width: width / image.width,
    height: height / image.height,
  })
}

const FACE_ATTRIBUTES: Record<FaceDetail['attributes'], string | undefined> = {
  none: undefined,
  default: 'headPose,blur,exposure',
  all: 'headPose,blur,exposure,glasses,occlusion,accessories',
}

function readFace(face: FaceReply, image: SentImage, { attributes: detail }: FaceDetail): FoundFace {
  const { faceRectangle, faceLandmarks = {}, faceAttributes: attributes = {} } = face
  const found = { box: toBox(faceRectangle, image), landmarks: [] }
  if (detail === 'none') return found
  const landmarks = Object.entries(faceLandmarks).map(([type, { x, y }]): Landmark => {
    const name = type.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
    return { type: name, x: x / image.width, y: y / image.height }
  })
  const { headPose: pose, blur, exposure } = attributes
  const quality = blur && exposure && { brightness: exposure.value * 100, sharpness: (1 - blur.value) * 100 }
  return {
    ...found,
    landmarks,
    ...(pose && { pose }),
    ...(quality && { quality }),
    ...(detail === 'all' && { attributes: readAttributes(attributes) }),
  }
}

function readAttributes({ glasses, occlusion, accessories }: NonNullable<FaceReply['faceAttributes']>) {
  const trait = (value: boolean) => ({ value, confidence: 100 })
  const headwear = accessories?.find(({ type }) => type === 'headWear')
  return {
    ...(glasses && { eyeglasses: trait(glasses !== 'NoGlasses'), sunglasses: trait(glasses === 'Sunglasses') }),
    ...(occlusion && { occluded: trait(Object.values(occlusion).includes(true)) }),
    ...(accessories && {
      headwear: headwear ? { value: true, confidence: roundConfidence(headwear.confidence * 100) } : trait(false),
    }),
  }
}

const CATEGORIES: Readonly<Record<string, Risk>> = {
  Hate: 'hate',
  SelfHarm: 'self-harm',
  Sexual: 'explicit',
  Violence: 'violence',
}
/** The service grades in steps of two, from 0 to 6. */
const CONFIDENCES = [0, 0, 50, 50, 80, 80, 95]

function readRisk({ category, severity = 0 }: { category: string; severity?: number }): FoundRisk {
  return { name: category, category: CATEGORIES[category], confidence: CONFIDENCES[severity] ?? 95 }
}
