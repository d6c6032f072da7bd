import type { openBatonOwner } from '../../support/stack/baton-owner.ts'

/** Ids of an owner, which no route may open to another account: test/routes/other-accounts.test.ts tries them all. */
export default async function createThings(owner: Awaited<ReturnType<typeof openBatonOwner>>) {
  const made = (await owner.call('POST', '/v1/idverify/verifications', { type: 'document' })).json()
  return { id: made.id as string }
}
