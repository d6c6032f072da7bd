import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'
import {
  age,
  type EnvelopeApi,
  inspectPdf,
  LETTER,
  openEnvelopeApi,
  openSender,
  openSigner,
  SIGNATURE,
  tokenOf,
} from './parts.ts'

const run = promisify(execFile)

let home: EnvelopeApi
beforeAll(async () => {
  home = await openEnvelopeApi()
})
afterAll(() => home[Symbol.asyncDispose]())

const LINE = {
  mode: 'draw',
  data: {
    ...{ width: 400, height: 150 },
    strokes: [
      [
        [20, 90],
        [120, 30],
        [300, 110],
        [380, 60],
      ],
    ],
  },
}
const DOT = {
  mode: 'draw',
  data: {
    ...{ width: 400, height: 150 },
    strokes: [
      [
        [9, 9],
        [9, 9],
        [10, 9],
      ],
    ],
  },
}

test('two people sign one after the other, and the sealed document is valid and has what they filled in', async () => {
  const owner = await openSender(home)
  const envelope = await owner.send({
    ...{ file: await LETTER(), title: 'Lease 東京', signingOrder: 'sequential', referenceId: 'lease-7' },
    recipients: [{ name: 'Ida' }, { name: 'Bo علي', order: 2 }],
    fields: [
      { ...SIGNATURE, recipient: 0 },
      { ...SIGNATURE, recipient: 1, x: 60 },
      { id: 'city', type: 'text', recipient: 0, page: 1, x: 10, y: 70, validation: { pattern: '[A-Z][a-z]+' } },
    ],
  })
  expect(envelope).toMatchObject({ status: 'sent', chargedMicros: '300000', progress: { signed: 0, total: 2 } })
  expect(await owner.money()).toEqual([1_700_000n, 0n])
  expect(envelope.recipients.map(one => [one.status, typeof one.signingUrl])).toEqual([
    ['notified', 'string'],
    ['waiting', 'undefined'],
  ])
  const ida = openSigner(home, tokenOf(envelope, 'Ida'))
  expect((await ida.look()).body.recipient.status).toBe('notified')
  expect((await ida.open()).body.recipient.status).toBe('viewed')
  expect((await ida.complete()).body).toMatchObject({ code: 'FIELD_REQUIRED', ids: ['city'] })
  expect((await ida.complete({ values: { city: 'berlin' } })).body).toMatchObject({
    code: 'FIELD_INVALID',
    field: 'city',
  })
  const signed = { values: { city: 'Berlin' } }
  expect((await ida.complete({ ...signed, consent: false })).body.code).toBe('CONSENT_REQUIRED')
  expect((await ida.complete({ ...signed, signature: DOT })).body.code).toBe('SIGNATURE_EMPTY')
  expect((await ida.complete(signed)).status).toBe(200)
  expect((await ida.complete(signed)).status).toBe(200)
  expect((await ida.complete({ values: { city: 'Bonn' } })).body.code).toBe('ALREADY_SIGNED')

  const bo = openSigner(home, tokenOf(await owner.read(envelope.id), 'Bo علي'))
  await bo.open()
  expect((await bo.complete({ signature: LINE })).status).toBe(200)
  await home.work()
  expect((await owner.read(envelope.id)).status).toBe('completed')

  const { body: document } = await owner.call('GET', `/v1/esigndoc/envelopes/${envelope.id}/signed-document`)
  const bytes = Buffer.from(document.output.inline, 'base64')
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(document.sha256)
  const { signatures, text } = await inspectPdf(bytes)
  expect(signatures).toContain('Signature is Valid')
  expect(text).toContain('Berlin')
  expect(text).toContain(envelope.id)
  const verified = await owner.call('POST', '/v1/esigndoc/verify', { file: { inline: document.output.inline } })
  expect(verified.body).toMatchObject({ isValid: true, issuedHere: true, issued: { envelopeId: envelope.id } })

  const events = await owner.events()
  expect(events.map(({ event }) => event)).toEqual(['sent', 'viewed', 'signed', 'viewed', 'signed', 'completed'])
  expect(events.map(({ payload }) => payload.remaining)).toEqual([undefined, undefined, 1, undefined, 0, undefined])
  expect(events.at(-1)!.payload).toMatchObject({
    ...{ envelopeId: envelope.id, title: 'Lease 東京', status: 'completed', referenceId: 'lease-7' },
    signedSha256: document.sha256,
  })
  expect(JSON.stringify(events)).not.toContain('Berlin')

  await using folder = await freshFolder()
  const evidence = await owner.call('GET', `/v1/esigndoc/envelopes/${envelope.id}/evidence`)
  await writeFile(join(folder.path, 'evidence.json'), JSON.stringify(evidence.body))
  await writeFile(join(folder.path, 'sealed.pdf'), bytes)
  const files = [join(folder.path, 'evidence.json'), join(folder.path, 'sealed.pdf')]
  const program = await home.api.app.inject('/v1/esigndoc/verifier')
  await writeFile(join(folder.path, 'verify.mjs'), program.body)
  const checked = await run(process.execPath, [join(folder.path, 'verify.mjs'), ...files])
  expect(checked.stdout).toContain(`OK: ${envelope.id} is completed`)
  const trail = await owner.call('GET', `/v1/esigndoc/envelopes/${envelope.id}/events`)
  expect(trail.body.data.map((one: { action: string }) => one.action)).toEqual(
    expect.arrayContaining(['created', 'sent', 'notified', 'viewed', 'signed', 'in_progress', 'sealing', 'completed']),
  )
})

