import type { ChatMessage, ChatTool, Sampling, ToolChoice } from '../../../../tasks/formats/language/chat.ts'
import type { ChatRequest, ModelRequest } from '../contract.ts'
import { joinRules, listTurns, readArguments } from '../turns.ts'

const ANSWER_TOOL = 'answer'
const ANY_OBJECT = { type: 'object' }

/** An answer of a schema is asked for as the input of a tool, which every model knows. */
export function buildBody(request: ModelRequest): object {
  const { model, user, schema, chat, maxOutputTokens, pieces } = request
  const rules = joinRules(request)
  const form = schema ?? (chat?.format && (chat.format.schema ?? ANY_OBJECT))
  return {
    model,
    ...(rules !== '' && { system: rules }),
    messages: chat ? writeMessages(chat.messages) : [{ role: 'user', content: user }],
    max_tokens: maxOutputTokens,
    ...(chat && writeSampling(chat.sampling)),
    ...(chat?.tools && writeTools(chat, chat.tools)),
    ...(form && writeForm(form)),
    ...(pieces && { stream: true }),
  }
}

function writeForm(schema: object): object {
  const tool = { name: ANSWER_TOOL, description: 'Gives the answer.', input_schema: schema }
  return { tools: [tool], tool_choice: { type: 'tool', name: ANSWER_TOOL } }
}

function writeSampling({ temperature, topP, stop, user }: Sampling): object {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && { stop_sequences: stop }),
    ...(user !== undefined && { metadata: { user_id: user } }),
  }
}

function writeTools({ toolChoice = 'auto', parallelToolCalls }: ChatRequest, tools: readonly ChatTool[]): object {
  const written = tools.map(({ name, description, parameters }) => ({
    ...{ name, ...(description !== undefined && { description }) },
    input_schema: parameters ?? { type: 'object', properties: {} },
  }))
  const single = parallelToolCalls === false && toolChoice !== 'none' && { disable_parallel_tool_use: true }
  return { tools: written, tool_choice: { ...writeChoice(toolChoice), ...single } }
}

function writeChoice(choice: ToolChoice): object {
  if (typeof choice === 'object') return { type: 'tool', ...choice }
  return { type: choice === 'required' ? 'any' : choice }
}

type Part =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content: string }

function writeMessages(messages: readonly ChatMessage[]): object[] {
  return listTurns(messages, writeParts).map(({ role, content }) => ({ role, content: simplify(content) }))
}

function simplify(parts: Part[]): string | Part[] {
  const [first] = parts
  return parts.length === 1 && first!.type === 'text' ? first!.text : parts
}

function writeParts(message: Exclude<ChatMessage, { role: 'system' }>): Part[] {
  const { content } = message
  if (message.role === 'tool') return [{ type: 'tool_result', tool_use_id: message.toolCallId, content }]
  const text: Part[] = content === '' ? [] : [{ type: 'text', text: content }]
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return [
    ...text,
    ...calls.map(call => ({ type: 'tool_use', id: call.id, name: call.name, input: readArguments(call) }) as const),
  ]
}
