import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newId } from '#kit'
import { value } from '../../../../sql/db.ts'
import { registerWebhook } from '../../../../sql/webhook/index.ts'
import { newWebhookSecret } from '../../../../tasks/products/webhook/index.ts'
import { seal } from '../../../secrets.ts'
import type { Stack } from '../../stack.ts'

const EVENT = 'bench.event'

export const WEBHOOK_STACK = {
  accounts: 1,
  lanes: ['remote'],
  env: { WEBHOOK_NETWORKS: '127.0.0.1' },
} as const

/** A receiver that answers `/fast` at once and `/hang` never. */
export interface BenchReceiver extends AsyncDisposable {
  url: string
  /** When each event arrived at `/fast`, by its number. */
  arrivals: Map<number, number>
}

export async function openReceiver(): Promise<BenchReceiver> {
  const arrivals = new Map<number, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk as Buffer))
    request.on('end', () => {
      if (request.url !== '/fast') return
      const { number } = JSON.parse(Buffer.concat(chunks).toString()) as { number: number }
      if (!arrivals.has(number)) arrivals.set(number, performance.now())
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1', 4_096)
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Registers endpoints, each for a target of its own, and returns the targets. */
export async function registerEndpoints(
  { db, config, accounts }: Stack,
  url: string,
  count: number,
): Promise<string[]> {
  const targets: string[] = []
  for (let index = 0; index < count; index++) {
    const [id, targetId] = [newId(), newId()]
    const secret = seal(config.secret, newWebhookSecret(), id)
    const webhook = { id, targetId, accountId: accounts[0]!, url, events: [EVENT], description: null, secret }
    await registerWebhook(db, webhook, 1)
    targets.push(targetId)
  }
  return targets
}

/** Emits one event for each of the targets; they are numbered from `first`. */
export async function emitEvents({ db, accounts }: Stack, targets: readonly string[], first: number): Promise<void> {
  const text = `select webhook.emit(array(
    select row($1, t.id, $3, null, json_build_object('number', $4::int + t.ord - 1))::svc.webhook_emission
    from unnest($2::uuid[]) with ordinality t (id, ord)))`
  const count = await value<number>(db, text, [accounts[0], targets, EVENT, first])
  if (count !== targets.length) throw new Error(`${count} of ${targets.length} events were queued`)
}

/** Waits until that many events have arrived and returns when the last of them did. */
export async function waitForArrivals({ arrivals }: BenchReceiver, count: number): Promise<number> {
  const giveUpAt = performance.now() + 300_000
  while (arrivals.size < count) {
    if (performance.now() > giveUpAt) throw new Error(`only ${arrivals.size} of ${count} events arrived`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  return Math.max(...arrivals.values())
}
