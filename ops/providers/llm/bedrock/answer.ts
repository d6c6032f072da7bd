import type { ModelAnswer, PieceTaker } from '../contract.ts'
import { collectCalls, finishStream, joinCounts, type OpenedAnswer, unavailable } from '../post.ts'

interface ContentBlock {
  text?: unknown
  toolUse?: { toolUseId?: string; name?: string; input?: unknown }
}

interface TokenUsage {
  /** Without those of the cache. */
  inputTokens?: number
  outputTokens?: number
  cacheReadInputTokens?: number | null
  cacheWriteInputTokens?: number | null
}

interface ConverseReply {
  output?: { message?: { content?: (ContentBlock | null)[] } }
  stopReason?: string
  usage?: TokenUsage
}

/** Without tools of the caller's own, the call of a tool is the answer. */
export function readAnswer(reply: unknown, hasTools: boolean): ModelAnswer {
  const { output, stopReason, usage } = (reply ?? {}) as ConverseReply
  const content = output?.message?.content
  if (!Array.isArray(content)) throw unavailable({ detail: 'the answer has no content' })
  const used = content.flatMap(part => (part?.toolUse ? [part.toolUse] : []))
  const texts = content.flatMap(part => (typeof part?.text === 'string' ? [part.text] : []))
  const isAnswer = used.length > 0 && !hasTools
  const calls = hasTools
    ? used.map(({ toolUseId = '', name = '', input }) => ({ id: toolUseId, name, arguments: write(input) }))
    : []
  return {
    text: isAnswer ? write(used[0]!.input) : texts.join(''),
    end: readEnd(stopReason),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...readTokens(usage ?? {}),
  }
}

function write(input: unknown): string {
  return JSON.stringify(input ?? {})
}

const ENDS: Readonly<Record<string, ModelAnswer['end']>> = {
  ...{ guardrail_intervened: 'refused', content_filtered: 'refused', refusal: 'refused' },
  ...{ max_tokens: 'cut-off', model_context_window_exceeded: 'cut-off' },
}

function readEnd(reason: string | undefined): ModelAnswer['end'] {
  return ENDS[reason ?? ''] ?? 'complete'
}

function readTokens(usage: TokenUsage): Pick<ModelAnswer, 'tokens'> {
  const {
    inputTokens: fresh,
    outputTokens: output,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: written,
  } = usage
  return joinCounts({ fresh, output, cached, written })
}

interface StreamEvent {
  contentBlockStart?: { contentBlockIndex?: number; start?: { toolUse?: { toolUseId?: string; name?: string } } }
  contentBlockDelta?: { contentBlockIndex?: number; delta?: { text?: unknown; toolUse?: { input?: unknown } } }
  messageStop?: { stopReason?: string }
  metadata?: { usage?: TokenUsage }
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
  const indexes = new Map<number, number>()
  return finishStream(answer, signal, async () => {
    for await (const event of events as AsyncGenerator<StreamEvent>) {
      if (hasTools) takeCall(answer, event, pieces, indexes)
      takeText(answer, event, pieces, hasTools)
      if (event.messageStop) answer.end = readEnd(event.messageStop.stopReason)
      if (event.metadata) Object.assign(answer, readTokens(event.metadata.usage ?? {}))
    }
  })
}

function takeText(answer: OpenedAnswer, event: StreamEvent, pieces: PieceTaker, hasTools: boolean): void {
  const { delta } = event.contentBlockDelta ?? {}
  const piece = delta?.text ?? (hasTools ? undefined : delta?.toolUse?.input)
  if (typeof piece !== 'string' || piece === '') return
  answer.text += piece
  pieces.onText(piece)
}

/** Calls are numbered among themselves, not among all blocks of the answer. */
function takeCall(answer: OpenedAnswer, event: StreamEvent, pieces: PieceTaker, indexes: Map<number, number>): void {
  const { contentBlockStart: begin, contentBlockDelta: more } = event
  const called = begin?.start?.toolUse
  const position = (begin ?? more)?.contentBlockIndex ?? 0
  if (called) indexes.set(position, indexes.size)
  const index = indexes.get(position)
  const written = more?.delta?.toolUse?.input
  if (index === undefined || (!called && typeof written !== 'string')) return
  const piece = called
    ? { index, id: called.toolUseId, name: called.name, arguments: '' }
    : { index, arguments: written as string }
  collectCalls(answer, piece)
  pieces.onToolCall(piece)
}
