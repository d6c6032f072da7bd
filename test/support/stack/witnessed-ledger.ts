import { openBatonOwner } from './baton-owner.ts'
import { openInProcessApi } from './in-process-api.ts'

export interface Proof {
  statement: Record<string, unknown>
  jws: string
  created_at: string
  entries: Record<string, unknown>[]
}

export const LEDGER_TEXTS = ['one', 'zwei "2"', '', 'vier\n', 'x'.repeat(17_000), 'six']

/** A witnessed ledger in an api of its own, one of whose entries is in the object store, and what was exported of it. */
export async function openWitnessedLedger() {
  const api = await openInProcessApi()
  const owner = await openBatonOwner(api)
  const { id } = await owner.create({ preset: 'ledger', tier: 'femto', content: LEDGER_TEXTS[0] })
  for (const content of LEDGER_TEXTS.slice(1)) {
    await owner.call('POST', `/v1/baton/${id}`, { content, contentType: 'text/"odd"' })
  }
  await owner.call('POST', `/v1/baton/${id}/trust/document-witness`)
  const proof: Proof = (await owner.call('GET', `/v1/baton/${id}/trust/proof?entries=true`)).json()
  const keys: { keys: Record<string, unknown>[] } = (await api.app.inject('/.well-known/jwks.json')).json()
  const content = (await owner.call('GET', `/v1/baton/${id}`)).rawPayload
  return { api, owner, id: id as string, proof, keys, content }
}
