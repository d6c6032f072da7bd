import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditAccount } from '../../../sql/account.ts'
import { value } from '../../../sql/db.ts'
import { buildPdf, pdfStream } from '../../support/pdf/document.ts'
import {
  type EnvelopeApi,
  inspectPdf,
  LETTER,
  openEnvelopeApi,
  openSender,
  openSigner,
  SIGNATURE,
  tokenOf,
} from './parts.ts'

let home: EnvelopeApi
let owner: Awaited<ReturnType<typeof openSender>>
beforeAll(async () => {
  home = await openEnvelopeApi()
  owner = await openSender(home, 9_000_000n)
})
afterAll(() => home[Symbol.asyncDispose]())

const inline = async (path: string) => ({ inline: (await readFile(path)).toString('base64') })
const IDA = { name: 'Ida' }

const REFUSED: [what: string, call: { file?: string; [option: string]: unknown }, code: string][] = [
  ['a document that is signed', { file: 'tasks/samples/signed.pdf' }, 'PDF_ALREADY_SIGNED'],
  ['what is no document', { file: 'tasks/samples/gradient.png' }, 'UNSUPPORTED_FORMAT'],
  ['a field for nobody', { fields: [{ ...SIGNATURE, recipient: 7 }] }, 'RECIPIENT_UNKNOWN'],
  ['a field on no page', { fields: [{ ...SIGNATURE, page: 90 }] }, 'FIELD_OUT_OF_PAGE'],
  ['only a reader', { recipients: [{ ...IDA, role: 'viewer' }], fields: [], sendImmediately: true }, 'NO_SIGNERS'],
  ['a signer with nothing to sign', { fields: [{ type: 'text', page: 1, x: 1, y: 1 }] }, 'NO_FIELDS'],
  [
    'codes without a mail server',
    { recipients: [{ ...IDA, email: 'i@example.com', verification: 'email_otp' }] },
    'PROVIDER_NOT_CONFIGURED',
  ],
  [
    'codes without a provider of text messages',
    { recipients: [{ ...IDA, phone: '+491701234567', verification: 'sms_otp' }] },
    'PROVIDER_NOT_CONFIGURED',
  ],
  ['a seal with a time that nobody confirms', { seal: { level: 'B-T' } }, 'PROVIDER_NOT_CONFIGURED'],
  ['no such zone', { timezone: 'Moon/Crater' }, 'INVALID_PARAM'],
  [
    'a pattern of groups',
    { fields: [{ ...SIGNATURE }, { type: 'text', page: 1, x: 1, y: 1, validation: { pattern: '(a+)+' } }] },
    'INVALID_PARAM',
  ],
  [
    'a condition that nothing can meet',
    { fields: [{ ...SIGNATURE }, { type: 'text', page: 1, x: 1, y: 1, showIf: { field: 'pet', equals: true } }] },
    'FIELD_INVALID',
  ],
  [
    'a dropdown without options',
    { fields: [{ ...SIGNATURE }, { type: 'dropdown', page: 1, x: 1, y: 1 }] },
    'FIELD_INVALID',
  ],
  ['an unknown option', { signingOrders: 'parallel' }, 'UNKNOWN_FIELD'],
]

test('a plain text is refused with the call that makes a PDF of it', async () => {
  const file = { text: 'I agree.', name: 'agreement.txt' }
  const body = { file, recipients: [IDA], fields: [SIGNATURE] }
  const answer = await owner.call('POST', '/v1/esigndoc/envelopes', body)
  expect(answer.body).toMatchObject({ code: 'UNSUPPORTED_FORMAT', instead: 'pdf.from-markdown' })
})

test.each(REFUSED)('refuses %s and charges nothing', async (_what, { file: path, ...more }, code) => {
  const before = await owner.money()
  const file = path === undefined ? await LETTER() : await inline(path)
  const body = { file, recipients: [IDA], fields: [SIGNATURE], ...more }
  const answer = await owner.call('POST', '/v1/esigndoc/envelopes', body)
  expect(answer.body.code, JSON.stringify(answer.body)).toBe(code)
  expect(await owner.money()).toEqual(before)
})

