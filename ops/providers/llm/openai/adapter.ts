import { Problem } from '#kit'
import type { CallLimits } from '../../call-limits.ts'
import { ProviderRefusal } from '../../http/client.ts'
import type { AdapterConfig, ModelAdapter, ModelAnswer, ModelRequest } from '../contract.ts'
import { openPoster, openStreamer, readRefusal, toProblem } from '../post.ts'
import { readAnswer, readStream } from './answer.ts'
import { buildBody, type Dialect } from './body.ts'

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

  async function ask(request: ModelRequest, limits: CallLimits): Promise<ModelAnswer> {
    for (let lessons = 0; ; lessons++) {
      const dialect = dialects.get(request.model) ?? first
      try {
        const body = buildBody(request, dialect)
        if (!request.pieces) return readAnswer(await post(PATH, body, limits))
        return await readStream(stream(PATH, body, limits), request.pieces, limits.signal)
      } catch (error) {
        dialects.set(request.model, learn(request, dialect, error, lessons))
      }
    }
  }
  return { ask, lacks: [] }
}

/** Gives another way to ask, if the server refused the one that was tried; throws if that is not what failed. */
function learn(request: ModelRequest, dialect: Dialect, error: unknown, lessons: number): Dialect {
  if (!(error instanceof ProviderRefusal)) throw error
  const isAboutFields = [400, 422].includes(error.status) && lessons < MAX_LESSONS
  const learned = isAboutFields && findOther(dialect, readRefusal(error), request)
  if (!learned) throw toProblem(error, request.chat !== undefined)
  return learned
}

/** A form that the caller has asked for is not replaced by another one. */
function findOther(dialect: Dialect, message: string, { chat }: ModelRequest): Dialect | undefined {
  const { limitField, format, countsStreams } = dialect
  if (/max_completion_tokens|max_tokens/.test(message))
    return { ...dialect, limitField: limitField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' }
  if (/stream_options|include_usage/.test(message) && countsStreams) return { ...dialect, countsStreams: false }
  if (!/response_format|json_schema|json_object/.test(message) || format === 'none') return undefined
  if (chat) throw new Problem('OPTION_UNSUPPORTED', { field: 'response_format' })
  return { ...dialect, format: format === 'json_schema' ? 'json_object' : 'none' }
}
