import { Problem } from '#kit'
import type { ToolCall, ToolCallPiece } from '../../../tasks/formats/language/chat.ts'
import type { CallLimits } from '../call-limits.ts'
import { openProviderClient, type ProviderClient, ProviderRefusal } from '../http/client.ts'
import { callUntilDeadline } from '../http/until-deadline.ts'
import type { AdapterConfig, ModelAnswer } from './contract.ts'

const ATTEMPT_MS = 60_000
/** Of an answer, and of an event of one. */
export const MAX_BYTES = 4 * 2 ** 20

/** Posts to the provider that the operator named, and gives its answer. */
type Poster = (path: string, body: object, limits: CallLimits) => Promise<unknown>

export function openPoster({ provider, url: baseUrl }: AdapterConfig, headers: Record<string, string>): Poster {
  const client = openProviderClient({ provider, baseUrl, headers, maxBytes: MAX_BYTES })
  return (path, json, limits) =>
    callUntilDeadline(client, { path, json }, limits, { capability: 'llm', attemptMs: ATTEMPT_MS })
}

/** Without a sign of the provider for so long, the answer is given up. */
const STALL_MS = 30_000

type Streamer = (path: string, body: object, limits: CallLimits) => AsyncGenerator<Record<string, unknown>>

/** How a provider writes the events of a stream. */
interface StreamFormat {
  accept: string
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>>
}

const SERVER_EVENTS: StreamFormat = { accept: 'text/event-stream', read: readServerEvents }

/** Posts to the provider and gives the events of its answer as they come. */
export function openStreamer(
  { provider, url: baseUrl, stallMs = STALL_MS }: AdapterConfig,
  headers: Record<string, string>,
  format = SERVER_EVENTS,
): Streamer {
  const client = openProviderClient({ provider, baseUrl, headers })
  return async function* stream(path, json, limits) {
    const call = { path, json, isStream: true, headers: { accept: format.accept } }
    const patience = { capability: 'llm', attemptMs: Number.POSITIVE_INFINITY }
    const prompt: ProviderClient = one => answerSoon(client, one, stallMs)
    const body = (await callUntilDeadline(prompt, call, limits, patience)) as ReadableStream<Uint8Array>
    yield* readEvents(format.read(readChunks(body, stallMs)), limits)
  }
}

/** The limit is for the beginning of the answer alone, so it must not end what comes after that. */
async function answerSoon(
  client: ProviderClient,
  call: Parameters<ProviderClient>[0],
  stallMs: number,
): Promise<unknown> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(stalled()), stallMs)
  const signals = call.signal ? [call.signal, silence.signal] : [silence.signal]
  try {
    return await client({ ...call, signal: AbortSignal.any(signals) })
  } finally {
    clearTimeout(timer)
  }
}

function stalled(): Problem {
  return unavailable({ detail: 'the answer stalls', isLate: true })
}

/** One that breaks off ends with PROVIDER_UNAVAILABLE. */
async function* readEvents(
  events: AsyncGenerator<Record<string, unknown>>,
  { signal }: CallLimits,
): AsyncGenerator<Record<string, unknown>> {
  try {
    yield* events
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof Problem || error instanceof ProviderRefusal
      ? error
      : unavailable({ detail: 'the answer broke off' })
  }
}

async function* readServerEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  for await (const line of readLines(chunks)) {
    const data = /^data: ?(.*)$/.exec(line)?.[1] ?? ''
    if (data !== '' && data !== '[DONE]') yield parseEvent(data)
  }
}

async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let waiting = ''
  for await (const chunk of chunks) {
    waiting += decoder.decode(chunk, { stream: true })
    if (waiting.length > MAX_BYTES) throw unavailable({ detail: 'an event of the answer is too long' })
    const lines = waiting.split(/\r?\n/)
    waiting = lines.pop()!
    yield* lines
  }
  yield waiting
}