test('a draft is free until it is sent, is sent once, and all is paid back if nobody has seen it', async () => {
  const owner = await openSender(home)
  const draft = await owner.send({ file: await LETTER(), recipients: [{ name: 'Ida' }] })
  expect(draft).toMatchObject({ status: 'draft', chargedMicros: '0', title: 'document' })
  const at = `/v1/esigndoc/envelopes/${draft.id}`
  expect((await owner.call('POST', `${at}/send`, {})).body.code).toBe('NO_FIELDS')
  expect((await owner.call('POST', `${at}/fields`, { ...SIGNATURE, x: 95, w: 20 })).body.code).toBe('FIELD_OUT_OF_PAGE')
  const lost = await owner.call('POST', `${at}/fields`, { type: 'date', anchor: { text: 'nowhere at all' } })
  expect(lost.body).toMatchObject({ code: 'ANCHOR_NOT_FOUND', text: 'nowhere at all' })
  const two = {
    fields: [
      { ...SIGNATURE, id: 'sign' },
      { ...SIGNATURE, x: 12 },
    ],
  }
  const added = await owner.call('POST', `${at}/fields`, two)
  expect(added.body).toMatchObject({ data: [{ id: 'sign' }, {}], warnings: [{ code: 'FIELD_OVERLAP' }] })
  const removed = await owner.call('DELETE', `${at}/fields/${added.body.data[1].id}`)
  expect(removed.body.data).toHaveLength(1)
  expect((await owner.call('PATCH', `${at}/fields/sign`, { y: 90 })).body.data[0]).toMatchObject({ id: 'sign', y: 90 })
  const quote = await owner.call('POST', `${at}/send`, { dryRun: true })
  expect(quote.body.quote.amountMicros).toBe('300000')
  expect(await owner.money()).toEqual([2_000_000n, 0n])
  const sent = await owner.call('POST', `${at}/send`, {}, { 'idempotency-key': 'once' })
  const again = await owner.call('POST', `${at}/send`, {}, { 'idempotency-key': 'once' })
  expect([sent.body.status, again.body.id]).toEqual(['sent', draft.id])
  expect(again.body.recipients[0].signingUrl).toBe(sent.body.recipients[0].signingUrl)
  expect((await owner.call('POST', `${at}/fields`, SIGNATURE)).body.code).toBe('ENVELOPE_NOT_DRAFT')
  expect(await owner.money()).toEqual([1_700_000n, 0n])
  const asked = sent.body.recipients.map(({ id }: { id: string }) => id)
  expect((await owner.call('GET', `${at}/status`)).body.nextRecipients).toEqual(asked)
  const cancelled = await owner.call('DELETE', at)
  expect(cancelled.body.status).toBe('cancelled')
  expect((await owner.call('GET', `${at}/status`)).body.nextRecipients).toEqual([])
  expect(await owner.money()).toEqual([2_000_000n, 0n])
  expect((await openSigner(home, tokenOf(sent.body, 'Ida')).look()).body.code).toBe('LINK_EXPIRED')
  expect((await owner.call('DELETE', at)).body).toMatchObject({ code: 'ENVELOPE_TERMINAL', status: 'cancelled' })
})

