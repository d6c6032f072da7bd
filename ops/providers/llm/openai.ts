import type { CallLimits } from '../call-limits.ts'
import { ProviderRefusal } from '../http/client.ts'
import type { AdapterConfig, CompletionRequest, ModelAdapter, ModelAnswer } from './contract.ts'
import { openPoster, readRefusal, toProblem, unavailable } from './post.ts'

/** What servers with this API do differently. A model's own way is learned from its refusals. */
interface Dialect {
  limitField: 'max_tokens' | 'max_completion_tokens'
  format: 'json_schema' | 'json_object' | 'none'
}

const OFFICIAL_HOST = 'api.openai.com'
const MAX_LESSONS = 3

/** Chat completions as OpenAI defines them, which vLLM, Ollama, LM Studio, OpenRouter and others serve too. */
export function openOpenAi(config: AdapterConfig): ModelAdapter {
  const { url, apiKey } = config
  const isOfficial = new URL(url).host === OFFICIAL_HOST
  const first: Dialect = { limitField: isOfficial ? 'max_completion_tokens' : 'max_tokens', format: 'json_schema' }
  const dialects = new Map<string, Dialect>()
  const post = openPoster(config, apiKey ? { authorization: `Bearer ${apiKey}` } : {})

  async function ask(request: CompletionRequest & { model: string }, limits: CallLimits): Promise<ModelAnswer> {
    for (let lessons = 0; ; lessons++) {
      const dialect = dialects.get(request.model) ?? first
      try {
        return readAnswer(await post('/chat/completions', buildBody(request, dialect), limits))
      } catch (error) {
        dialects.set(request.model, learn(dialect, error, lessons))
      }
    }
  }
  return { ask }
}

function buildBody(
  { model, system, user, schema, maxOutputTokens }: CompletionRequest & { model: string },
  dialect: Dialect,
) {
  const { limitField, format } = dialect
  const responseFormat = {
    json_schema: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    json_object: { type: 'json_object' },
    none: undefined,
  }[format]
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    [limitField]: maxOutputTokens,
    ...(schema && responseFormat && { response_format: responseFormat }),
  }
}

/** Gives another way to ask, if the server refused the one that was tried; throws if that is not what failed. */
function learn(dialect: Dialect, error: unknown, lessons: number): Dialect {
  if (!(error instanceof ProviderRefusal)) throw error
  const learned = [400, 422].includes(error.status) && lessons < MAX_LESSONS && findOther(dialect, readRefusal(error))
  if (!learned) throw toProblem(error)
  return learned
}

function findOther({ limitField, format }: Dialect, message: string): Dialect | undefined {
  if (/max_completion_tokens|max_tokens/.test(message))
    return { format, limitField: limitField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' }
  if (!/response_format|json_schema|json_object/.test(message) || format === 'none') return undefined
  return { limitField, format: format === 'json_schema' ? 'json_object' : 'none' }
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
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage ?? {}
  const isCounted = typeof input === 'number' && typeof output === 'number'
  return {
    text: typeof message.content === 'string' ? message.content : '',
    end: isRefused ? 'refused' : reason === 'length' ? 'cut-off' : 'complete',
    ...(isCounted && { tokens: { input, output, cachedInput: details?.cached_tokens ?? 0 } }),
  }
}
