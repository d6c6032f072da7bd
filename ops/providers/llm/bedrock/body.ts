import type { ChatMessage, ChatTool, Sampling, ToolChoice } from '../../../../tasks/formats/language/chat.ts'
import type { ChatRequest, ModelRequest } from '../contract.ts'
import { joinRules, listTurns, readArguments } from '../turns.ts'

/** How a model is made to answer in a form: as the input of the tool that it must call, of any tool, or by its rules alone. */
export type Form = 'tool' | 'any' | 'text'

const ANSWER_TOOL = 'answer'
const ANY_OBJECT = { type: 'object' }

export function buildBody(request: ModelRequest, form: Form): object {
  const { user, schema, chat, maxOutputTokens } = request
  const rules = joinRules(request)
  const wanted = schema ?? (chat?.format && (chat.format.schema ?? ANY_OBJECT))
  const toolConfig = chat?.tools ? writeTools(chat, chat.tools) : wanted && form !== 'text' && writeForm(wanted, form)
  return {
    ...(rules !== '' && { system: [{ text: rules }] }),
    messages: chat ? listTurns(chat.messages, writeParts) : [{ role: 'user', content: [{ text: user }] }],
    inferenceConfig: { maxTokens: maxOutputTokens, ...(chat && writeSampling(chat.sampling)) },
    ...(toolConfig && { toolConfig }),
  }
}

function writeForm(schema: object, form: 'tool' | 'any'): object {
  const toolSpec = { name: ANSWER_TOOL, description: 'Gives the answer.', inputSchema: { json: schema } }
  return { tools: [{ toolSpec }], toolChoice: form === 'tool' ? { tool: { name: ANSWER_TOOL } } : { any: {} } }
}

function writeSampling({ temperature, topP, stop }: Sampling): object {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(stop && { stopSequences: stop }),
  }
}

function writeTools({ toolChoice }: ChatRequest, tools: readonly ChatTool[]): object {
  const written = tools.map(({ name, description, parameters }) => ({
    toolSpec: {
      ...{ name, ...(description !== undefined && { description }) },
      inputSchema: { json: parameters ?? { type: 'object', properties: {} } },
    },
  }))
  return { tools: written, ...(toolChoice !== undefined && { toolChoice: writeChoice(toolChoice) }) }
}

function writeChoice(choice: ToolChoice): object {
  if (typeof choice === 'object') return { tool: choice }
  return choice === 'required' ? { any: {} } : { auto: {} }
}

/** A text of nothing is refused. */
const writeText = (text: string): object[] => (text === '' ? [] : [{ text }])

function writeParts(message: Exclude<ChatMessage, { role: 'system' }>): object[] {
  const { content } = message
  if (message.role === 'tool') return [{ toolResult: { toolUseId: message.toolCallId, content: writeText(content) } }]
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const used = calls.map(call => ({ toolUse: { toolUseId: call.id, name: call.name, input: readArguments(call) } }))
  return [...writeText(content), ...used]
}
