import type { Speech } from '../../../tasks/formats/media/speech.ts'
import type { CallLimits } from '../call-limits.ts'
import type { TranscriptionConfig } from './settings.ts'

export interface SpeechRequest {
  /** 16 kHz, one channel, 16 bits. */
  wav: Uint8Array<ArrayBuffer>
  seconds: number
  /** ISO 639-1; without it the provider detects it. */
  language?: string
  /** Whether the times of words are wanted; not every provider gives them. */
  words: boolean
}

export interface Transcriber {
  readonly provider: TranscriptionConfig['provider']
  readonly model?: string
  /** Throws PROVIDER_UNAVAILABLE, or INVALID_PARAM if the provider does not know the language. */
  transcribe(request: SpeechRequest, limits: CallLimits): Promise<Speech>
}

/** How a provider wants to be asked. */
export interface TranscriptionFormat {
  path: string
  listFields(request: SpeechRequest, model: string | undefined): [name: string, value: string][]
}
