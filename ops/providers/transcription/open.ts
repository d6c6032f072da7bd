import { Problem } from '#kit'
import type { Speech } from '../../../tasks/formats/media/speech.ts'
import type { CallLimits } from '../call-limits.ts'
import type { CountedCall } from '../counted-call.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import { callUntilDeadline } from '../http/until-deadline.ts'
import { readSpeech, unavailable } from './answer.ts'
import type { SpeechRequest, Transcriber } from './contract.ts'
import { OPENAI } from './openai.ts'
import type { TranscriptionConfig } from './settings.ts'
import { WHISPER_CPP } from './whisper-cpp.ts'

const FORMATS = { 'whisper.cpp': WHISPER_CPP, openai: OPENAI }
/** Below the five minutes after which fetch gives up by itself. */
const ATTEMPT_MS = 280_000
const MAX_BYTES = 16 * 2 ** 20

interface Options {
  /** Counts what was asked of the provider, answered or not. */
  onCall?(call: CountedCall): void
}

/** Gives undefined without a provider; transcription is then unavailable. */
export function openTranscriber(
  config: TranscriptionConfig | undefined,
  { onCall }: Options = {},
): Transcriber | undefined {
  if (!config) return undefined
  const { provider, url: baseUrl, apiKey, model } = config
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  const client = openProviderClient({ provider, baseUrl, headers, maxBytes: MAX_BYTES })
  const { path, listFields } = FORMATS[provider]

  async function ask(request: SpeechRequest, limits: CallLimits): Promise<Speech> {
    const body = buildForm(request.wav, listFields(request, model))
    const patience = { capability: 'transcription', attemptMs: ATTEMPT_MS }
    try {
      return readSpeech(await callUntilDeadline(client, { path, body }, limits, patience), request)
    } catch (error) {
      throw error instanceof ProviderRefusal ? toProblem(error, request) : error
    }
  }

  async function transcribe(request: SpeechRequest, limits: CallLimits): Promise<Speech> {
    const count = (isOk: boolean) =>
      onCall?.({ provider, model: model ?? 'transcribe', isOk, inputTokens: 0, outputTokens: 0, costMicros: 0 })
    try {
      const speech = await ask(request, limits)
      count(true)
      return speech
    } catch (error) {
      if (!limits.signal.aborted) count(false)
      throw error
    }
  }

  return { provider, ...(model !== undefined && { model }), transcribe }
}

function buildForm(wav: Uint8Array<ArrayBuffer>, fields: readonly [string, string][]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  form.append('file', new Blob([wav], { type: 'audio/wav' }), 'sound.wav')
  return form
}

/** The sound and the form are ours, so that only the language can be wrong by a caller. */
function toProblem({ status: providerStatus, body }: ProviderRefusal, { language }: SpeechRequest): Problem {
  if (language !== undefined && /\blanguage\b/i.test(JSON.stringify(body)))
    return new Problem('INVALID_PARAM', { field: 'language', reason: 'the provider does not know it' })
  return unavailable('the provider refuses the request', { providerStatus })
}
