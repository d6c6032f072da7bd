import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainPdf } from '../../support/pdf/document.ts'
import { extractText } from '../../support/pdf/inspect.ts'
import { IDA, NEVER, openEngine, sealRequest } from '../../support/signing/engine.ts'
import { type EnvelopeApi, LETTER, openEnvelopeApi, openSender, openSigner, SIGNATURE, tokenOf } from './parts.ts'

let home: EnvelopeApi
beforeAll(async () => {
  home = await openEnvelopeApi()
})
afterAll(() => home[Symbol.asyncDispose]())

/** Of the script Toto, for which there is no font. */
const TOTO = '\u{1e290}'
const HEADING = { type: 'heading', page: 1, x: 10, y: 10 }
const DROPDOWN = { ...SIGNATURE, type: 'dropdown', recipient: 0, y: 60 }

test.each([
  ['recipients/0/name', { recipients: [{ name: 'Ida 🦊' }] }, { emoji: '🦊' }],
  ['recipients/1/name', { recipients: [{ name: 'Ida' }, { name: `Bo ${TOTO}` }] }, { character: TOTO }],
  ['title', { title: 'Lease 🏠' }, { emoji: '🏠' }],
  ['branding/name', { branding: { name: '🏢 Harbour' } }, { emoji: '🏢' }],
  ['fields/1/label', { fields: [SIGNATURE, { ...HEADING, label: 'Terms 📜' }] }, { emoji: '📜' }],
  ['fields/1/options', { fields: [SIGNATURE, { ...DROPDOWN, options: ['yes', 'no 👎'] }] }, { emoji: '👎' }],
])(
  'what the sealed documents could not show as it is given (%s) is refused before anything is charged',
  async (...given) => {
    const [field, body, hints] = given
    const owner = await openSender(home)
    const before = await owner.call('GET', '/v1/account/balance')
    const envelope = { file: await LETTER(), recipients: [{ name: 'Ida' }], fields: [SIGNATURE], ...body }
    const answer = await owner.call('POST', '/v1/esigndoc/envelopes', envelope)
    expect(answer.body).toMatchObject({ field, ...hints })
    expect(['FIELD_INVALID', 'INVALID_PARAM']).toContain(answer.body.code)
    expect((await owner.call('GET', '/v1/account/balance')).body).toEqual(before.body)
  },
)

test('neither a change of an envelope nor one who passes it on gives a name that cannot be shown', async () => {
  const owner = await openSender(home)
  const recipients = [{ name: 'Ida' }]
  const made = await owner.send({ file: await LETTER(), recipients, fields: [SIGNATURE], allowReassign: true })
  const at = `/v1/esigndoc/envelopes/${made.id}`
  const renamed = { recipients: [{ id: made.recipients[0]!.id, name: 'Ida 🦊' }] }
  expect((await owner.call('PATCH', at, renamed)).body).toMatchObject({ field: 'recipients/0/name', emoji: '🦊' })
  expect((await owner.call('PATCH', at, { title: '🏠' })).body).toMatchObject({ field: 'title', emoji: '🏠' })
  const ida = openSigner(home, tokenOf(made, 'Ida'))
  await ida.open()
  const to = { name: 'Bo 🦊', email: 'bo-of-names@example.com' }
  expect((await ida.call('POST', '/reassign', to)).body).toMatchObject({ field: 'name', emoji: '🦊' })
  expect((await ida.call('POST', '/reassign', { ...to, name: 'Bo' })).status).toBe(200)
})

test('a title that is made of the name of a file leaves its emoji out', async () => {
  const owner = await openSender(home)
  const files = [{ file: await LETTER(), name: '🏠 Lease ❤️.pdf' }]
  const made = await owner.send({ files, recipients: [{ name: 'Ida' }], fields: [SIGNATURE] })
  expect(made.title).toBe('Lease ❤')
})

test('names in scripts that few fonts have are sealed and certified as they are', async () => {
  const names = ['𞤀𞤣𞤤𞤢𞤥', '𑄌𑄋𑄴𑄟𑄳𑄦', '𐓏𐓘𐓻𐓘𐓻𐓟', 'ꤊꤢ꤬ꤛꤢ꤭', 'Иван Ελένη 伊达 إيدا']
  await using engine = await openEngine()
  const recipients = names.map(name => ({ ...IDA, name, mark: { mode: 'type' as const, text: name } }))
  const request = sealRequest({ files: [await engine.put(plainPdf(1))], certificatePlace: 'separate' }, { recipients })
  const { certificate } = await engine.documents.seal(request, NEVER)
  const text = extractText(certificate!.bytes)
  expect(text).not.toContain('□')
  expect(names.slice(1, 4).filter(name => !text.includes(name))).toEqual([])
})
