import type { Socket } from 'node:net'

export type Params = Record<string, unknown>

export interface PipeEvent {
  method: string
  params: Params
}

interface Message extends Partial<PipeEvent> {
  id?: number
  sessionId?: string
  result?: unknown
  error?: { code: number; message: string }
}

/** What the browser says no to. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** No answer is longer than a chunk of a file or a picture of the most pixels there may be. */
const LONGEST_MESSAGE = 512 * 2 ** 20

/** The browser's own protocol over two pipes: JSON with a zero byte after each message. */
export class Pipe {
  private readonly input: Socket
  private readonly waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  private readonly listeners = new Map<string, (event: PipeEvent) => void>()
  private parts: Buffer[] = []
  private size = 0
  private lastId = 0

  constructor(input: Socket, output: Socket) {
    this.input = input
    output.on('data', (chunk: Buffer) => this.take(chunk))
    output.on('close', () => this.end())
  }

  send<Result = unknown>(method: string, params: Params = {}, sessionId?: string): Promise<Result> {
    const id = ++this.lastId
    const answer = new Promise<Result>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (result: unknown) => void, reject })
    })
    // Whoever lost interest in an answer does not hear that it never came.
    answer.catch(() => undefined)
    this.input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return answer
  }

  /** One listener a session; none to be rid of it. */
  listen(sessionId: string, listener?: (event: PipeEvent) => void): void {
    if (listener) this.listeners.set(sessionId, listener)
    else this.listeners.delete(sessionId)
  }

  private take(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      this.parts.push(chunk.subarray(start, end))
      const text = Buffer.concat(this.parts).toString()
      this.parts = []
      this.size = 0
      start = end + 1
      this.hear(JSON.parse(text) as Message)
    }
    if (start === chunk.length) return
    this.parts.push(chunk.subarray(start))
    this.size += chunk.length - start
    if (this.size > LONGEST_MESSAGE) this.input.destroy()
  }

  private hear({ id, sessionId = '', method, params = {}, result, error }: Message): void {
    if (id === undefined) {
      this.listeners.get(sessionId)?.({ method: method!, params })
      return
    }
    const waiter = this.waiting.get(id)
    this.waiting.delete(id)
    if (error) waiter?.reject(new Refusal(error.message))
    else waiter?.resolve(result)
  }

  /** Nobody is answered any more: the end of the process is told by those who keep it. */
  private end(): void {
    this.waiting.clear()
  }
}
