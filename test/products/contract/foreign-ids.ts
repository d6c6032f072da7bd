import type { openBatonOwner } from '../../support/stack/baton-owner.ts'

/** Ids of an owner, which no route may open to another account: test/routes/other-accounts.test.ts tries them all. */
export default async function createThings(owner: Awaited<ReturnType<typeof openBatonOwner>>) {
  const parties = [
    { key: 'seller', method: 'wallet', address: `0x${'1'.repeat(40)}` },
    { key: 'buyer', method: 'account', customerId: owner.accountId },
  ]
  const answer = await owner.call('POST', '/v1/contracts', { title: 'private', terms: 'private', parties })
  const contract = answer.json().id as string
  return { contract, evidence: 'e1', dispute: `dsp_${contract.slice('ctr_'.length)}` }
}