test('envelopes of an account are none to another, and a link is good for its recipient alone', async () => {
  const envelope = await owner.send({
    ...{ file: await LETTER(), fields: [SIGNATURE] },
    recipients: [
      {
        ...{ name: '‮Ida\u202c علي <b>"', phone: '+491701234567' },
        ...{ redirectUrl: 'https://shop.example/done', metadata: { seat: 7 } },
      },
    ],
    ...{ singleSession: true, allowReassign: true },
  })
  const at = `/v1/esigndoc/envelopes/${envelope.id}`
  const other = await openSender(home)
  const paths = ['', '/status', '/fields', '/events', '/evidence', '/outbox', '/download', '/signed-document']
  for (const path of paths) expect((await other.call('GET', `${at}${path}`)).status, path).toBe(404)
  for (const [method, path] of [
    ['DELETE', at],
    ['PATCH', at],
    ['POST', `${at}/resend`],
    ['POST', `${at}/send`],
  ] as const)
    expect((await other.call(method, path, method === 'PATCH' ? { title: 'x' } : {})).status, path).toBe(404)
  const token = tokenOf(envelope, envelope.recipients[0]!.name)
  expect((await openSigner(home, `sgn_${'A'.repeat(43)}`).look()).body.code).toBe('NOT_FOUND')
  const [first, second] = [openSigner(home, token), openSigner(home, token)]
  expect((await first.open()).body.isAdmitted).toBe(true)
  expect((await second.open()).body.isAdmitted).toBe(false)
  expect((await second.complete()).body.code).toBe('LINK_IN_USE')
  expect((await second.call('GET', '/document')).body).toMatchObject({ code: 'LINK_IN_USE' })
  const link = await owner.call('POST', `${at}/recipients/${envelope.recipients[0]!.id}/link`)
  expect(await first.look()).toMatchObject({ status: 410, body: { code: 'LINK_EXPIRED' } })
  expect((await first.complete()).body.code).toBe('LINK_EXPIRED')
  const next = openSigner(home, new URL(link.body.signingUrl).pathname.split('/').at(-1)!)
  await next.open()
  expect((await next.call('POST', '/reassign', { name: 'Bo', email: 'bo@example.com' })).status).toBe(200)
  expect((await next.complete()).body.code).toBe('LINK_EXPIRED')
  const changed = await owner.read(envelope.id)
  expect(changed.recipients.map(({ name, status }) => [name.length > 0, status])).toEqual([
    [true, 'reassigned'],
    [true, 'notified'],
  ])
  const bo = openSigner(home, tokenOf(changed, 'Bo'))
  // What the owner has said of the place stays, and what is of the first person does not.
  expect(changed.recipients[1]).toMatchObject({ metadata: { seat: 7 }, phone: null })
  const leadsTo = "select redirect_url from svc.envelope_recipient where name = 'Bo' and metadata ->> 'seat' = '7'"
  expect(await value(home.api.context.db, leadsTo)).toBe('https://shop.example/done')
  await bo.open()
  expect((await bo.complete()).status).toBe(200)
})

