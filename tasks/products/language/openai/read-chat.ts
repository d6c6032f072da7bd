import { Problem } from '#kit'
import type { AnswerFormat, ChatMessage, ChatTool, Sampling, ToolChoice } from '../../../formats/language/chat.ts'
import { type AskedChat, type AskedMessage, DEFAULT_OUTPUT_TOKENS } from './chat-body.ts'

/** A conversation as a model is asked to go on with it. */
export interface Chat {
  messages: ChatMessage[]
  sampling: Sampling
  format?: AnswerFormat
  tools?: ChatTool[]
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
}

export function readOutputTokens({ max_completion_tokens: tokens, max_tokens: older }: AskedChat): number {
  if (tokens !== undefined && older !== undefined && tokens !== older)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['max_completion_tokens', 'max_tokens'] })
  return tokens ?? older ?? DEFAULT_OUTPUT_TOKENS
}

/** Refuses what no provider is told of. */
export function readChat(body: AskedChat): Chat {
  const { tools, tool_choice: choice, parallel_tool_calls: parallelToolCalls } = body
  if (body.n !== undefined && body.n !== 1) throw unsupported('n', 'A call has one answer; call again for another one.')
  if (!tools && (choice !== undefined || parallelToolCalls !== undefined))
    throw new Problem('MISSING_FIELD', { field: 'tools', reason: 'tool_choice and parallel_tool_calls go with tools' })
  if (body.stream_options && !body.stream) throw new Problem('MISSING_FIELD', { field: 'stream' })
  const format = readFormat(body.response_format)
  return {
    messages: body.messages.map(readMessage),
    sampling: readSampling(body),
    ...(format && { format }),
    ...(tools && { tools: tools.map(({ function: tool }) => tool) }),
    ...(choice !== undefined && { toolChoice: typeof choice === 'string' ? choice : choice.function }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
  }
}

function unsupported(field: string, reason: string): Problem {
  return new Problem('OPTION_UNSUPPORTED', { field, reason })
}

function readSampling(body: AskedChat): Sampling {
  const { temperature, top_p: topP, stop, seed, reasoning_effort: reasoningEffort } = body
  const user = body.user ?? body.safety_identifier
  const { presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty } = body
  const given = { temperature, topP, seed, presencePenalty, frequencyPenalty, reasoningEffort, user }
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(set), ...(stop !== undefined && { stop: typeof stop === 'string' ? [stop] : stop }) }
}

function readFormat(format: AskedChat['response_format']): AnswerFormat | undefined {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return {}
  if (!format.json_schema) throw new Problem('MISSING_FIELD', { field: 'response_format.json_schema' })
  return format.json_schema
}

function readMessage(message: AskedMessage, index: number): ChatMessage {
  const { role, name, tool_calls: calls, tool_call_id: toolCallId } = message
  const field = `messages[${index}]`
  requireParts(message, field)
  const content = readContent(message, field) ?? ''
  if (role === 'tool') return { role, toolCallId: toolCallId!, content }
  const named = name !== undefined && { name }
  if (role !== 'assistant') return { role: role === 'user' ? 'user' : 'system', content, ...named }
  const toolCalls = calls?.map(({ id, function: called }) => ({ id, ...called }))
  return { role, content, ...named, ...(toolCalls && { toolCalls }) }
}

/** What a message of its role must have, and what it must not. */
function requireParts(
  { role, content, refusal, tool_calls: calls, tool_call_id: id }: AskedMessage,
  field: string,
): void {
  if (calls && role !== 'assistant') throw new Problem('INVALID_PARAM', { field: `${field}.tool_calls`, role })
  if (role === 'tool' && id === undefined) throw new Problem('MISSING_FIELD', { field: `${field}.tool_call_id` })
  if (role !== 'tool' && id !== undefined) throw new Problem('INVALID_PARAM', { field: `${field}.tool_call_id`, role })
  if ((content ?? refusal ?? calls) === undefined || (content ?? refusal ?? calls) === null)
    throw new Problem('MISSING_FIELD', { field: `${field}.content` })
}

/** The text of a message; undefined if it has none. */
function readContent({ content, refusal }: AskedMessage, field: string): string | undefined {
  if (typeof content === 'string') return content
  if (!content) return refusal ?? undefined
  return content
    .map(({ type, text }, index) => {
      const place = `${field}.content[${index}]`
      if (type !== 'text') throw unsupported(place, `Only text is carried, not ${type}; describe it in words.`)
      if (text === undefined) throw new Problem('MISSING_FIELD', { field: `${place}.text` })
      return text
    })
    .join('\n')
}
