import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../../sql/db.ts'
import { type EnvelopeApi, LETTER, openEnvelopeApi, openSender, openSigner, SIGNATURE, tokenOf } from '../parts.ts'

let home: EnvelopeApi
let owner: Awaited<ReturnType<typeof openSender>>
beforeAll(async () => {
  home = await openEnvelopeApi()
  owner = await openSender(home)
})
afterAll(() => home[Symbol.asyncDispose]())

/** As if the last reminder had been sent an hour earlier. */
async function ageReminder(id: string): Promise<void> {
  const uuid = id.slice('env_'.length).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  await rows(home.api.context.db, "update svc.envelope set resent_at = resent_at - interval '1 hour' where id = $1", [
    uuid,
  ])
}

test('those who can sign now are reminded once an hour and three times in all, and the answer says why not', async () => {
  const [ida, bo, cy] = ['Ida', 'Bo', 'Cy'].map(name => ({ name, email: `${name}@example.com`, delivery: 'email' }))
  const eve = { name: 'Eve', delivery: 'link' }
  const made = await owner.send({
    ...{ file: await LETTER(), recipients: [ida, { ...bo, message: 'For Bo alone.' }, eve, { ...cy, role: 'viewer' }] },
    fields: [0, 1, 2].map(recipient => ({ ...SIGNATURE, recipient })),
  })
  const [idaId, boId, eveId, cyId] = made.recipients.map(({ id }) => id)
  const at = `/v1/esigndoc/envelopes/${made.id}`
  const resend = (body: object = {}) => owner.call('POST', `${at}/resend`, body)
  const signer = openSigner(home, tokenOf(made, 'Ida'))
  await signer.open()
  expect((await signer.complete()).status).toBe(200)
  const before = await owner.money()

  expect(await resend({ recipientIds: [idaId] })).toMatchObject({
    ...{ status: 200, body: { notified: [], skipped: [{ id: idaId, reason: 'has signed' }] } },
  })
  expect(await resend({ message: 'It is due on Friday.' })).toMatchObject({
    status: 200,
    body: { notified: [boId], skipped: [{ id: idaId }, { id: eveId }, { id: cyId }] },
  })
  const soon = await resend()
  expect(soon).toMatchObject({ status: 429, body: { code: 'RESENT_RECENTLY', resends: 1, max: 3 } })
  expect(soon.body.retryAfterSeconds).toBeGreaterThan(3_500)
  expect(soon.body.retryAfterSeconds).toBeLessThanOrEqual(3_600)
  for (const _ of [2, 3]) {
    await ageReminder(made.id)
    expect(await resend({ recipientIds: [boId] })).toMatchObject({ status: 200, body: { notified: [boId] } })
  }
  for (const _ of ['at once', 'an hour later']) {
    const spent = await resend()
    expect(spent).toMatchObject({ status: 409, body: { code: 'RESENDS_EXHAUSTED', resends: 3, max: 3 } })
    expect(spent.body).not.toHaveProperty('retryAfterSeconds')
    await ageReminder(made.id)
  }

  await home.work()
  const { data } = (await owner.call('GET', `${at}/outbox`)).body
  const reminders = data.filter((mail: { data: { isReminder?: boolean } }) => mail.data.isReminder)
  expect(reminders.map((mail: { recipient: string; data: object }) => [mail.recipient, mail.data])).toEqual(
    [1, 2, 3].map(() => ['bo@example.com', expect.objectContaining({ name: 'Bo', message: 'It is due on Friday.' })]),
  )
  expect(await owner.money()).toEqual(before)
})
