import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'

/** A Postgres in this process that has pgvector, which the embedded one has not, for the figures and the tests. */
export interface PgvectorServer extends AsyncDisposable {
  url: string
  query<Row>(text: string): Promise<Row[]>
  /** Ends all connections and takes no more, or takes them again. */
  setOpen(isOpen: boolean): void
}

const SSL_REQUEST = 80_877_103
const TERMINATE = 'X'
/** The messages after which an answer is expected. */
const ENDS = ['Q', 'S', TERMINATE]

/** It has one session, which the connections use in turns, each for one transaction. */
export async function openPgvectorServer(): Promise<PgvectorServer> {
  const database = await PGlite.create({ extensions: { vector } })
  const session = new Session(database)
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer(socket => {
    if (!isOpen) return void socket.destroy()
    sockets.add(socket)
    serve(socket, session).catch(() => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    query: async text => (await session.turn(undefined, () => database.query(text))).rows as never,
    setOpen(wanted) {
      isOpen = wanted
      if (!isOpen) for (const socket of sockets) socket.destroy()
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
      await database.close()
    },
  }
}

/** Whose turn it is. */
class Session {
  readonly database: PGlite
  #holder: Socket | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting: (() => void)[] = []

  constructor(database: PGlite) {
    this.database = database
  }

  /** Runs something once no other connection is within a transaction. */
  async turn<Result>(socket: Socket | undefined, run: () => Promise<Result>): Promise<Result> {
    while (this.#holder && this.#holder !== socket) await new Promise<void>(resolve => this.#waiting.push(resolve))
    const result = this.#last.then(run)
    this.#last = result.catch(() => undefined)
    return result
  }

  hold(socket: Socket): void {
    this.#holder = socket
  }

  async release(socket: Socket, isBroken = false): Promise<void> {
    if (this.#holder !== socket) return
    if (isBroken) await this.turn(socket, () => this.database.exec('rollback'))
    this.#holder = undefined
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

async function serve(socket: Socket, session: Session): Promise<void> {
  let question: Buffer[] = []
  try {
    for await (const { kind, bytes } of readMessages(socket)) {
      if (kind === TERMINATE) return
      question.push(bytes)
      if (!ENDS.includes(kind)) continue
      await answer(socket, session, Buffer.concat(question))
      question = []
    }
  } finally {
    await session.release(socket, true)
    socket.destroy()
  }
}

/** The first message of a connection has no kind; encryption, which it may be asked for before, is refused. */
async function* readMessages(socket: Socket): AsyncGenerator<{ kind: string; bytes: Buffer }> {
  let [bytes, isStarted] = [Buffer.alloc(0), false]
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer])
    for (let length = measure(bytes, isStarted); length > 0; length = measure(bytes, isStarted)) {
      const message = bytes.subarray(0, length)
      bytes = bytes.subarray(length)
      if (isStarted) yield { kind: String.fromCharCode(message[0]!), bytes: message }
      else if (message.readInt32BE(4) === SSL_REQUEST) socket.write('N')
      else {
        isStarted = true
        yield { kind: 'Q', bytes: message }
      }
    }
  }
}

async function answer(socket: Socket, session: Session, question: Uint8Array): Promise<void> {
  const isOpen = await session.turn(socket, async () => {
    const reply = Buffer.from(await session.database.execProtocolRaw(question))
    socket.write(reply)
    // Its last byte tells whether a transaction is open.
    const isOpen = String.fromCharCode(reply.at(-1)!) !== 'I'
    if (isOpen) session.hold(socket)
    return isOpen
  })
  if (!isOpen) await session.release(socket)
}

/** How long the first message is; 0 if it has not come whole. */
function measure(bytes: Buffer, isStarted: boolean): number {
  const at = isStarted ? 1 : 0
  if (bytes.length < at + 4) return 0
  const length = at + bytes.readInt32BE(at)
  return bytes.length < length ? 0 : length
}
