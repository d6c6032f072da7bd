import type { ChatMessage, ToolCall } from '../../../tasks/formats/language/chat.ts'
import type { ModelRequest } from './contract.ts'

/** For APIs that have the rules of a conversation beside its messages, wherever they stood. */
export function joinRules({ system, chat }: Pick<ModelRequest, 'system' | 'chat'>): string {
  const rules = (chat?.messages ?? []).flatMap(({ role, content }) => (role === 'system' ? [content] : []))
  return [system, ...rules].filter(text => text !== '').join('\n\n')
}

type SpokenMessage = Exclude<ChatMessage, { role: 'system' }>

interface Turn<Part> {
  role: 'user' | 'assistant'
  content: Part[]
}

/** Neighbours of one role are one message, as several results of tools must be. */
export function listTurns<Part>(
  messages: readonly ChatMessage[],
  writeParts: (message: SpokenMessage) => Part[],
): Turn<Part>[] {
  const turns: Turn<Part>[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...writeParts(message))
    else turns.push({ role, content: writeParts(message) })
  }
  return turns
}

/** Arguments are JSON that a model has written; what is none is given back as the text that it is. */
export function readArguments({ arguments: written }: Pick<ToolCall, 'arguments'>): unknown {
  try {
    return JSON.parse(written === '' ? '{}' : written)
  } catch {
    return { arguments: written }
  }
}
