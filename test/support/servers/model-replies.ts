/** An answer of the model, or what goes wrong instead of one. */
export type ModelReply =
  | {
      text: string
      input?: number
      output?: number
      end?: 'stop' | 'length' | 'refused'
      cached?: number
      calls?: readonly FakeCall[]
    }
  | { status: number; body?: object; headers?: Record<string, string> }
  | { raw: string | Buffer }
  | { isCutOff: true }
  /** A stream of these pieces; without `isWhole` the connection breaks after them. */
  | {
      pieces: string[]
      isWhole?: boolean
      input?: number
      output?: number
      isHanging?: boolean
      calls?: readonly FakeCall[]
      end?: 'length' | 'refused'
    }
  | { isSilent: true }

/** A call of a tool. */
export interface FakeCall {
  id: string
  name: string
  arguments: string
}

export type TextReply = Extract<ModelReply, { text: string }>
export type PiecesReply = Extract<ModelReply, { pieces: string[] }>
