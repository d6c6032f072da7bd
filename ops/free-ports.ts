import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** Beyond 10080, the highest port that `fetch` and browsers refuse to connect to. */
const FIRST_PORT = 10_081
/** How many ports in a row a process takes before it would meet those of the process with the next number. */
const PORTS_PER_PROCESS = 64

const ports = listPorts(FIRST_PORT, readFirstOutgoingPort())

/**
 * Unused ports. The kernel gives none of them to an outgoing connection or to who asks for any port, who could take one before
 * the service that it is meant for listens, or while that starts again. Processes that run at once look in different places.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = []
  while (found.length < count) {
    const port = ports.next().value
    if (await isFree(port)) found.push(port)
  }
  return found
}

export async function findFreePort(): Promise<number> {
  return (await freePorts(1))[0]!
}

function* listPorts(first: number, end: number): Generator<number, never> {
  for (let index = process.pid * PORTS_PER_PROCESS; ; index++) yield first + (index % (end - first))
}

function readFirstOutgoingPort(): number {
  try {
    const first = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t')[0])
    return first > 2 * FIRST_PORT ? first : 32_768
  } catch {
    return 32_768
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
