import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createConnection, createServer, type Server } from 'node:net'
import { until } from '../back-off.ts'
import { SetUpError } from '../set-up-error.ts'

/**
 * Lets one process at a time run the Postgres of a data folder. The lock is a socket name that the kernel gives back
 * when its holder dies, however it dies; whoever connects is told the holder's process id.
 */
export async function becomeSoleOwner(dataDir: string, options: { withinMs: number }): Promise<{ release(): void }> {
  const name = `\0coinop-${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}`
  const server = await until(() => claim(name), { withinMs: options.withinMs, everyMs: 100 })
  if (!server) {
    const holder = (await holderOf(name)) ?? 'unknown'
    throw new SetUpError(
      `The data folder ${dataDir} is already in use by process ${holder}; stop that one or set DATA_DIR.`,
    )
  }
  return { release: () => void server.close() }
}

async function claim(name: string): Promise<Server | undefined> {
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

async function holderOf(name: string): Promise<string | undefined> {
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
