import { once } from 'node:events'
import { createServer } from 'node:net'
import { until } from '../back-off.ts'
import { SetUpError } from '../set-up-error.ts'

const SENTENCES: Record<string, (host: string, port: number, name: string) => string> = {
  EADDRINUSE: (host, port, name) =>
    `${name} ${port} is already in use on ${host}; stop what listens there or set ${name}.`,
  EACCES: (_host, port, name) => `${name} ${port} is not open to this user; set ${name} to 1024 or above.`,
  EADDRNOTAVAIL: host => `HOST ${host} is not an address of this machine; set HOST.`,
  ENOTFOUND: host => `HOST ${host} cannot be resolved; set HOST.`,
}

/** Refuses at once, and in words, what would otherwise fail in a child again and again. */
export async function checkPortIsFree(host: string, port: number, patienceMs: number, name = 'PORT'): Promise<void> {
  let lastCode = ''
  const isFree = await until(
    async () => {
      lastCode = (await tryPort(host, port)) ?? ''
      return lastCode !== 'EADDRINUSE' || undefined
    },
    { withinMs: patienceMs, everyMs: 100 },
  )
  if (isFree && lastCode === '') return
  throw new SetUpError(
    SENTENCES[lastCode]?.(host, port, name) ?? `HOST ${host} and ${name} ${port} cannot be listened on (${lastCode}).`,
  )
}

async function tryPort(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  } finally {
    server.close()
  }
}
