import type { EventWriter, Streaming } from '#kit'
import type { ToolCallPiece } from '../../../formats/language/chat.ts'
import { describeBreak, isBroken } from '../broken.ts'
import { type AnsweredChat, nameChat } from './chat-answer.ts'
import type { AskedChat } from './chat-body.ts'
import { PROBLEM_FORM } from './problem-form.ts'

type Piece = { model: string; text?: string; toolCall?: ToolCallPiece }

export const CHAT_EVENTS: Streaming = {
  isAsked: body => (body as AskedChat).stream === true,
  open: ({ jobId, body }) => openChunks(jobId, (body as AskedChat).stream_options?.include_usage === true),
}

/** The chunks of one answer. One that was not sent piece by piece, such as that of a repeated call, is one chunk. */
function openChunks(jobId: string, countsUsage: boolean): EventWriter {
  const created = Math.floor(Date.now() / 1_000)
  let hasPieces = false
  const writeChunk = (model: string, rest: object): string => {
    const head = { id: nameChat(jobId), object: 'chat.completion.chunk', created, model }
    return writeData({ ...head, ...(countsUsage && { usage: null }), ...rest })
  }
  const writeDelta = (model: string, delta: object, end: string | null = null): string => {
    const whole = hasPieces || end !== null ? delta : { role: 'assistant', ...delta }
    hasPieces = true
    return writeChunk(model, { choices: [{ index: 0, delta: whole, finish_reason: end, logprobs: null }] })
  }

  function writeEnd(answer: AnsweredChat): string {
    const { model, choices, usage } = answer
    const { message, finish_reason: reason } = choices[0]!
    const { role: _role, ...content } = message
    const whole = hasPieces ? '' : writeDelta(model, number(content))
    // Clients that did not ask for the usage skip a comment.
    const charge = `: charged ${usage.charged_micros} micros\n\n`
    const counts = countsUsage ? writeChunk(model, { choices: [], usage }) : ''
    if (isBroken(answer)) return whole + counts + charge + writeBreak(answer)
    return `${whole}${writeDelta(model, {}, reason ?? 'stop')}${counts}${charge}data: [DONE]\n\n`
  }

  return {
    writePiece: piece => {
      const { model, text, toolCall } = piece as Piece
      return writeDelta(model, toolCall ? { tool_calls: [writeCall(toolCall)] } : { content: text })
    },
    writeEnd: answer => writeEnd(answer as AnsweredChat),
    writeError: problem => writeData(PROBLEM_FORM.write({ ...problem }, 503).body),
  }
}

function number(message: Omit<AnsweredChat['choices'][0]['message'], 'role'>): object {
  const { tool_calls: calls, ...rest } = message
  return { ...rest, ...(calls && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) }
}

function writeCall({ index, id, name, arguments: written }: ToolCallPiece): object {
  const called = { ...(name !== undefined && { name }), ...(written !== undefined && { arguments: written }) }
  return { index, ...(id !== undefined && { id, type: 'function' }), function: called }
}

function writeBreak(answer: AnsweredChat): string {
  return writeData(PROBLEM_FORM.write({ ...describeBreak(answer) }, 503).body)
}

function writeData(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
