import { isObject } from '../../intake/x402/payments.ts'
import type { Fields } from '../message.ts'
import type { Session } from './session.ts'

/** What a client says of one of its calls, which another process may be performing. */
type ClientMessage = { session: string; call: string } | { session: string; question: string; action: string }

/** What an answer to a question may be; anything else means that the question was not answered. */
const ACTIONS = new Set(['accept', 'decline', 'cancel'])

/** The calls and the questions of this process that clients may say something about. */
export class OpenCalls {
  readonly #cancels = new Map<string, () => void>()
  readonly #questions = new Map<string, (action: string) => void>()
  readonly #tell: (message: object) => Promise<void>

  /** `tell` reaches all processes, this one too. */
  constructor(tell: (message: object) => Promise<void>) {
    this.#tell = tell
  }

  /** Calls `cancel` when the client takes back the call. */
  open(session: Session, id: string | number, cancel: () => void): Disposable {
    const key = keyOf(session.id, nameCall(id))
    this.#cancels.set(key, cancel)
    return { [Symbol.dispose]: () => this.#cancels.delete(key) }
  }

  /** The answer to a question, once it comes. */
  waitFor(session: Session, question: string): Disposable & { action: Promise<string> } {
    const key = keyOf(session.id, question)
    const { promise: action, resolve } = Promise.withResolvers<string>()
    this.#questions.set(key, resolve)
    return { action, [Symbol.dispose]: () => this.#questions.delete(key) }
  }

  async cancel(session: Session, id: unknown): Promise<void> {
    if (typeof id === 'string' || typeof id === 'number') await this.#pass({ session: session.id, call: nameCall(id) })
  }

  async answer(session: Session, question: string, action: unknown): Promise<void> {
    const known = ACTIONS.has(String(action)) ? String(action) : 'cancel'
    await this.#pass({ session: session.id, question, action: known })
  }

  onNotify(text: string): void {
    this.#take(JSON.parse(text) as ClientMessage)
  }

  /** Only what is not of this process is told to the others. */
  async #pass(message: ClientMessage): Promise<void> {
    if (!this.#take(message)) await this.#tell(message)
  }

  #take(message: ClientMessage): boolean {
    if ('call' in message) {
      const cancel = this.#cancels.get(keyOf(message.session, message.call))
      cancel?.()
      return cancel !== undefined
    }
    const answer = this.#questions.get(keyOf(message.session, message.question))
    answer?.(message.action)
    return answer !== undefined
  }
}

/** The ids 1 and "1" are two. */
function nameCall(id: string | number): string {
  return JSON.stringify(id).slice(0, 256)
}

function keyOf(session: string, name: string): string {
  return `${session} ${name}`
}

/** Whether a client sends no request but the answer to one of ours. */
export function isAnswer(body: unknown): body is Fields {
  return (
    isObject(body) && body.method === undefined && typeof body.id === 'string' && ('result' in body || 'error' in body)
  )
}

/** An error means that the user was not asked, or did not answer. */
export async function takeAnswer(openCalls: OpenCalls, session: Session, { id, result }: Fields): Promise<void> {
  await openCalls.answer(session, String(id).slice(0, 128), isObject(result) ? result.action : undefined)
}
