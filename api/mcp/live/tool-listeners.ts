import { Problem } from '#kit'
import type { Config } from '../../../ops/config.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'
import type { EventStream } from './event-stream.ts'

/** Proxies close connections on which nothing comes for a minute, and without a sign nobody notices that a client is gone. */
const ALIVE_MS = 25_000
const MAX_OF_CLIENT = 20
const MAX_OF_ALL = 2_000

interface Listening {
  stream: EventStream
  /** The account, else the address. */
  client: string
  response: AnswerSink['raw']
  /** Of the notification. */
  meta?: object
}

/** The tools change only with the operations that an operator adds. */
export function canToolsChange({ config }: { config: Pick<Config, 'pluginsDir'> }): boolean {
  return config.pluginsDir !== undefined
}

/** The clients of this process that are told when the list of tools changes. */
export class ToolListeners {
  readonly #open = new Map<Listening, () => void>()

  /** Until the client leaves, or the process stops: then it is true. */
  async listen(listening: Listening): Promise<boolean> {
    const { stream, client, response } = listening
    this.requirePlace(client)
    const { promise: stopped, resolve: stop } = Promise.withResolvers<boolean>()
    response.once('close', () => stop(false))
    this.#open.set(listening, () => stop(true))
    stream.keepAlive()
    const timer = setInterval(() => stream.keepAlive(), ALIVE_MS)
    try {
      return await stopped
    } finally {
      clearInterval(timer)
      this.#open.delete(listening)
    }
  }

  /** Refuses a client that has as many streams as it may, before anything is sent. */
  requirePlace(client: string): void {
    const own = [...this.#open.keys()].filter(one => one.client === client)
    if (own.length >= MAX_OF_CLIENT) throw new Problem('TOO_MANY_WAITS', { max: MAX_OF_CLIENT })
    if (this.#open.size >= MAX_OF_ALL) throw new Problem('BUSY')
  }

  announce(): void {
    for (const { stream, meta } of this.#open.keys())
      stream.send({ method: 'notifications/tools/list_changed', ...(meta && { params: { _meta: meta } }) })
  }

  endAll(): void {
    for (const stop of this.#open.values()) stop()
  }
}
