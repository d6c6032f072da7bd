import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { CertificateAuthority, runPdfsig } from '../../support/pdf/certificates.ts'
import { plainPdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const SIGNED = readFileSync('tasks/samples/signed.pdf')
const ROOT = readFileSync('tasks/samples/root.pem')

let folder: Awaited<ReturnType<typeof freshFolder>>
let authority: CertificateAuthority
let pools: Pools & AsyncDisposable
beforeAll(async () => {
  folder = await freshFolder()
  authority = new CertificateAuthority(folder.path)
  pools = await sharedPools()
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

interface Signature {
  integrity: string
  trust: string
  coversWholeFile: boolean
  changesAfter: { kind: string; allowed: boolean }[]
  isWeak: boolean
  algorithm?: string
}
const verify = async (body: Record<string, unknown>) => {
  const { result, warnings } = await runJob(pools, 'pdf.verify-signatures', body)
  return { ...(result as { signed: boolean; allValid: boolean; signatures: Signature[] }), warnings }
}
const isIntact = (bytes: Uint8Array) => /Signature is Valid/.test(runPdfsig(folder.path, bytes))
const edit = (from: string, to: string) => Buffer.from(SIGNED.toString('latin1').replace(from, to), 'latin1')

/** An incremental update as an editor appends it: new versions of objects, and a table of them. */
function append(file: Buffer, objects: Record<number, string>): Buffer {
  const text = file.toString('latin1')
  const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)![1]
  const root = /\/Root (\d+ 0 R)/.exec(text)![1]
  let body = '\n'
  const rows = Object.entries(objects).map(([number, source]) => {
    const offset = file.length + body.length
    body += `${number} 0 obj\n${source}\nendobj\n`
    return `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n${rows.join('')}trailer << /Size 100 /Root ${root} /Prev ${previous} >>\n`
  return Buffer.concat([file, Buffer.from(`${body}${table}startxref\n${file.length + body.length}\n%%EOF\n`, 'latin1')])
}

/** The last source of an object. */
function sourceOf(file: Buffer, pattern: RegExp): [number: number, source: string] {
  const objects = [...file.toString('latin1').matchAll(/(\d+) 0 obj\s([\s\S]*?)\sendobj/g)]
  const found = objects.filter(([, , source]) => pattern.test(source!)).at(-1)!
  return [Number(found[1]), found[2]!]
}

test('reads who signed and follows the certificates to a given root', async () => {
  const given = await verify({ file: SIGNED, trust: [ROOT] })
  expect(given).toMatchObject({ signed: true, allValid: true, usageRights: false })
  expect(given.signatures).toMatchObject([
    {
      ...{ field: 'Signature_1', integrity: 'valid', trust: 'trusted', reason: 'Approved', digest: 'SHA-256' },
      signer: {
        commonName: 'R. Oduya',
        organization: 'Harbour office',
        email: 'oduya@example.com',
        issuer: 'Harbour root',
      },
      ...{ signedAt: '2026-05-03T09:00:00.000Z', coversWholeFile: true, changesAfter: [], isWeak: false, ltv: false },
    },
  ])
  expect((await verify({ file: SIGNED })).signatures[0]!.trust).toBe('untrusted')
  expect((await verify({ file: SIGNED, trust: [authority.root], trustStore: 'none' })).signatures[0]!.trust).toBe(
    'untrusted',
  )
  expect((await verify({ file: SIGNED, trust: [ROOT], at: '2119-06-01T00:00:00Z' })).signatures[0]!.trust).toBe(
    'expired',
  )
  await expect(verify({ file: SIGNED, at: 'tomorrow' })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
  await expect(verify({ file: SIGNED, trust: [SIGNED] })).rejects.toMatchObject({ code: 'CERTIFICATE_INVALID' })
})

test('an unsigned document has none', async () => {
  expect(await verify({ file: plainPdf(1) })).toMatchObject({ signed: false, allValid: false, signatures: [] })
})

test('reads a document that another reader has to repair first', async () => {
  const text = plainPdf(1).toString('latin1')
  const previous = /startxref\s+(\d+)/.exec(text)![1]
  const root = /\/Root (\d+) 0 R/.exec(text)![1]
  const table = `\nxref\n${root} 1\n0000000005 00000 n \ntrailer << /Size 9 /Root ${root} 0 R /Prev ${previous} >>\n`
  const file = Buffer.from(`${text}${table}startxref\n${text.length + 1}\n%%EOF\n`, 'latin1')
  expect(await verify({ file })).toMatchObject({ signed: false, warnings: ['PDF_REPAIRED'] })
})

test.each([
  { title: 'a changed byte of the text', file: edit('/MediaBox [0 0 595', '/MediaBox [0 0 594') },
  { title: 'a changed signature', file: edit('<3082', '<3083') },
  {
    title: 'a byte range that leaves out more than the signature',
    file: edit('/ByteRange [0 1567', '/ByteRange [0 1560'),
  },
])('finds $title, as pdfsig does', async ({ file }) => {
  expect(file.equals(SIGNED)).toBe(false)
  const { allValid, signatures } = await verify({ file, trust: [ROOT] })
  expect([allValid, signatures.map(({ integrity }) => integrity)]).toEqual([false, ['invalid']])
  expect(isIntact(file)).toBe(false)
})

test('tells what was appended after a signature', async () => {
  const [page, source] = sourceOf(SIGNED, /\/Type\s*\/Page\b/)
  const note = '<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (paid) >>'
  const annots = /\/Annots\s*\[[^\]]*\]/.exec(source)?.[0]
  const withNote = annots
    ? source.replace(annots, annots.replace(']', ' 90 0 R]'))
    : source.replace('<<', '<< /Annots [90 0 R]')
  const noted = await verify({ file: append(SIGNED, { [page]: withNote, 90: note }) })
  expect(noted.signatures).toMatchObject([{ integrity: 'valid', coversWholeFile: false }])
  expect(noted.signatures[0]!.changesAfter).toEqual([{ kind: 'annotation', allowed: true }])
  expect(noted.allValid).toBe(true)
  const replaced = source.replace(/\/Contents\s+\d+ 0 R/, '/Contents 91 0 R')
  const shadow = append(SIGNED, { [page]: replaced, 91: '<< /Length 0 >>\nstream\n\nendstream' })
  const forged = await verify({ file: shadow })
  expect(forged.signatures[0]).toMatchObject({ integrity: 'valid', coversWholeFile: false })
  expect(forged.signatures[0]!.changesAfter).toEqual([{ kind: 'page-content', allowed: false }])
  expect(forged.allValid).toBe(false)
})

test('names attachments and bookmarks that were added after a signature, which allows neither', async () => {
  const attach = { file: SIGNED, action: 'add', attachments: [{ file: Buffer.from('low'), name: 'tide.txt' }] }
  const attached = await runJob(pools, 'pdf.attachments', attach)
  const mark = { file: SIGNED, action: 'write', bookmarks: [{ title: 'Tide', page: 1 }] }
  const marked = await runJob(pools, 'pdf.bookmarks', mark)
  const [catalog, source] = sourceOf(SIGNED, /\/Type\s*\/Catalog\b/)
  const script = source.replace('<<', '<< /Names << /JavaScript << /Names [(a) << /S /JavaScript /JS (a) >>] >> >>')
  const scripted = { bytes: append(SIGNED, { [catalog]: script }) }
  for (const [{ bytes }, kind] of [
    [attached, 'attachment'],
    [marked, 'bookmark'],
    [scripted, 'other'],
  ] as const) {
    const { allValid, signatures } = await verify({ file: bytes })
    expect([allValid, signatures[0]!.integrity]).toEqual([false, 'valid'])
    expect(signatures[0]!.changesAfter).toEqual([{ kind, allowed: false }])
  }
})

/** A signed document of our own making, with a signature from OpenSSL. */
function signWith(name: string, options: readonly string[], subFilter = 'adbe.pkcs7.detached'): Buffer {
  const space = 8000
  const draft = plainPdf(1, {
    catalog: `/AcroForm << /SigFlags 3 /Fields [<< /FT /Sig /T (S) /V << /Type /Sig /Filter /Adobe.PPKLite /SubFilter /${subFilter} /ByteRange [0 AAAAA BBBBB CCCCC] /Contents <${'0'.repeat(space)}> >> >>] >>`,
  }).toString('latin1')
  const start = draft.indexOf('<000')
  const numbers = { AAAAA: start, BBBBB: start + space + 2, CCCCC: draft.length - start - space - 2 }
  const text = Object.entries(numbers).reduce(
    (found, [mark, value]) => found.replace(mark, String(value).padEnd(5)),
    draft,
  )
  const signed = Buffer.from(text.slice(0, start) + text.slice(start + space + 2), 'latin1')
  const hex = authority.sign(name, signed, options).toString('hex')
  return Buffer.from(`${text.slice(0, start)}<${hex.padEnd(space, '0')}>${text.slice(start + space + 2)}`, 'latin1')
}

test.each([
  {
    title: 'RSA-PSS',
    algorithm: ['rsa', '-pkeyopt', 'rsa_keygen_bits:2048'],
    options: ['-keyopt', 'rsa_padding_mode:pss'],
    names: /RSA-PSS 2048/,
  },
  {
    title: 'ECDSA on P-384',
    algorithm: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
    options: [],
    names: /ECDSA secp384r1/,
  },
  {
    title: 'SHA-1, which is weak',
    algorithm: ['rsa', '-pkeyopt', 'rsa_keygen_bits:2048'],
    options: ['-md', 'sha1'],
    names: /RSA 2048/,
    weak: true,
  },
])('checks $title', async ({ title, algorithm, options, names, weak = false }) => {
  const name = title.replaceAll(/\W/g, '')
  authority.issue(name, algorithm)
  const file = signWith(name, options)
  const { signatures } = await verify({ file, trust: [authority.root], trustStore: 'none' })
  expect(signatures).toMatchObject([{ integrity: 'valid', trust: 'trusted', isWeak: weak, coversWholeFile: true }])
  expect(signatures[0]!.algorithm).toMatch(names)
  const changed = Buffer.from(file.toString('latin1').replace('[0 0 100 200]', '[0 0 101 200]'), 'latin1')
  expect((await verify({ file: changed })).signatures).toMatchObject([{ integrity: 'invalid' }])
})

test('reads broken signatures without failing', async () => {
  const broken = (contents: string, range = '[0 1 2 3]') =>
    plainPdf(1, {
      catalog: `/AcroForm << /SigFlags 3 /Fields [<< /FT /Sig /T (S) /V << /Type /Sig /SubFilter /adbe.pkcs7.detached /ByteRange ${range} /Contents <${contents}> >> >>] >>`,
    })
  for (const file of [
    broken('00'),
    broken('30'),
    broken('308480ffffff00'),
    broken('00', '[0 -5 9999999 4]'),
    broken('00', '7'),
  ])
    expect(await verify({ file })).toMatchObject({ allValid: false, signatures: [{ integrity: 'invalid' }] })
  await expect(verify({ file: SIGNED.subarray(0, 100) })).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})
