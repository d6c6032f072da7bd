import type { openBatonOwner } from '../../support/stack/baton-owner.ts'

/** Ids of an owner, which no route may open to another account: test/routes/other-accounts.test.ts tries them all. */
export default async function createThings(owner: Awaited<ReturnType<typeof openBatonOwner>>) {
  const attachments = [{ name: 'private.txt', inline: 'cHJpdmF0ZQ==' }]
  const answer = await owner.call('POST', '/v1/bridge/asks', { question: 'private', attachments })
  const ask = answer.json()
  const token = new URL(ask.replyUrls[0].url).pathname.split('/').at(-1)!
  return { ask: ask.id as string, fileId: ask.attachments[0].id as string, token }
}
