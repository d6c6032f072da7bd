import type { openBatonOwner } from '../../support/stack/baton-owner.ts'

/** Ids of an owner, which no route may open to another account: test/routes/other-accounts.test.ts tries them all. */
export default async function createThings(owner: Awaited<ReturnType<typeof openBatonOwner>>) {
  await owner.call('POST', '/v1/bridge/locks/shared', { owner: 'private' })
  await owner.call('POST', '/v1/bridge/barriers/shared', { parties: 2 })
  await owner.call('POST', '/v1/bridge/barriers/shared/arrive', { member: 'private' })
  await owner.call('POST', '/v1/bridge/counters/shared', {})
  return { name: 'shared' }
}
