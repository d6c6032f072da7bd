import { Resolver } from 'node:dns/promises'

/** Gives the addresses of a host name. Throws an error with a code if there are none or no server answers. */
export type ResolveHost = (host: string) => Promise<string[]>

const TIMEOUT_MS = 2_000
const TRIES = 2

/**
 * Asks the DNS servers of this machine, or those given. Unlike the system's resolver it does not occupy a thread while a
 * server is silent, so one dead name server does not delay other look-ups.
 */
export function createHostResolver(servers?: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers) resolver.setServers(servers)
  return async host => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    const [first, second] = answers
    if (addresses.length > 0) return addresses
    throw first!.status === 'rejected' ? first!.reason : (second as PromiseRejectedResult).reason
  }
}

/** Whether the name is known to have no address, and not merely unanswered. */
export function hasNoAddress(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME'
}