async function* readChunks(body: ReadableStream<Uint8Array>, stallMs: number): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await readSoon(reader, stallMs)
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function readSoon(reader: ReadableStreamDefaultReader<Uint8Array>, stallMs: number) {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stalled()), stallMs)
  })
  try {
    return await Promise.race([reader.read(), silence])
  } finally {
    clearTimeout(timer)
  }
}

function parseEvent(data: string): Record<string, unknown> {
  try {
    return JSON.parse(data) as Record<string, unknown>
  } catch {
    throw unavailable({ detail: 'an event of the answer is not JSON' })
  }
}

export function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { capability: 'llm', ...hints })
}

/** What the provider said; it is for the adapter, never for callers. */
export function readRefusal({ body }: ProviderRefusal): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

const TOO_LONG = /context.{0,20}(length|window)|maximum context|too (long|many tokens)|prompt is too long/i

/**
 * What a refusal means for the caller. An unknown model is for the operator to see. Of a conversation, which is the caller's
 * own, it may be about an option or a schema of it.
 */
export function toProblem(refusal: ProviderRefusal, isChat: boolean): Problem {
  const { status: providerStatus } = refusal
  if (providerStatus === 413 || TOO_LONG.test(readRefusal(refusal)))
    return new Problem('CONTEXT_TOO_LONG', { providerStatus })
  if (isChat && [400, 422].includes(providerStatus))
    return new Problem('OPTION_UNSUPPORTED', {
      providerStatus,
      reason: 'The model refuses the request as it is: check tools, schemas and options.',
    })
  return unavailable({ detail: 'the provider refuses the request', providerStatus })
}

/** An answer while it comes. */
export type OpenedAnswer = ModelAnswer & { calls: Map<number, ToolCall> }

export function collectCalls({ calls }: OpenedAnswer, { index, id, name, arguments: more = '' }: ToolCallPiece): void {
  const call = calls.get(index) ?? { id: '', name: '', arguments: '' }
  calls.set(index, { id: id ?? call.id, name: name ?? call.name, arguments: call.arguments + more })
}

/**
 * Takes a stream to its end. What the caller stops, or the provider breaks off, ends with what has come; nothing of it is
 * a failure.
 */
export async function finishStream(
  answer: OpenedAnswer,
  signal: AbortSignal,
  take: () => Promise<void>,
): Promise<ModelAnswer> {
  const { calls } = answer
  const finish = (): ModelAnswer => {
    const { calls: _calls, ...rest } = answer
    return { ...rest, ...(calls.size > 0 && { toolCalls: [...calls.values()] }) }
  }
  try {
    await take()
  } catch (error) {
    if (answer.text === '' && calls.size === 0) throw error
    // Only what was complete had its tokens counted.
    delete answer.tokens
    answer.end = signal.aborted ? 'stopped' : 'broken'
    return finish()
  }
  if (answer.end === 'broken' && answer.text === '' && calls.size === 0)
    throw unavailable({ detail: 'the answer broke off' })
  return finish()
}

/** Counts of tokens that can be true. Anything else is counted by ourselves. */
export function areCounts(tokens: {
  input: unknown
  output: unknown
  cachedInput: unknown
}): tokens is { input: number; output: number; cachedInput: number } {
  const { input, output, cachedInput } = tokens
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
  return isCount(input) && isCount(output) && isCount(cachedInput) && cachedInput <= input
}

interface SeparateCounts {
  fresh: number | undefined
  output: number | undefined
  cached: number | null | undefined
  written: number | null | undefined
}

/** The tokens of a provider that counts what comes out of its cache, and what goes into it, apart from the rest. */
export function joinCounts({ fresh, output, cached, written }: SeparateCounts): Pick<ModelAnswer, 'tokens'> {
  if (typeof fresh !== 'number' || typeof output !== 'number') return {}
  const cachedInput = cached ?? 0
  const tokens = { input: fresh + cachedInput + (written ?? 0), output, cachedInput }
  return fresh >= 0 && areCounts(tokens) ? { tokens } : {}
}
