import type { ModelAnswer, PieceTaker } from '../contract.ts'
import { collectCalls, finishStream, joinCounts, type OpenedAnswer, unavailable } from '../post.ts'

interface ContentBlock {
  type?: string
  id?: string
  name?: string
  text?: string
  input?: unknown
}

interface MessageReply {
  content?: (ContentBlock | null)[]
  stop_reason?: string | null
  usage?: {
    input_tokens?: number
    output_tokens?: number
    cache_read_input_tokens?: number | null
    cache_creation_input_tokens?: number | null
  }
}

/** Without tools of the caller's own, the call of a tool is the answer. */
export function readAnswer(reply: unknown, hasTools: boolean): ModelAnswer {
  const { content, stop_reason: reason, usage } = (reply ?? {}) as MessageReply
  if (!Array.isArray(content)) throw unavailable({ detail: 'the answer has no content' })
  const used = content.filter(part => part?.type === 'tool_use') as ContentBlock[]
  const texts = content.flatMap(part => (part?.type === 'text' && typeof part.text === 'string' ? [part.text] : []))
  const isAnswer = used.length > 0 && !hasTools
  const calls = hasTools ? used.map(({ id = '', name = '', input }) => ({ id, name, arguments: write(input) })) : []
  return {
    text: isAnswer ? write(used[0]!.input ?? null) : texts.join(''),
    end: readEnd(reason),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...readTokens(usage ?? {}),
  }
}

function write(input: unknown): string {
  return JSON.stringify(input ?? {})
}

function readEnd(reason: string | null | undefined): ModelAnswer['end'] {
  return reason === 'refusal' ? 'refused' : reason === 'max_tokens' ? 'cut-off' : 'complete'
}

function readTokens(usage: NonNullable<MessageReply['usage']>): Pick<ModelAnswer, 'tokens'> {
  const { input_tokens: fresh, output_tokens: output } = usage
  const { cache_read_input_tokens: cached, cache_creation_input_tokens: written } = usage
  return joinCounts({ fresh, output, cached, written })
}

interface StreamEvent {
  type?: string
  index?: number
  message?: { usage?: MessageReply['usage'] }
  content_block?: ContentBlock
  delta?: { type?: string; text?: string; partial_json?: string; stop_reason?: string | null }
  usage?: MessageReply['usage']
}

interface StreamOptions {
  signal: AbortSignal
  hasTools: boolean
}

/** A stream without an end broke off; what was stopped by the caller ends with what has come. */
export async function readStream(
  events: AsyncGenerator<Record<string, unknown>>,
  pieces: PieceTaker,
  { signal, hasTools }: StreamOptions,
): Promise<ModelAnswer> {
  const answer: OpenedAnswer = { text: '', end: 'broken', calls: new Map() }
  const usage: NonNullable<MessageReply['usage']> = {}
  const indexes = new Map<number, number>()
  const finished = await finishStream(answer, signal, async () => {
    for await (const event of events as AsyncGenerator<StreamEvent>) {
      if (event.type === 'error') throw unavailable({ detail: 'the provider reports an error within its answer' })
      Object.assign(usage, event.message?.usage, event.usage)
      if (hasTools) takeCall(answer, event, pieces, indexes)
      takeText(answer, event, pieces, hasTools)
      if (event.type === 'message_delta') answer.end = readLastEnd(event, answer)
    }
  })
  // What an answer takes that has not ended is only known of its beginning.
  return answer.end === 'broken' || answer.end === 'stopped' ? finished : { ...finished, ...readTokens(usage) }
}

function readLastEnd({ delta }: StreamEvent, { end }: OpenedAnswer): ModelAnswer['end'] {
  return delta?.stop_reason ? readEnd(delta.stop_reason) : end
}

function takeText(answer: OpenedAnswer, { type, delta }: StreamEvent, pieces: PieceTaker, hasTools: boolean): void {
  const piece = delta?.text ?? (hasTools ? undefined : delta?.partial_json)
  if (type !== 'content_block_delta' || typeof piece !== 'string' || piece === '') return
  answer.text += piece
  pieces.onText(piece)
}

/** Calls are numbered among themselves, not among all blocks of the answer. */
function takeCall(answer: OpenedAnswer, event: StreamEvent, pieces: PieceTaker, indexes: Map<number, number>): void {
  const { type, index: position = 0, content_block: block, delta } = event
  const isBegin = type === 'content_block_start' && block?.type === 'tool_use'
  if (isBegin) indexes.set(position, indexes.size)
  const index = indexes.get(position)
  if (index === undefined || (!isBegin && typeof delta?.partial_json !== 'string')) return
  const piece = isBegin
    ? { index, id: block.id, name: block.name, arguments: '' }
    : { index, arguments: delta!.partial_json }
  collectCalls(answer, piece)
  pieces.onToolCall(piece)
}
