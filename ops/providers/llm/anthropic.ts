import type { CallLimits } from '../call-limits.ts'
import { ProviderRefusal } from '../http/client.ts'
import type { AdapterConfig, CompletionRequest, ModelAdapter, ModelAnswer } from './contract.ts'
import { openPoster, toProblem, unavailable } from './post.ts'

const VERSION = '2023-06-01'
const ANSWER_TOOL = 'answer'

/** The messages API of Anthropic. An answer of a schema is asked for as the input of a tool, which every model knows. */
export function openAnthropic(config: AdapterConfig): ModelAdapter {
  const { apiKey } = config
  const post = openPoster(config, { 'anthropic-version': VERSION, ...(apiKey && { 'x-api-key': apiKey }) })

  async function ask(request: CompletionRequest & { model: string }, limits: CallLimits): Promise<ModelAnswer> {
    try {
      return readAnswer(await post('/messages', buildBody(request), limits))
    } catch (error) {
      throw error instanceof ProviderRefusal ? toProblem(error) : error
    }
  }
  return { ask }
}

function buildBody({ model, system, user, schema, maxOutputTokens }: CompletionRequest & { model: string }) {
  const tool = { name: ANSWER_TOOL, description: 'Gives the answer.', input_schema: schema }
  return {
    model,
    system,
    messages: [{ role: 'user', content: user }],
    max_tokens: maxOutputTokens,
    ...(schema && { tools: [tool], tool_choice: { type: 'tool', name: ANSWER_TOOL } }),
  }
}

interface MessageReply {
  content?: ({ type?: string; text?: string; input?: unknown } | null)[]
  stop_reason?: string | null
  usage?: {
    input_tokens?: number
    output_tokens?: number
    cache_read_input_tokens?: number | null
    cache_creation_input_tokens?: number | null
  }
}

function readAnswer(reply: unknown): ModelAnswer {
  const { content, stop_reason: reason, usage } = (reply ?? {}) as MessageReply
  if (!Array.isArray(content)) throw unavailable({ detail: 'the answer has no content' })
  const used = content.find(part => part?.type === 'tool_use')
  const texts = content.flatMap(part => (part?.type === 'text' && typeof part.text === 'string' ? [part.text] : []))
  return {
    text: used ? JSON.stringify(used.input ?? null) : texts.join(''),
    end: reason === 'refusal' ? 'refused' : reason === 'max_tokens' ? 'cut-off' : 'complete',
    ...readTokens(usage ?? {}),
  }
}

function readTokens(usage: NonNullable<MessageReply['usage']>): Pick<ModelAnswer, 'tokens'> {
  const { input_tokens: fresh, output_tokens: output, cache_creation_input_tokens: written } = usage
  if (typeof fresh !== 'number' || typeof output !== 'number') return {}
  const cachedInput = usage.cache_read_input_tokens ?? 0
  return { tokens: { input: fresh + cachedInput + (written ?? 0), output, cachedInput } }
}
