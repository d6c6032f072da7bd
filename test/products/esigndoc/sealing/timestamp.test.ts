import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../../../support/machine/folder.ts'
import { CertificateAuthority, runPdfsig } from '../../../support/pdf/certificates.ts'
import { NEVER, openEngine, sealRequest } from '../../../support/signing/engine.ts'

const LETTER = await readFile('tasks/samples/letter.pdf')
const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

let folder: Awaited<ReturnType<typeof freshFolder>>
let authority: CertificateAuthority
let url: string
let reply: (query: Buffer) => Buffer | undefined
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request
    .on('data', chunk => chunks.push(chunk as Buffer))
    .on('end', () => {
      const answer = reply(Buffer.concat(chunks))
      response.writeHead(answer ? 200 : 503).end(answer)
    })
})
beforeAll(async () => {
  folder = await freshFolder()
  authority = new CertificateAuthority(folder.path)
  authority.issue('office', EC)
  authority.issue('tsa', EC, { extensions: 'stamping' })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(async () => {
  server.close()
  await folder[Symbol.asyncDispose]()
})

test('a timestamp raises the level, and without a right one the document is sealed all the same', async () => {
  await using engine = await openEngine({ timestampUrl: url })
  const request = sealRequest({ files: [await engine.put(LETTER)], level: 'B-T' })
  const seal = () => engine.documents.seal(request, NEVER)
  const verify = async (bytes: Uint8Array) => engine.documents.verify(await engine.put(bytes), NEVER)

  reply = query => authority.stamp(query)
  const stamped = await seal()
  expect(stamped.level).toBe('B-T')
  expect(stamped.timestampFailure).toBeUndefined()
  const { bytes } = stamped.documents[0]!
  expect(runPdfsig(engine.folder, bytes)).toContain('Signature is Valid')
  expect(await verify(bytes)).toMatchObject({
    isValid: true,
    signatures: [{ level: 'B-T', timestamp: expect.any(String) }],
  })

  const ofSomethingElse = authority.stamp(await readQuery())
  for (const [answer, failure] of [
    [() => undefined, 'status 503'],
    [() => Buffer.from('no'), 'gave no timestamp'],
    [() => ofSomethingElse, 'confirmed something else'],
  ] as const) {
    reply = answer
    const plain = await seal()
    expect(plain).toMatchObject({ level: 'B-B', timestampFailure: expect.stringContaining(failure) })
    const found = await verify(plain.documents[0]!.bytes)
    expect(found).toMatchObject({ isValid: true, signatures: [{ level: 'B-B', timestamp: null }] })
  }
})

/** A query about a digest of zeros. */
function readQuery(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  reply = query => {
    resolve(query)
    return undefined
  }
  void import('../../../../ops/providers/timestamp/rfc3161.ts').then(({ openTimestampAuthority }) =>
    openTimestampAuthority(url)!
      .stamp(new Uint8Array(32), NEVER)
      .catch(() => undefined),
  )
  return promise
}

test('seals with the key of the operator', async () => {
  const path = `${folder.path}/office.p12`
  authority.exportPkcs12('office', 'geheim')
  await using engine = await openEngine({ sealKey: { path, password: 'geheim' } })
  const request = sealRequest({ files: [await engine.put(LETTER)], level: 'B-T' })
  const sealed = await engine.documents.seal(request, NEVER)
  expect(sealed).toMatchObject({ level: 'B-B', signer: { commonName: 'office', issuer: 'Test root' } })
  expect(sealed.timestampFailure).toContain('No timestamp authority')
  const { bytes } = sealed.documents[0]!
  expect(runPdfsig(engine.folder, bytes)).toContain('Signature is Valid')
  expect((await engine.documents.verify(await engine.put(bytes), NEVER)).signatures[0]).toMatchObject({
    trust: 'service',
  })
})
