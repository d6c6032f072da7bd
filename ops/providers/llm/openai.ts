import type { CallLimits } from '../call-limits.ts'
import { ProviderRefusal } from '../http/client.ts'
import type { AdapterConfig, CompletionRequest, ModelAdapter, ModelAnswer } from './contract.ts'
import { areCounts, openPoster, openStreamer, readRefusal, toProblem, unavailable } from './post.ts'

/** What servers with this API do differently. A model's own way is learned from its refusals. */
interface Dialect {
  limitField: 'max_tokens' | 'max_completion_tokens'
  format: 'json_schema' | 'json_object' | 'none'
  /** Whether it tells the usage at the end of a stream where it is asked to. */
  countsStreams: boolean
}

const OFFICIAL_HOST = 'api.openai.com'
const PATH = '/chat/completions'
const MAX_LESSONS = 3

/** Chat completions as OpenAI defines them, which vLLM, Ollama, LM Studio, OpenRouter and others serve too. */
export function openOpenAi(config: AdapterConfig): ModelAdapter {
  const { url, apiKey } = config
  const isOfficial = new URL(url).host === OFFICIAL_HOST
  const first: Dialect = {
    limitField: isOfficial ? 'max_completion_tokens' : 'max_tokens',
    ...{ format: 'json_schema', countsStreams: true },
  }
  const dialects = new Map<string, Dialect>()
  const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  const post = openPoster(config, headers)
  const stream = openStreamer(config, headers)

  async function ask(request: CompletionRequest & { model: string }, limits: CallLimits): Promise<ModelAnswer> {
    for (let lessons = 0; ; lessons++) {
      const dialect = dialects.get(request.model) ?? first
      try {
        const body = buildBody(request, dialect)
        if (!request.onText) return readAnswer(await post(PATH, body, limits))
        return await readStream(stream(PATH, body, limits), request.onText, limits.signal)
      } catch (error) {
        dialects.set(request.model, learn(dialect, error, lessons))
      }
    }
  }
  return { ask }
}

function buildBody(request: CompletionRequest & { model: string }, { limitField, format, countsStreams }: Dialect) {
  const { model, system, user, messages, schema, maxOutputTokens, sampling = {}, onText } = request
  const { temperature, topP, stop } = sampling
  const responseFormat = {
    json_schema: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    json_object: { type: 'json_object' },
    none: undefined,
  }[format]
  return {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...(messages ?? [{ role: 'user', content: user }]),
    ],
    [limitField]: maxOutputTokens,
    ...(schema && responseFormat && { response_format: responseFormat }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && { stop }),
    ...(onText && { stream: true, ...(countsStreams && { stream_options: { include_usage: true } }) }),
  }
}

/** Gives another way to ask, if the server refused the one that was tried; throws if that is not what failed. */
function learn(dialect: Dialect, error: unknown, lessons: number): Dialect {
  if (!(error instanceof ProviderRefusal)) throw error
  const learned = [400, 422].includes(error.status) && lessons < MAX_LESSONS && findOther(dialect, readRefusal(error))
  if (!learned) throw toProblem(error)
  return learned
}

function findOther(dialect: Dialect, message: string): Dialect | undefined {
  const { limitField, format, countsStreams } = dialect
  if (/max_completion_tokens|max_tokens/.test(message))
    return { ...dialect, limitField: limitField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' }
  if (/stream_options|include_usage/.test(message) && countsStreams) return { ...dialect, countsStreams: false }
  if (!/response_format|json_schema|json_object/.test(message) || format === 'none') return undefined
  return { ...dialect, format: format === 'json_schema' ? 'json_object' : 'none' }
}

interface ChatChunk {
  choices?: { delta?: { content?: string | null; refusal?: string | null }; finish_reason?: string | null }[]
  usage?: ChatCompletion['usage'] | null
  error?: unknown
}

/** A stream without an end broke off; what was stopped by the caller ends with what has come. */
async function readStream(
  events: AsyncGenerator<Record<string, unknown>>,
  onText: (piece: string) => void,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const answer: ModelAnswer = { text: '', end: 'stopped' }
  try {
    for await (const event of events) takeChunk(answer, event, onText)
  } catch (error) {
    if (!signal.aborted || answer.text === '') throw error
    return answer
  }
  if (answer.end === 'stopped') throw unavailable({ detail: 'the answer broke off' })
  return answer
}

function takeChunk(answer: ModelAnswer, event: ChatChunk, onText: (piece: string) => void): void {
  if (event.error) throw unavailable({ detail: 'the provider reports an error within its answer' })
  const { delta = {}, finish_reason: reason } = event.choices?.[0] ?? {}
  if (delta.refusal || reason === 'content_filter') answer.end = 'refused'
  else if (reason && answer.end !== 'refused') answer.end = reason === 'length' ? 'cut-off' : 'complete'
  if (typeof delta.content === 'string' && delta.content !== '') {
    answer.text += delta.content
    onText(delta.content)
  }
  if (event.usage) Object.assign(answer, readTokens(event.usage))
}

interface ChatCompletion {
  choices?: { message?: { content?: string | null; refusal?: string | null }; finish_reason?: string | null }[]
  usage?: {
    prompt_tokens?: number
    completion_tokens?: number
    prompt_tokens_details?: { cached_tokens?: number } | null
  }
}

function readAnswer(reply: unknown): ModelAnswer {
  const { choices, usage } = (reply ?? {}) as ChatCompletion
  const { message, finish_reason: reason } = choices?.[0] ?? {}
  if (!message) throw unavailable({ detail: 'the answer has no message' })
  const isRefused = Boolean(message.refusal) || reason === 'content_filter'
  return {
    text: typeof message.content === 'string' ? message.content : '',
    end: isRefused ? 'refused' : reason === 'length' ? 'cut-off' : 'complete',
    ...readTokens(usage ?? {}),
  }
}

function readTokens(usage: NonNullable<ChatCompletion['usage']>): Pick<ModelAnswer, 'tokens'> {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage
  const tokens = { input, output, cachedInput: details?.cached_tokens ?? 0 }
  return areCounts(tokens) ? { tokens } : {}
}
