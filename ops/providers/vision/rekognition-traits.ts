import type { FaceDetail } from '@aws-sdk/client-rekognition'
import { roundConfidence } from '../../../tasks/formats/vision/boxes.ts'
import type { FaceAttributes, Trait } from '../../../tasks/formats/vision/results.ts'

/** What Rekognition estimates of a face. */
export function readTraits(face: FaceDetail): FaceAttributes {
  const { AgeRange, Gender, Emotions = [] } = face
  return {
    smile: readTrait(face.Smile),
    eyeglasses: readTrait(face.Eyeglasses),
    sunglasses: readTrait(face.Sunglasses),
    eyesOpen: readTrait(face.EyesOpen),
    mouthOpen: readTrait(face.MouthOpen),
    occluded: readTrait(face.FaceOccluded),
    emotions: Emotions.map(({ Type = '', Confidence = 0 }) => ({
      type: Type.toLowerCase(),
      confidence: roundConfidence(Confidence),
    })),
    ...(AgeRange && { age: { low: AgeRange.Low ?? 0, high: AgeRange.High ?? 0 } }),
    ...(Gender && {
      gender: { value: (Gender.Value ?? '').toLowerCase(), confidence: roundConfidence(Gender.Confidence ?? 0) },
    }),
  }
}

function readTrait(record: { Value?: boolean; Confidence?: number } | undefined): Trait | undefined {
  return record && { value: record.Value ?? false, confidence: roundConfidence(record.Confidence ?? 0) }
}
