import type { openBatonOwner } from '../../support/stack/baton-owner.ts'

/** Ids of an owner, which no route may open to another account: test/routes/other-accounts.test.ts tries them all. */
export default async function createThings(owner: Awaited<ReturnType<typeof openBatonOwner>>) {
  const channel = (await owner.call('POST', '/v1/bridge/channels', { name: 'private' })).json()
  await owner.call('POST', `/v1/bridge/channels/${channel.id}/messages`, { body: 'private' })
  return { channel: channel.id as string, tokenId: channel.joinTokens[0].id as string }
}
