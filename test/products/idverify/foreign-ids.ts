import { allowReviews } from '../../support/people/reviews.ts'
import type { openBatonOwner } from '../../support/stack/baton-owner.ts'
import type { InProcessApi } from '../../support/stack/in-process-api.ts'

/** Ids of an owner, which no route may open to another account: test/routes/other-accounts.test.ts tries them all. */
export default async function createThings(owner: Awaited<ReturnType<typeof openBatonOwner>>, api: InProcessApi) {
  await allowReviews(api)
  const made = (await owner.call('POST', '/v1/idverify/verifications', { type: 'document' })).json()
  return { id: made.id as string }
}
