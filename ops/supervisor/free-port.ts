import { once } from 'node:events'
import { createServer } from 'node:net'
import { pollUntil } from '../back-off.ts'
import { SetUpError } from '../set-up-error.ts'

const MESSAGES: Record<string, (host: string, port: number, name: string) => string> = {
  EADDRINUSE: (host, port, name) =>
    `${name} ${port} is already in use on ${host}; stop the program that listens there or set ${name}.`,
  EACCES: (_host, port, name) => `${name} ${port} is not allowed for this user; set ${name} to 1024 or above.`,
  EADDRNOTAVAIL: host => `HOST ${host} is not an address of this machine; set HOST.`,
  ENOTFOUND: host => `HOST ${host} cannot be resolved; set HOST.`,
}

/** Fails early with a clear message, instead of letting a child process fail again and again. */
export async function checkPortIsFree(host: string, port: number, timeoutMs: number, name = 'PORT'): Promise<void> {
  let lastCode = ''
  const isFree = await pollUntil(
    async () => {
      lastCode = (await probePort(host, port)) ?? ''
      return lastCode !== 'EADDRINUSE' || undefined
    },
    { withinMs: timeoutMs, everyMs: 100 },
  )
  if (isFree && lastCode === '') return
  throw new SetUpError(
    MESSAGES[lastCode]?.(host, port, name) ?? `HOST ${host} and ${name} ${port} cannot be listened on (${lastCode}).`,
  )
}

/** Metrics are not needed to serve, so a port of theirs that is taken is only told. */
export async function isPortTaken(host: string, port: number): Promise<boolean> {
  return (await probePort(host, port)) !== undefined
}

interface Listeners {
  host: string
  port: number
  adminHost: string
  adminPort: number
  workerAdminPort: number
  hasDevChain?: boolean
  devChainPort?: number
  console?: { host: string; port: number } | undefined
}

const ALL_ADDRESSES = ['0.0.0.0', '::']

/** Two programs of one service cannot listen at one place; the second would be restarted for ever. */
export function checkPortsDiffer(config: Listeners): void {
  const { host, port, adminHost, adminPort, workerAdminPort, hasDevChain, devChainPort = 0 } = config
  const listeners = [
    { name: 'PORT', host, port },
    { name: 'ADMIN_PORT', host: adminHost, port: adminPort },
    { name: 'WORKER_ADMIN_PORT', host: adminHost, port: workerAdminPort },
    ...(hasDevChain ? [{ name: 'DEV_CHAIN_PORT', host: '127.0.0.1', port: devChainPort }] : []),
    ...(config.console ? [{ name: 'CONSOLE_PORT', ...config.console }] : []),
  ]
  for (const [index, one] of listeners.entries()) {
    const other = listeners.slice(index + 1).find(each => each.port === one.port && shareAddress(each.host, one.host))
    if (other && one.port !== 0)
      throw new SetUpError(`${one.name} and ${other.name} are both ${one.port}; set one of them to another port.`)
  }
}

function shareAddress(one: string, other: string): boolean {
  return one === other || ALL_ADDRESSES.includes(one) || ALL_ADDRESSES.includes(other)
}

async function probePort(host: string, port: number): Promise<string | undefined> {
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
