import type {
  BoundingBox,
  FaceDetail as FaceRecord,
  Image,
  ProtectiveEquipmentPerson,
  RekognitionClient,
} from '@aws-sdk/client-rekognition'
import { clipBox, roundConfidence } from '../../../tasks/formats/vision/boxes.ts'
import type { BodyPart, Equipment, FoundFace, FoundLabel, FoundPerson } from '../../../tasks/formats/vision/results.ts'
import { openSdkCalls } from '../http/sdk-calls.ts'
import type { SentImage, VisionAdapter } from './contract.ts'
import { readTraits } from './rekognition-traits.ts'
import { explainFailure, readModerationLabel, unavailable } from './rekognition-words.ts'
import type { RekognitionConfig } from './settings.ts'

type Sdk = typeof import('@aws-sdk/client-rekognition')

const TIMEOUT_MS = 20_000
/** A call that fails for a moment is sent once more. */
const MAX_ATTEMPTS = 2
/** The service finds faces of any likeness, and the operation decides which of them match. */
const ANY_SIMILARITY = 0

export function openRekognition(config: RekognitionConfig): VisionAdapter {
  const ask = createCall(config)
  return { ...bindScenes(ask), ...bindFaces(ask) }
}

type Ask = <Answer>(
  signal: AbortSignal,
  send: (sdk: Sdk, client: RekognitionClient, options: { abortSignal: AbortSignal }) => Promise<Answer>,
) => Promise<Answer>

function createCall(config: RekognitionConfig): Ask {
  const call = openSdkCalls({ provider: 'rekognition', load: () => load(config), explain: explainFailure, unavailable })
  return (signal, send) =>
    call({ signal, timeoutMs: TIMEOUT_MS }, ({ sdk, client }, options) => send(sdk, client, options))
}

function bindScenes(ask: Ask): VisionAdapter {
  return {
    async detectLabels(image, { maxLabels, minConfidence }, signal) {
      const input = { Image: toImage(image), MaxLabels: maxLabels, MinConfidence: minConfidence }
      const { Labels = [] } = await ask(signal, (sdk, client, options) =>
        client.send(new sdk.DetectLabelsCommand(input), options),
      )
      return Labels.map(
        ({ Name = '', Confidence = 0, Parents = [], Instances = [] }): FoundLabel => ({
          name: Name,
          confidence: roundConfidence(Confidence),
          parents: Parents.flatMap(parent => parent.Name ?? []),
          instances: Instances.map(instance => ({
            box: toBox(instance.BoundingBox),
            confidence: roundConfidence(instance.Confidence ?? 0),
          })),
        }),
      )
    },
    async detectProtection(image, signal) {
      const { Persons = [] } = await ask(signal, (sdk, client, options) =>
        client.send(new sdk.DetectProtectiveEquipmentCommand({ Image: toImage(image) }), options),
      )
      return Persons.map(readPerson)
    },
    async moderate(image, { minConfidence }, signal) {
      const input = { Image: toImage(image), MinConfidence: minConfidence }
      const { ModerationLabels = [] } = await ask(signal, (sdk, client, options) =>
        client.send(new sdk.DetectModerationLabelsCommand(input), options),
      )
      return ModerationLabels.map(label => readModerationLabel(label, ModerationLabels))
    },
  }
}

function bindFaces(ask: Ask): VisionAdapter {
  return {
    async detectFaces(image, { attributes }, signal) {
      const input = { Image: toImage(image), Attributes: [attributes === 'all' ? 'ALL' : 'DEFAULT'] as ['ALL'] }
      const { FaceDetails = [] } = await ask(signal, (sdk, client, options) =>
        client.send(new sdk.DetectFacesCommand(input), options),
      )
      return FaceDetails.map(face => readFace(face, attributes))
    },
    async compareFaces(source, target, signal) {
      const images = { SourceImage: toImage(source), TargetImage: toImage(target) }
      const { SourceImageFace, FaceMatches = [] } = await ask(signal, (sdk, client, options) =>
        client.send(new sdk.CompareFacesCommand({ ...images, SimilarityThreshold: ANY_SIMILARITY }), options),
      )
      return {
        sourceFace: {
          box: toBox(SourceImageFace?.BoundingBox),
          confidence: roundConfidence(SourceImageFace?.Confidence ?? 0),
        },
        faces: FaceMatches.map(({ Face, Similarity = 0 }) => ({
          box: toBox(Face?.BoundingBox),
          similarity: roundConfidence(Similarity),
        })),
      }
    },
    async detectCelebrities(image, signal) {
      const { CelebrityFaces = [], UnrecognizedFaces = [] } = await ask(signal, (sdk, client, options) =>
        client.send(new sdk.RecognizeCelebritiesCommand({ Image: toImage(image) }), options),
      )
      const celebrities = CelebrityFaces.map(({ Name = '', Id = '', MatchConfidence = 0, Face, Urls = [] }) => ({
        name: Name,
        id: Id,
        confidence: roundConfidence(MatchConfidence),
        box: toBox(Face?.BoundingBox),
        urls: Urls.map(url => (/^https?:/.test(url) ? url : `https://${url}`)),
      }))
      return { celebrities, unrecognized: UnrecognizedFaces.length }
    },
  }
}

async function load({ region, endpoint, credentials }: RekognitionConfig) {
  const sdk = await import('@aws-sdk/client-rekognition')
  const client = new sdk.RekognitionClient({ region, endpoint, credentials, maxAttempts: MAX_ATTEMPTS })
  return { sdk, client }
}

function toImage({ bytes }: SentImage): Image {
  return { Bytes: bytes }
}

function toBox({ Left = 0, Top = 0, Width = 0, Height = 0 }: BoundingBox = {}) {
  return clipBox({ x: Left, y: Top, width: Width, height: Height })
}

function readFace(face: FaceRecord, attributes: 'none' | 'default' | 'all'): FoundFace {
  const { BoundingBox, Confidence = 0, Landmarks = [], Pose, Quality } = face
  const found = { box: toBox(BoundingBox), confidence: roundConfidence(Confidence), landmarks: [] }
  if (attributes === 'none') return found
  const { Roll: roll = 0, Yaw: yaw = 0, Pitch: pitch = 0 } = Pose ?? {}
  const { Brightness: brightness = 0, Sharpness: sharpness = 0 } = Quality ?? {}
  return {
    ...found,
    landmarks: Landmarks.map(({ Type = '', X = 0, Y = 0 }) => ({ type: toWords(Type), x: X, y: Y })),
    ...(Pose && { pose: { roll, yaw, pitch } }),
    ...(Quality && { quality: { brightness, sharpness } }),
    ...(attributes === 'all' && { attributes: readTraits(face) }),
  }
}

/** `eyeLeft` becomes `eye-left`. */
function toWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

const toName = (name = '') => name.toLowerCase().replace('_', '-')

function readPerson({ BoundingBox, Confidence = 0, BodyParts = [] }: ProtectiveEquipmentPerson): FoundPerson {
  return {
    box: toBox(BoundingBox),
    confidence: roundConfidence(Confidence),
    listsBareParts: true,
    parts: BodyParts.map(({ Name, EquipmentDetections = [] }) => ({
      part: toName(Name) as BodyPart,
      equipment: EquipmentDetections.map(({ Type, Confidence: sureness = 0, CoversBodyPart }) => ({
        type: toName(Type) as Equipment,
        confidence: roundConfidence(sureness),
        covers: CoversBodyPart?.Value ?? false,
      })),
    })),
  }
}