test('what its sender fills in keeps the rules of a field, so that nobody signs what it does not take', async () => {
  const place = { page: 1, x: 10 }
  const fields = [
    { key: 'sign', role: 'tenant', ...SIGNATURE },
    { key: 'rent', role: 'tenant', type: 'number', ...place, y: 50, validation: { max: 5_000 } },
    { key: 'kind', role: 'tenant', type: 'dropdown', ...place, y: 60, options: ['flat', 'house'], readOnly: true },
  ]
  const roles = [{ key: 'tenant', name: 'Tenant' }]
  const file = await LETTER()
  const { body: template } = await owner.call('POST', '/v1/esigndoc/templates', { file, name: 'L', roles, fields })
  const before = await owner.money()
  const fill = async (prefill: object) => {
    const body = { templateId: template.id, recipients: [{ role: 'tenant', name: 'Ida' }], prefill }
    return (await owner.call('POST', '/v1/esigndoc/envelopes/from-template', body)).body
  }
  expect(await fill({ rent: 9_999 })).toMatchObject({ code: 'FIELD_INVALID', field: 'prefill/rent', max: 5_000 })
  expect(await fill({ kind: 'castle' })).toMatchObject({ code: 'FIELD_INVALID', field: 'prefill/kind' })
  expect(await fill({ rent: 900, kind: 'flat' })).toMatchObject({ status: 'draft' })
  const wrong = { type: 'checkbox', recipient: 0, ...place, y: 70, defaultValue: 'yes' }
  const direct = { file, recipients: [{ name: 'Ida' }], fields: [{ ...SIGNATURE, recipient: 0 }, wrong] }
  expect((await owner.call('POST', '/v1/esigndoc/envelopes', direct)).body).toMatchObject({
    ...{ code: 'FIELD_INVALID', field: 'fields/1/defaultValue' },
  })
  expect(await owner.money()).toEqual(before)
})

test('two people for a role with fields are refused, because one would have no place to sign', async () => {
  const roles = ['tenant', 'copy'].map(key => ({ key, name: key, role: key === 'copy' ? 'cc' : 'signer' }))
  const fields = [{ key: 'sign', role: 'tenant', ...SIGNATURE }]
  const template = { file: await LETTER(), name: 'L', roles, fields }
  const { body: made } = await owner.call('POST', '/v1/esigndoc/templates', template)
  const fill = async (...taken: string[]) => {
    const recipients = taken.map((role, index) => ({ role, name: `P${index}`, email: `p${index}@b.example` }))
    const bulk = { templateId: made.id, rows: [{ recipients }] }
    const answers = await Promise.all([
      owner.call('POST', '/v1/esigndoc/envelopes/from-template', { templateId: made.id, recipients }),
      owner.call('POST', '/v1/esigndoc/envelopes/bulk', bulk),
    ])
    return answers.map(({ status, body }) => [status, body.code, body.field])
  }
  const refusal = [400, 'INVALID_PARAM', 'recipients/3/role']
  expect(await fill('copy', 'tenant', 'copy', 'tenant')).toEqual([refusal, refusal])
  expect((await fill('tenant', 'copy', 'copy')).map(([status]) => status)).toEqual([201, 202])
})

test('a tag for somebody who only reads is refused', async () => {
  const pdf = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 612 792] >>',
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    pdfStream('BT /F 12 Tf 50 700 Td ({{sig:1}}) Tj 0 -60 Td ({{sig:2}}) Tj ET'),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ])
  const file = { inline: pdf.toString('base64') }
  const make = (role: string) =>
    owner.call('POST', '/v1/esigndoc/envelopes', {
      file,
      recipients: [IDA, { name: 'Bo', role }],
      autoPlaceSignature: true,
    })
  expect((await make('viewer')).body).toMatchObject({ code: 'RECIPIENT_UNKNOWN', text: '{{sig:2}}', recipient: 2 })
  expect((await make('approver')).status).toBe(201)
})

test('a draft is not sent with a condition on a field of somebody else', async () => {
  const recipients = ['Ida', 'Bo'].map(name => ({ name, email: `${name}@example.com` }))
  const pet = { id: 'pet', type: 'checkbox', page: 1, x: 1, y: 1, required: false }
  const breed = { id: 'breed', type: 'text', page: 1, x: 1, y: 9, showIf: { field: 'pet', equals: true } }
  const signs = recipients.map((_one, recipient) => ({ ...SIGNATURE, recipient, y: 80 + recipient * 8 }))
  const make = async (owners: [number, number]) => {
    const fields = [...signs, { ...pet, recipient: owners[0] }, { ...breed, recipient: owners[1] }]
    const file = await LETTER()
    const draft = await owner.send({ file, recipients, fields, sendImmediately: false })
    return owner.call('POST', `/v1/esigndoc/envelopes/${draft.id}/send`)
  }
  expect((await make([0, 1])).body).toMatchObject({ code: 'FIELD_INVALID', field: 'breed', showIf: 'pet' })
  expect((await make([1, 1])).status).toBe(200)
})

