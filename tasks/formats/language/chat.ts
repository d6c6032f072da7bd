/** A conversation as all wire formats of providers can carry it. */

export interface ToolCall {
  id: string
  name: string
  /** JSON, as the model has written it. */
  arguments: string
}

/** A part of a call of a tool: the first has its id and name, the others what comes of its arguments. */
export interface ToolCallPiece {
  index: number
  id?: string
  name?: string
  arguments?: string
}

export type ChatMessage =
  | { role: 'system' | 'user'; content: string; name?: string }
  | { role: 'assistant'; content: string; name?: string; toolCalls?: readonly ToolCall[] }
  | { role: 'tool'; content: string; toolCallId: string }

export interface ChatTool {
  name: string
  description?: string
  /** JSON Schema of its arguments. */
  parameters?: object
  strict?: boolean
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

/** What the answer must be: any JSON object, or JSON of a schema. */
export interface AnswerFormat {
  schema?: object
  name?: string
  description?: string
  strict?: boolean
}

/** How freely a model answers. */
export interface Sampling {
  temperature?: number
  topP?: number
  stop?: readonly string[]
  seed?: number
  presencePenalty?: number
  frequencyPenalty?: number
  reasoningEffort?: string
  /** Whom the provider should tell apart from other users of the same key. */
  user?: string
}
