import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'
import { type EnvelopeApi, LETTER, openEnvelopeApi, openSender, openSigner, SIGNATURE, tokenOf } from './parts.ts'

let home: EnvelopeApi
beforeAll(async () => {
  home = await openEnvelopeApi()
})
afterAll(() => home[Symbol.asyncDispose]())

const PNG = await readFile('tasks/samples/wifi-code.png')
const toUri = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`
const RECIPIENTS = [{ name: 'Ida' }]

async function listImages(bytes: Buffer): Promise<string[]> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'certificate.pdf')
  await writeFile(path, bytes)
  const listed = execFileSync('pdfimages', ['-list', path]).toString().trim().split('\n').slice(2)
  return listed.filter(line => line.split(/\s+/)[3] === 'image')
}

test('the logo of a sender is on the page of signers and on the certificate, and its bytes are in no list', async () => {
  const owner = await openSender(home)
  const envelope = await owner.send({
    ...{ file: await LETTER(), title: 'Lease', certificate: 'separate', recipients: RECIPIENTS },
    branding: { name: 'Harbour', color: '#006080', logo: toUri(PNG) },
    fields: [{ ...SIGNATURE, recipient: 0 }],
  })
  expect(envelope).toMatchObject({ status: 'sent', options: { branding: { name: 'Harbour', hasLogo: true } } })
  const listed = await owner.call('GET', '/v1/esigndoc/envelopes')
  expect([listed.status, JSON.stringify(listed.body).includes('data:image')]).toEqual([200, false])

  const token = tokenOf(envelope, 'Ida')
  const page = await home.api.app.inject(`/sign/${token}`)
  expect(page.body).toContain(`<img class="logo" src="/sign/${token}/logo" alt="Harbour">`)
  const logo = await home.api.app.inject(`/sign/${token}/logo`)
  expect([logo.headers['content-type'], logo.rawPayload.equals(PNG)]).toEqual(['image/png', true])

  const ida = openSigner(home, token)
  await ida.open()
  expect((await ida.complete()).status).toBe(200)
  await home.work()
  const certificate = `/v1/esigndoc/envelopes/${envelope.id}/download?version=certificate`
  const { rawPayload } = await home.api.app.inject({ url: certificate, headers: owner.headers })
  expect(await listImages(rawPayload)).toHaveLength(1)
})

test('a template gives its logo to its envelopes', async () => {
  const owner = await openSender(home)
  const template = await owner.call('POST', '/v1/esigndoc/templates', {
    ...{ file: await LETTER(), name: 'Lease', roles: [{ key: 'tenant', name: 'Tenant' }] },
    fields: [{ ...SIGNATURE, key: 'sign', role: 'tenant' }],
    defaults: { branding: { logo: toUri(PNG) } },
  })
  expect(template.status, JSON.stringify(template.body)).toBe(201)
  const recipients = [{ role: 'tenant', name: 'Ida' }]
  const made = await owner.call('POST', '/v1/esigndoc/envelopes/from-template', {
    ...{ templateId: template.body.id, recipients, sendImmediately: true },
  })
  expect(made.body).toMatchObject({ status: 'sent', options: { branding: { hasLogo: true } } })
  const token = tokenOf(made.body, 'Ida')
  expect((await home.api.app.inject(`/sign/${token}/logo`)).rawPayload.equals(PNG)).toBe(true)
})

test('what is no image of its type, is cut off or too large is no logo, and costs nothing', async () => {
  const owner = await openSender(home)
  const file = await LETTER()
  const send = (logo: string) =>
    owner.call('POST', '/v1/esigndoc/envelopes', {
      ...{ file, recipients: RECIPIENTS, fields: [{ ...SIGNATURE, recipient: 0 }], branding: { logo } },
    })
  const tooLarge = toUri(Buffer.concat([PNG, Buffer.alloc(32_768)]))
  for (const logo of [toUri(PNG, 'image/jpeg'), toUri(Buffer.from('<svg/>')), toUri(PNG.subarray(0, 60)), tooLarge]) {
    const refused = await send(logo)
    expect([refused.status, refused.body.field], logo.slice(0, 60)).toEqual([400, 'branding.logo'])
  }
  expect(await owner.money()).toEqual([2_000_000n, 0n])
  const plain = await owner.send({ file, recipients: RECIPIENTS, fields: [{ ...SIGNATURE, recipient: 0 }] })
  expect((await home.api.app.inject(`/sign/${tokenOf(plain, 'Ida')}/logo`)).statusCode).toBe(404)
})
