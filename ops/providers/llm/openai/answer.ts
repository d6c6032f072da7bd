import type { ToolCall } from '../../../../tasks/formats/language/chat.ts'
import type { ModelAnswer, PieceTaker } from '../contract.ts'
import { areCounts, collectCalls, finishStream, type OpenedAnswer, unavailable } from '../post.ts'

interface ChatToolCall {
  index?: number
  id?: string
  function?: { name?: string; arguments?: string }
}

interface ChatChunk {
  choices?: {
    delta?: { content?: string | null; refusal?: string | null; tool_calls?: ChatToolCall[] | null }
    finish_reason?: string | null
  }[]
  usage?: ChatCompletion['usage'] | null
  error?: unknown
}

/** A stream without an end broke off; what was stopped by the caller ends with what has come. */
export async function readStream(
  events: AsyncGenerator<Record<string, unknown>>,
  pieces: PieceTaker,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const answer: OpenedAnswer = { text: '', end: 'broken', calls: new Map() }
  return finishStream(answer, signal, async () => {
    for await (const event of events) takeChunk(answer, event, pieces)
  })
}

function takeChunk(answer: OpenedAnswer, event: ChatChunk, pieces: PieceTaker): void {
  if (event.error) throw unavailable({ detail: 'the provider reports an error within its answer' })
  const { delta = {}, finish_reason: reason } = event.choices?.[0] ?? {}
  if (delta.refusal || reason) answer.end = readEnd(delta.refusal || answer.end === 'refused', reason)
  const text = delta.content || delta.refusal
  if (typeof text === 'string' && text !== '') {
    answer.text += text
    pieces.onText(text)
  }
  for (const call of delta.tool_calls ?? []) takeCall(answer, call, pieces)
  if (event.usage) Object.assign(answer, readTokens(event.usage))
}

function readEnd(isRefused: unknown, reason: string | null | undefined): ModelAnswer['end'] {
  if (isRefused || reason === 'content_filter') return 'refused'
  return reason === 'length' ? 'cut-off' : 'complete'
}

function takeCall(answer: OpenedAnswer, { index = 0, id, function: called }: ChatToolCall, pieces: PieceTaker): void {
  const piece = { index, id, name: called?.name, arguments: called?.arguments }
  collectCalls(answer, piece)
  pieces.onToolCall(piece)
}

interface ChatCompletion {
  choices?: {
    message?: { content?: string | null; refusal?: string | null; tool_calls?: ChatToolCall[] | null }
    finish_reason?: string | null
  }[]
  usage?: {
    prompt_tokens?: number
    completion_tokens?: number
    prompt_tokens_details?: { cached_tokens?: number } | null
  }
}

export function readAnswer(reply: unknown): ModelAnswer {
  const { choices, usage } = (reply ?? {}) as ChatCompletion
  const { message, finish_reason: reason } = choices?.[0] ?? {}
  if (!message) throw unavailable({ detail: 'the answer has no message' })
  const text = message.content || message.refusal
  const calls = message.tool_calls ?? []
  return {
    text: typeof text === 'string' ? text : '',
    end: readEnd(message.refusal, reason),
    ...(calls.length > 0 && { toolCalls: calls.map(readCall) }),
    ...readTokens(usage ?? {}),
  }
}

function readCall({ id = '', function: { name = '', arguments: given = '' } = {} }: ChatToolCall): ToolCall {
  return { id, name, arguments: given }
}

function readTokens(usage: NonNullable<ChatCompletion['usage']>): Pick<ModelAnswer, 'tokens'> {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage
  const tokens = { input, output, cachedInput: details?.cached_tokens ?? 0 }
  return areCounts(tokens) ? { tokens } : {}
}
