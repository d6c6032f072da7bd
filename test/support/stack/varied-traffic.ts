import { randomBytes } from 'node:crypto'
import { openBatonOwner } from './baton-owner.ts'
import type { InProcessApi } from './in-process-api.ts'

/** What customers have left in an installation, by which a copy of it is recognised. */
export interface Traffic {
  owner: Awaited<ReturnType<typeof openBatonOwner>>
  key: string
  /** A token of the drop. */
  token: string
  drop: { id: string; content: Buffer }
  ledger: { id: string; content: string }
  file: { leaseId: string; content: Buffer }
  /** Makes calls until it is stopped, and returns how many. */
  keepCalling(): { stop(): Promise<number> }
}

/** A customer with a baton in the store, a witnessed ledger, a stored file and calls. */
export async function makeTraffic(api: InProcessApi): Promise<Traffic> {
  const owner = await openBatonOwner(api, 50_000_000n)
  const content = randomBytes(40_000)
  const drop = await owner.create({
    preset: 'drop',
    tier: 'femto',
    content: content.toString('base64'),
    contentEncoding: 'base64',
    contentType: 'application/octet-stream',
  })
  const issued = await owner.call('POST', `/v1/baton/${drop.id}/tokens`, { type: 'read', reads_allowed: 50 })
  const ledger = await owner.create({ preset: 'ledger', tier: 'femto', content: 'one' })
  await owner.call('POST', `/v1/baton/${ledger.id}`, { content: 'two' })
  await owner.call('POST', `/v1/baton/${ledger.id}/trust/document-witness`)
  const stored = randomBytes(300_000)
  const lease = await api.app.inject({
    method: 'POST',
    url: '/api/storage',
    headers: { ...owner.headers, 'content-type': 'image/png' },
    payload: stored,
  })
  if (lease.statusCode !== 201) throw new Error(lease.body)
  return {
    owner,
    key: owner.key,
    token: issued.json().id,
    drop: { id: drop.id, content },
    ledger: { id: ledger.id, content: 'onetwo' },
    file: { leaseId: lease.json().lease_id, content: stored },
    keepCalling: () => keepCalling(owner),
  }
}

function keepCalling(owner: Traffic['owner']): { stop(): Promise<number> } {
  let isStopped = false
  const run = async () => {
    let calls = 0
    while (!isStopped) {
      const answer = await owner.call('POST', '/v1/utils/hash', { text: `call ${calls}` })
      if (answer.statusCode !== 200) throw new Error(answer.body)
      await owner.create({ preset: 'scratchpad', tier: 'femto', content: `note ${calls}` })
      calls += 1
    }
    return calls
  }
  const running = run()
  return {
    stop: () => {
      isStopped = true
      return running
    },
  }
}
