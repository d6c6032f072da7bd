import type { openBatonOwner } from '../../support/stack/baton-owner.ts'

/** Ids of an owner, which no route may open to another account: test/routes/other-accounts.test.ts tries them all. */
export default async function createThings(owner: Awaited<ReturnType<typeof openBatonOwner>>) {
  const body = { name: 'Zorblatt Quexington', allowSample: true }
  const screened = (await owner.call('POST', '/v1/screening/match', body)).json() as { screeningId: string }
  const dismissal = { entityId: 'sample:s-1', reason: 'private' }
  await owner.call('POST', `/v1/screening/matches/${screened.screeningId}/dismissals`, dismissal)
  const monitor = (await owner.call('POST', '/v1/screening/monitors', body)).json() as { id: string }
  // A list is loaded by a worker, which is not here; own-lists.test.ts tries a real one of another account.
  const source = 'custom:private'
  return { id: screened.screeningId, entityId: 'sample:s-1', monitor: monitor.id, source }
}
