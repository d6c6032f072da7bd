import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Stack } from '../../support/stack/start.ts'
import { inspectPdf, LETTER, openSender, openSigner, SIGNATURE } from './parts.ts'

let stack: Stack
beforeAll(async () => {
  stack = await openDefaultStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

test('two people sign one after the other, and the sealed document is valid and has what they filled in', async () => {
  const owner = await openSender(stack)
  const envelope = await owner.send({
    ...{ file: await LETTER(), title: 'Lease 東京', signingOrder: 'sequential', referenceId: 'lease-7' },
    recipients: [
      { name: 'Ida', email: 'ida@example.com' },
      { name: 'Bo علي', order: 2 },
    ],
    fields: [
      { ...SIGNATURE, recipient: 0 },
      { ...SIGNATURE, recipient: 1, x: 60 },
      { id: 'city', type: 'text', recipient: 0, page: 1, x: 10, y: 70, validation: { pattern: '[A-Z][a-z]+' } },
    ],
  })
  expect(envelope).toMatchObject({ status: 'sent', chargedMicros: '300000', progress: { signed: 0, total: 2 } })
  expect(await owner.money()).toEqual({ balance: 1_700_000n, held: 0n })
  expect(envelope.recipients.map(one => [one.status, typeof one.signingUrl])).toEqual([
    ['notified', 'string'],
    ['waiting', 'undefined'],
  ])
  const ida = openSigner(stack, envelope, 'Ida')
  expect((await ida.look()).body.recipient.status).toBe('notified')
  expect((await ida.open()).body.recipient.status).toBe('viewed')
  expect((await ida.complete()).body).toMatchObject({ code: 'FIELD_REQUIRED', ids: ['city'] })
  expect((await ida.complete({ values: { city: 'berlin' } })).body).toMatchObject({ code: 'FIELD_INVALID', field: 'city' })
  expect((await ida.complete({ values: { city: 'Berlin' }, consent: false })).body.code).toBe('CONSENT_REQUIRED')
  const dot = { mode: 'draw', data: { width: 400, height: 150, strokes: [[[9, 9], [9, 9], [10, 9]]] } }
  expect((await ida.complete({ values: { city: 'Berlin' }, signature: dot })).body.code).toBe('SIGNATURE_EMPTY')
  const signed = { values: { city: 'Berlin' } }
  expect((await ida.complete(signed)).status).toBe(200)
  expect((await ida.complete(signed)).status).toBe(200)
  expect((await ida.complete({ values: { city: 'Bonn' } })).body.code).toBe('ALREADY_SIGNED')

  const bo = openSigner(stack, await owner.read(envelope.id), 'Bo علي')
  await bo.open()
  const line = { mode: 'draw', data: { width: 400, height: 150, strokes: [[[20, 90], [120, 30], [300, 110], [380, 60]]] } }
  expect((await bo.complete({ signature: line })).status).toBe(200)
  await owner.waitFor(envelope.id, 'completed')

  const { body: document } = await owner.get(`/v1/esigndoc/envelopes/${envelope.id}/signed-document`)
  const bytes = Buffer.from(document.output.inline, 'base64')
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(document.sha256)
  const { signatures, text } = await inspectPdf(bytes)
  expect(signatures).toContain('Signature is Valid')
  expect(text).toContain('Berlin')
  expect(text).toContain(envelope.id)
  const verified = await owner.post('/v1/esigndoc/verify', { file: { inline: document.output.inline } })
  expect(verified.body).toMatchObject({ isValid: true, issuedHere: true, issued: { envelopeId: envelope.id } })

  const events = await owner.events()
  expect(events.map(({ event }) => event)).toEqual(['sent', 'viewed', 'signed', 'viewed', 'signed', 'completed'])
  expect(events.map(({ payload }) => payload.remaining)).toEqual([undefined, undefined, 1, undefined, 0, undefined])
  expect(events.at(-1)!.payload).toMatchObject({
    ...{ envelopeId: envelope.id, title: 'Lease 東京', status: 'completed', referenceId: 'lease-7' },
    signedSha256: document.sha256,
  })
  expect(JSON.stringify(events)).not.toContain('Berlin')
})

test('a document says itself where to sign, in tags, and a draft is free until it is sent', async () => {
  const owner = await openSender(stack)
  const draft = await owner.send({ file: await LETTER(), recipients: [{ name: 'Ida' }] })
  expect(draft).toMatchObject({ status: 'draft', chargedMicros: '0', title: 'document' })
  const at = `/v1/esigndoc/envelopes/${draft.id}`
  expect((await owner.post(`${at}/send`, {})).body.code).toBe('NO_FIELDS')
  expect((await owner.post(`${at}/fields`, { ...SIGNATURE, x: 95, w: 20 })).body.code).toBe('FIELD_OUT_OF_PAGE')
  expect((await owner.post(`${at}/fields`, { type: 'date', anchor: { text: 'nowhere at all' } })).body).toMatchObject({
    ...{ code: 'ANCHOR_NOT_FOUND', text: 'nowhere at all' },
  })
  const added = await owner.post(`${at}/fields`, { fields: [{ ...SIGNATURE, id: 'sign' }, { ...SIGNATURE, x: 12 }] })
  expect(added.body).toMatchObject({ data: [{ id: 'sign' }, {}], warnings: [{ code: 'FIELD_OVERLAP' }] })
  const removed = await owner.request(`${at}/fields/${added.body.data[1].id}`, { method: 'DELETE' })
  expect(removed.body.data).toHaveLength(1)
  expect(await owner.money()).toEqual({ balance: 2_000_000n, held: 0n })
  const quote = await owner.post(`${at}/send`, { dryRun: true })
  expect(quote.body.quote.amountMicros).toBe('300000')
  const sent = await owner.post(`${at}/send`, {}, { 'idempotency-key': 'once' })
  const again = await owner.post(`${at}/send`, {}, { 'idempotency-key': 'once' })
  expect([sent.body.status, again.body.id]).toEqual(['sent', draft.id])
  expect(again.body.recipients[0].signingUrl).toBe(sent.body.recipients[0].signingUrl)
  expect((await owner.post(`${at}/fields`, SIGNATURE)).body.code).toBe('ENVELOPE_NOT_DRAFT')
  expect((await owner.money()).balance).toBe(1_700_000n)
  const cancelled = await owner.request(at, { method: 'DELETE' })
  expect(cancelled.body.status).toBe('cancelled')
  expect((await owner.money()).balance).toBe(2_000_000n)
  expect((await openSigner(stack, sent.body, 'Ida').look()).body.code).toBe('LINK_EXPIRED')
})
