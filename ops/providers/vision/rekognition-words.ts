import type { ModerationLabel } from '@aws-sdk/client-rekognition'
import { type Hints, Problem } from '#kit'
import { roundConfidence } from '../../../tasks/formats/vision/boxes.ts'
import type { FoundRisk, Risk } from '../../../tasks/formats/vision/results.ts'

/** Labels of version 7 of its model, the first of a label and its parents that is listed counts. */
const CATEGORIES: Readonly<Record<string, Risk>> = {
  Explicit: 'explicit',
  'Non-Explicit Nudity of Intimate parts and Kissing': 'suggestive',
  'Swimwear or Underwear': 'suggestive',
  Violence: 'violence',
  'Self-Harm': 'self-harm',
  'Blood & Gore': 'gore',
  'Visually Disturbing': 'gore',
  'Drugs & Tobacco': 'drugs',
  Smoking: 'tobacco',
  Alcohol: 'alcohol',
  'Rude Gestures': 'rude',
  Gambling: 'gambling',
  'Hate Symbols': 'hate',
}

export function readModerationLabel(label: ModerationLabel, all: readonly ModerationLabel[]): FoundRisk {
  const { Name: name = '', ParentName: parent, Confidence = 0 } = label
  const category = findCategory(label, all)
  return { name, ...(parent && { parent }), ...(category && { category }), confidence: roundConfidence(Confidence) }
}

function findCategory({ Name = '', ParentName }: ModerationLabel, all: readonly ModerationLabel[]): Risk | undefined {
  const own = CATEGORIES[Name]
  if (own || !ParentName || ParentName === Name) return own
  const parent = all.find(({ Name: name, ParentName: next }) => name === ParentName && next !== Name)
  return parent ? findCategory(parent, all) : CATEGORIES[ParentName]
}

interface SdkError extends Error {
  $metadata?: { httpStatusCode?: number }
  code?: unknown
}

const THROTTLED = /Throttling|ProvisionedThroughputExceeded|LimitExceeded|TooManyRequests|SlowDown/
const RETRY_SECONDS = 5

/** Network errors name addresses inside, so callers get their code alone. */
export function explainFailure(error: unknown): Problem {
  const { name, message, $metadata, code } = error as SdkError
  const detail = message?.slice(0, 200)
  if (name === 'InvalidImageFormatException') return new Problem('IMAGE_DECODE_FAILED', { provider: 'rekognition' })
  if (name === 'InvalidParameterException' || name === 'ImageTooLargeException')
    return /face/i.test(message)
      ? new Problem('NO_FACE_FOUND', { which: 'source' })
      : new Problem('IMAGE_DECODE_FAILED', { provider: 'rekognition', detail })
  if (THROTTLED.test(name)) return unavailable({ reason: name, retryAfterSeconds: RETRY_SECONDS })
  if (name === 'TimeoutError' || name === 'AbortError') return unavailable({ reason: 'no complete answer in time' })
  const providerStatus = $metadata?.httpStatusCode
  return unavailable(
    providerStatus === undefined
      ? { reason: typeof code === 'string' ? code : name }
      : { providerStatus, reason: name },
  )
}

export function unavailable(hints: Hints): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { provider: 'rekognition', ...hints })
}