test('a template is filled in with people and values, also for many at once', async () => {
  const template = await owner.call('POST', '/v1/esigndoc/templates', {
    ...{ file: await LETTER(), name: 'Letter', roles: [{ key: 'tenant', name: 'Tenant' }] },
    fields: [
      { key: 'sign', role: 'tenant', ...SIGNATURE },
      { key: 'rent', role: 'tenant', type: 'text', readOnly: true, page: 1, x: 10, y: 60 },
    ],
    defaults: { title: 'Lease' },
  })
  expect(template.status, JSON.stringify(template.body)).toBe(201)
  const templateId = template.body.id
  const body = { templateId, recipients: [{ role: 'tenant', name: 'Ida' }], prefill: { rent: '700 €' } }
  const made = await owner.call('POST', '/v1/esigndoc/envelopes/from-template', { ...body, sendImmediately: true })
  expect(made.body, JSON.stringify(made.body)).toMatchObject({ status: 'sent', title: 'Lease', templateVersion: 1 })
  const ida = openSigner(home, tokenOf(made.body, 'Ida'))
  expect((await ida.complete({ values: { rent: '1 €' } })).body.code).toBe('FIELD_INVALID')
  expect((await ida.complete()).status).toBe(200)
  await home.work()
  const signed = await owner.call('GET', `/v1/esigndoc/envelopes/${made.body.id}/signed-document`)
  expect((await inspectPdf(Buffer.from(signed.body.output.inline, 'base64'))).text).toContain('700 €')
  const unknown = await owner.call('POST', '/v1/esigndoc/envelopes/from-template', { ...body, prefill: { rents: '1' } })
  expect(unknown.body.code).toBe('UNKNOWN_FIELD')
  const before = await owner.money()
  const rows = ['Ida', 'Bo', 'Cem'].map(name => ({ recipients: [{ role: 'tenant', name }] }))
  const batch = await owner.call('POST', '/v1/esigndoc/envelopes/bulk', { templateId, rows, sendImmediately: true })
  expect(batch.status, JSON.stringify(batch.body)).toBe(202)
  await home.work()
  const sent = await owner.call('GET', `/v1/esigndoc/batches/${batch.body.id}`)
  expect(sent.body.rows.map(({ status }: { status: string }) => status)).toEqual(['sent', 'sent', 'sent'])
  expect(await owner.money()).toEqual([before[0] - 900_000n, 0n])
  expect((await owner.call('DELETE', `/v1/esigndoc/templates/${templateId}`)).body).toEqual({ deleted: true })
  expect((await owner.call('POST', '/v1/esigndoc/envelopes/from-template', body)).status).toBe(404)
  const poor = await openSender(home, 100_000n)
  const own = await poor.call('POST', '/v1/esigndoc/templates', {
    ...{ file: await LETTER(), name: 'Letter', roles: [{ key: 'tenant', name: 'Tenant' }] },
    fields: [{ key: 'sign', role: 'tenant', ...SIGNATURE }],
  })
  const unpaid = await poor.call('POST', '/v1/esigndoc/envelopes/bulk', {
    templateId: own.body.id,
    rows,
    sendImmediately: true,
  })
  await home.work()
  const left = await poor.call('GET', `/v1/esigndoc/batches/${unpaid.body.id}`)
  expect(left.body.rows[0]).toMatchObject({ status: 'draft', problem: { code: 'INSUFFICIENT_BALANCE' } })
  await creditAccount(home.api.context.db, { accountId: poor.accountId, amountMicros: 300_000n })
  await poor.call('POST', `/v1/esigndoc/envelopes/${left.body.rows[0].envelopeId}/send`, {})
  const later = await poor.call('GET', `/v1/esigndoc/batches/${unpaid.body.id}`)
  expect(later.body.rows).toMatchObject([
    { status: 'sent', problem: null },
    { problem: { code: 'INSUFFICIENT_BALANCE' } },
    {},
  ])
})
