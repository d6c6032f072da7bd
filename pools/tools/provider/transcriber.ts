import { type FileHandle, open } from 'node:fs/promises'
import { Problem } from '#kit'
import type { Transcriber } from '../../../ops/providers/transcription/contract.ts'
import {
  findPause,
  SAMPLE_BYTES,
  SAMPLE_RATE,
  type Speech,
  type SpeechSegment,
  wrapWav,
} from '../../../tasks/formats/media/speech.ts'
import type { HostContext } from '../../host-context.ts'
import { checkOutputFile } from '../../programs/run.ts'

// Long speech is sent in parts of at most ten minutes, each cut in the quietest fifth of a second of its last minute.

const SECOND_BYTES = SAMPLE_RATE * SAMPLE_BYTES
/** As WAV below the 25 MB that OpenAI accepts, and soon answered. */
const PART_SECONDS = 600
/** How much before the end of a part a pause is looked for. */
const PAUSE_SECONDS = 60

interface Wanted {
  language?: string
  words: boolean
}

/** Who writes down what is said, as the operator configured it. */
export function bind(context: HostContext) {
  return {
    /** Reads a file of samples: 16 kHz, one channel, 16 bits. */
    transcribe: (path: string, wanted: Wanted) => transcribe(context, path, wanted),
  }
}

export async function version({ transcriber }: HostContext): Promise<string> {
  const { provider, model } = requireTranscriber(transcriber)
  return model ? `${provider}: ${model}` : provider
}

export async function describeProvider({ transcriber }: HostContext): Promise<{ provider: string; model?: string }> {
  const { provider, model } = requireTranscriber(transcriber)
  return { provider, ...(model !== undefined && { model }) }
}

function requireTranscriber(transcriber: HostContext['transcriber']): Transcriber {
  if (!transcriber)
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'transcription', adapters: ['whisper.cpp', 'openai'] })
  return transcriber
}

/** Long sound is sent in parts that end in pauses. */
async function transcribe(context: HostContext, path: string, wanted: Wanted): Promise<Speech> {
  const transcriber = requireTranscriber(context.transcriber)
  await using file = await open(await checkOutputFile(context, path, 'ffmpeg'))
  const { size } = await file.stat()
  const segments: SpeechSegment[] = []
  let { language } = wanted
  for (let at = 0; at < size; ) {
    const samples = await readPart(file, at, size)
    const seconds = samples.length / SECOND_BYTES
    const speech = await transcriber.transcribe({ ...wanted, wav: wrapWav(samples), seconds }, context)
    if (speech.segments.length > 0) language ??= speech.language
    segments.push(...speech.segments.map(segment => shift(segment, at / SECOND_BYTES)))
    at += samples.length
    context.onProgress?.(Math.round(at / SECOND_BYTES), Math.round(size / SECOND_BYTES), 'seconds')
  }
  return { ...(language !== undefined && { language }), segments }
}

async function readPart(file: FileHandle, at: number, size: number): Promise<Buffer> {
  const samples = Buffer.alloc(Math.min(PART_SECONDS * SECOND_BYTES, size - at))
  const { bytesRead } = await file.read(samples, 0, samples.length, at)
  if (bytesRead !== samples.length) throw new Error('the sound ended while it was read')
  if (at + samples.length === size) return samples
  return samples.subarray(0, findPause(samples, samples.length - PAUSE_SECONDS * SECOND_BYTES))
}

function shift({ words, ...segment }: SpeechSegment, seconds: number): SpeechSegment {
  const move = <Timed extends { start: number; end: number }>(timed: Timed) => ({
    ...timed,
    start: round(timed.start + seconds),
    end: round(timed.end + seconds),
  })
  return { ...move(segment), ...(words && { words: words.map(move) }) }
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
