import type { CallLimits } from '../call-limits.ts'
import { ProviderRefusal } from '../http/client.ts'
import type { AdapterConfig, CompletionRequest, ModelAdapter, ModelAnswer } from './contract.ts'
import { areCounts, openPoster, openStreamer, toProblem, unavailable } from './post.ts'

const VERSION = '2023-06-01'
const ANSWER_TOOL = 'answer'

/** The messages API of Anthropic. An answer of a schema is asked for as the input of a tool, which every model knows. */
export function openAnthropic(config: AdapterConfig): ModelAdapter {
  const { apiKey } = config
  const headers = { 'anthropic-version': VERSION, ...(apiKey && { 'x-api-key': apiKey }) }
  const post = openPoster(config, headers)
  const stream = openStreamer(config, headers)

  async function ask(request: CompletionRequest & { model: string }, limits: CallLimits): Promise<ModelAnswer> {
    try {
      if (!request.onText) return readAnswer(await post('/messages', buildBody(request), limits))
      return await readStream(stream('/messages', buildBody(request), limits), request.onText, limits.signal)
    } catch (error) {
      throw error instanceof ProviderRefusal ? toProblem(error) : error
    }
  }
  return { ask }
}

function buildBody(request: CompletionRequest & { model: string }) {
  const { model, system, user, messages, schema, maxOutputTokens, sampling = {}, onText } = request
  const { temperature, topP, stop } = sampling
  const tool = { name: ANSWER_TOOL, description: 'Gives the answer.', input_schema: schema }
  return {
    model,
    ...(system !== '' && { system }),
    messages: messages ?? [{ role: 'user', content: user }],
    max_tokens: maxOutputTokens,
    ...(temperature !== undefined && { temperature: Math.min(1, temperature) }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && { stop_sequences: stop }),
    ...(onText && { stream: true }),
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
  const tokens = { input: fresh + cachedInput + (written ?? 0), output, cachedInput }
  return fresh >= 0 && areCounts(tokens) ? { tokens } : {}
}

interface StreamEvent {
  type?: string
  message?: { usage?: MessageReply['usage'] }
  delta?: { type?: string; text?: string; partial_json?: string; stop_reason?: string | null }
  usage?: MessageReply['usage']
}

/** A stream without an end broke off; what was stopped by the caller ends with what has come. */
async function readStream(
  events: AsyncGenerator<Record<string, unknown>>,
  onText: (piece: string) => void,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const answer: ModelAnswer = { text: '', end: 'stopped' }
  const usage: NonNullable<MessageReply['usage']> = {}
  try {
    for await (const event of events) takeEvent(answer, event, usage, onText)
  } catch (error) {
    if (!signal.aborted || answer.text === '') throw error
    return answer
  }
  if (answer.end === 'stopped') throw unavailable({ detail: 'the answer broke off' })
  return { ...answer, ...readTokens(usage) }
}

function takeEvent(
  answer: ModelAnswer,
  { type, message, delta = {}, usage: counted }: StreamEvent,
  usage: NonNullable<MessageReply['usage']>,
  onText: (piece: string) => void,
): void {
  if (type === 'error') throw unavailable({ detail: 'the provider reports an error within its answer' })
  Object.assign(usage, message?.usage, counted)
  const piece = delta.text ?? delta.partial_json
  if (type === 'content_block_delta' && typeof piece === 'string' && piece !== '') {
    answer.text += piece
    onText(piece)
  }
  const reason = type === 'message_delta' ? delta.stop_reason : undefined
  if (reason) answer.end = reason === 'refusal' ? 'refused' : reason === 'max_tokens' ? 'cut-off' : 'complete'
}
