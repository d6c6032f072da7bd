import type {
  AnswerFormat,
  ChatMessage,
  ChatTool,
  Sampling,
  ToolChoice,
} from '../../../../tasks/formats/language/chat.ts'
import type { ChatRequest, ModelRequest } from '../contract.ts'

/** What servers with this API do differently. A model's own way is learned from its refusals. */
export interface Dialect {
  limitField: 'max_tokens' | 'max_completion_tokens'
  format: 'json_schema' | 'json_object' | 'none'
  /** Whether it tells the usage at the end of a stream where it is asked to. */
  countsStreams: boolean
}

export function buildBody(request: ModelRequest, { limitField, format, countsStreams }: Dialect): object {
  const { model, system, user, schema, chat, maxOutputTokens, pieces, seed } = request
  const own = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...(chat ? [] : [{ role: 'user', content: user }]),
  ]
  return {
    model,
    messages: [...own, ...(chat?.messages.map(writeMessage) ?? [])],
    [limitField]: maxOutputTokens,
    ...(schema && format !== 'none' && { response_format: writeFormat(format, schema) }),
    ...(seed !== undefined && { seed }),
    ...(chat && writeChat(chat)),
    ...(pieces && { stream: true, ...(countsStreams && { stream_options: { include_usage: true } }) }),
  }
}

function writeFormat(format: 'json_schema' | 'json_object', schema: object): object {
  return format === 'json_object'
    ? { type: 'json_object' }
    : { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } }
}

function writeChat({ sampling, format, tools, toolChoice, parallelToolCalls }: ChatRequest): object {
  return {
    ...writeSampling(sampling),
    ...(format && { response_format: writeAskedFormat(format) }),
    ...(tools && { tools: tools.map(writeTool) }),
    ...(toolChoice !== undefined && { tool_choice: writeChoice(toolChoice) }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  }
}

function writeSampling(sampling: Sampling): object {
  const { temperature, topP, stop, seed, presencePenalty, frequencyPenalty, reasoningEffort, user } = sampling
  const fields = {
    ...{ temperature, top_p: topP, stop, seed, user },
    ...{ presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty, reasoning_effort: reasoningEffort },
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function writeAskedFormat({ schema, name = 'answer', description, strict }: AnswerFormat): object {
  if (!schema) return { type: 'json_object' }
  const described = { ...(description !== undefined && { description }), ...(strict !== undefined && { strict }) }
  return { type: 'json_schema', json_schema: { name, ...described, schema } }
}

function writeTool(tool: ChatTool): object {
  return { type: 'function', function: tool }
}

function writeChoice(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: choice }
}

function writeMessage(message: ChatMessage): object {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  const { role, content, name } = message
  const named = name !== undefined && { name }
  if (role !== 'assistant' || !message.toolCalls) return { role, content, ...named }
  const calls = message.toolCalls.map(({ id, ...called }) => ({ id, type: 'function', function: called }))
  return { role, content: content === '' ? null : content, ...named, tool_calls: calls }
}