test('a draft that is sent by links still mails the result to those who get a copy', async () => {
  const owner = await openSender(home)
  const copy = 'copies-of-links@example.com'
  const draft = await owner.send({ file: await LETTER(), recipients: [{ name: 'Ida' }], ccOnComplete: [copy] })
  const at = `/v1/esigndoc/envelopes/${draft.id}`
  await owner.call('POST', `${at}/fields`, SIGNATURE)
  const sent = await owner.call('POST', `${at}/send`, { delivery: 'link' })
  expect(sent.body.recipients).toMatchObject([{ delivery: 'link' }, { delivery: 'email', email: copy }])
  await openSigner(home, tokenOf(sent.body, 'Ida')).complete()
  await home.work()
  await home.work()
  expect((await owner.call('GET', `${at}/outbox`)).body.data).toContainEqual(
    expect.objectContaining({ name: 'esigndoc.ended', recipient: copy }),
  )
})

test('two who sign last at once complete an envelope once', async () => {
  const owner = await openSender(home)
  const recipients = [{ name: 'Ida' }, { name: 'Bo' }]
  const fields = [SIGNATURE, { ...SIGNATURE, x: 60 }].map((field, recipient) => ({ ...field, recipient }))
  const envelope = await owner.send({ file: await LETTER(), recipients, fields })
  const signers = recipients.map(({ name }) => openSigner(home, tokenOf(envelope, name)))
  const answers = await Promise.all(signers.map(signer => signer.complete()))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  await home.work()
  const events = (await owner.events()).map(({ event }) => event)
  expect(events.filter(event => event === 'signed')).toHaveLength(2)
  expect(events.filter(event => event === 'completed')).toHaveLength(1)
})

test('who does not sign is reminded, and half is paid back of what nobody has opened in time', async () => {
  const owner = await openSender(home)
  const envelope = await owner.send({
    ...{ file: await LETTER(), delivery: 'email', timezone: 'Europe/Berlin', expiresInDays: 20 },
    recipients: [{ name: 'Ida', email: 'ida@example.com' }],
    fields: [{ ...SIGNATURE, recipient: 'ida@example.com' }],
  })
  await age(home, envelope.id, 3)
  await home.work()
  await age(home, envelope.id, 3)
  await home.work()
  const outbox = await owner.call('GET', `/v1/esigndoc/envelopes/${envelope.id}/outbox`)
  expect(outbox.body.data.map((one: { data: { isReminder: boolean } }) => one.data.isReminder)).toEqual([
    false,
    true,
    true,
  ])
  expect(outbox.body.data[0].data.expiresAt).toContain('Europe/Berlin')
  expect(JSON.stringify(outbox.body)).not.toContain('sgn_')
  expect((await owner.read(envelope.id)).remindersSent).toBe(2)
  await age(home, envelope.id, 20)
  await home.work()
  expect((await owner.read(envelope.id)).status).toBe('expired')
  expect(await owner.money()).toEqual([1_850_000n, 0n])
})
