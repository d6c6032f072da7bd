import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createConnection, createServer, type Server } from 'node:net'
import { pollUntil } from '../back-off.ts'
import { SetUpError } from '../set-up-error.ts'

/**
 * Lets one process at a time run the Postgres of a data folder, or for another purpose one. The lock is an abstract socket name,
 * which the kernel frees when its holder dies for any reason. A process that connects to it receives the holder's pid.
 */
export async function lockDataDir(
  dataDir: string,
  options: { timeoutMs: number; purpose?: 'service' },
): Promise<{ release(): void }> {
  const purpose = options.purpose === undefined ? '' : `${options.purpose} `
  const name = `\0coinop-${createHash('sha256').update(`${purpose}${dataDir}`).digest('hex').slice(0, 32)}`
  const server = await pollUntil(() => tryListen(name), { withinMs: options.timeoutMs, everyMs: 100 })
  if (!server) {
    const holder = (await readHolderPid(name)) ?? 'unknown'
    throw new SetUpError(
      `The data folder ${dataDir} is already in use by process ${holder}; stop that one or set DATA_DIR.`,
    )
  }
  return { release: () => void server.close() }
}

async function tryListen(name: string): Promise<Server | undefined> {
  const server = createServer(socket => {
    socket.on('error', () => socket.destroy())
    socket.end(String(process.pid))
  })
  server.unref()
  try {
    server.listen(name)
    await once(server, 'listening')
    return server
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
}

async function readHolderPid(name: string): Promise<string | undefined> {
  const socket = createConnection(name)
    .setEncoding('utf8')
    .setTimeout(500, () => socket.destroy())
  try {
    let text = ''
    for await (const chunk of socket) text += chunk
    return text || undefined
  } catch {
    return undefined
  }
}
