import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { convertWithOffice } from '../../support/machine/office.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LOG_BOOK = readFileSync(new URL('../../../tasks/samples/log-book.docx', import.meta.url))
const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

const replace = (file: Uint8Array, body: Record<string, unknown>) =>
  runJob(pools, 'office.replace-text', { file, ...body })
const replaceOne = (file: Uint8Array, find: string, by: string, options: object = {}) =>
  replace(file, { rules: [{ find, replace: by, matchCase: true, wholeWord: false, ...options }] })

/** A document with these parts instead of its own; `zip` writes it. */
async function withParts(file: Uint8Array, parts: Record<string, string | Buffer>): Promise<Buffer> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'in.zip')
  writeFileSync(path, file)
  for (const [name, content] of Object.entries(parts)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true })
    writeFileSync(join(folder.path, name), content)
    execFileSync('zip', ['-q', path, name], { cwd: folder.path })
  }
  return readFileSync(path)
}

const withBody = (body: string) =>
  withParts(LOG_BOOK, { 'word/document.xml': `<w:document ${WORD}><w:body>${body}</w:body></w:document>` })

/** The text of a document as pandoc reads it, after unzip has checked it. */
async function readText(bytes: Uint8Array, from = 'docx', to = 'plain'): Promise<string> {
  return onFile(bytes, path => {
    execFileSync('unzip', ['-tqq', path])
    return execFileSync('pandoc', ['-f', from, '-t', to, '--wrap=none', '--track-changes=all', path], {
      encoding: 'utf8',
    })
  })
}

async function onFile<Value>(bytes: Uint8Array, use: (path: string, folder: string) => Value): Promise<Value> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'file.zip')
  writeFileSync(path, bytes)
  return use(path, folder.path)
}

const readPart = (bytes: Uint8Array, name: string) =>
  onFile(bytes, path => execFileSync('unzip', ['-p', path, name], { maxBuffer: 2 ** 26 }))
const listParts = (bytes: Uint8Array) =>
  onFile(bytes, path => execFileSync('unzip', ['-Z1', path], { encoding: 'utf8' }).trim().split('\n'))

const READERS: Record<string, string[]> = { html: ['--infilter=HTML (StarWriter)'], csv: [] }

/** A document of LibreOffice, from a text format that it reads. */
async function convert(content: string, from: string, to: string): Promise<Buffer> {
  await using folder = await freshFolder()
  writeFileSync(join(folder.path, `in.${from}`), content)
  await convertWithOffice(folder.path, to, [`in.${from}`], READERS[from])
  return readFileSync(join(folder.path, `in.${to.split(':')[0]}`))
}

test('replaces words in the body, tables and footnotes, and leaves all else as it was', async () => {
  const { bytes, result, warnings, chargedMicros } = await replaceOne(LOG_BOOK, 'mast', 'bow')
  expect(result).toMatchObject({ replaced: 1, rules: [{ find: 'mast', count: 1 }], values: {}, unfilled: [] })
  expect([warnings, chargedMicros]).toEqual([[], 3000n])
  expect(await readText(bytes)).toBe((await readText(LOG_BOOK)).replace('By the mast.', 'By the bow.'))
  const names = await listParts(LOG_BOOK)
  expect(await listParts(bytes)).toEqual(names)
  for (const name of names.filter(each => each !== 'word/footnotes.xml' && !each.includes('[')))
    expect((await readPart(bytes, name)).equals(await readPart(LOG_BOOK, name))).toBe(true)
  const table = await replaceOne(LOG_BOOK, 'NW 6', 'SE 7')
  expect(await readText(table.bytes)).toContain('SE 7')
})

test('finds words that are split into runs, and keeps the format of the first', async () => {
  const run = (text: string, format = '') => `<w:r><w:rPr>${format}</w:rPr><w:t>${text}</w:t></w:r>`
  const file = await withBody(
    `<w:p>${run('The A')}${run('cme Cor', '<w:b/>')}${run('p', '<w:i/>')}${run('oration')}</w:p>`,
  )
  const { bytes, result } = await replaceOne(file, 'Acme Corp', 'Ada & <Co>')
  expect(result.replaced).toBe(1)
  expect(await readText(bytes, 'docx', 'markdown')).toBe('The Ada & \\<Co\\>oration\n')
  const bold = await replaceOne(file, 'me Corporation', 'x ')
  expect(await readText(bold.bytes, 'docx', 'markdown')).toBe('The A**cx**\n')
})

test.each([
  ['case', { matchCase: false }, 5],
  ['whole words', { wholeWord: true }, 1],
  ['both', { matchCase: false, wholeWord: true }, 3],
])('heeds %s', async (_, options, count) => {
  const file = await withBody('<w:p><w:r><w:t>cat CAT scatter Cat-ray tomcat</w:t></w:r></w:p>')
  expect((await replaceOne(file, 'cat', 'x', options)).result.replaced).toBe(count)
})

test('does not search what it has written, and takes the first rule at one place', async () => {
  const file = await withBody('<w:p><w:r><w:t>one two three</w:t></w:r></w:p>')
  const rule = (find: string, by: string) => ({ find, replace: by, matchCase: true, wholeWord: false })
  const rules = [rule('one', 'two'), rule('two', 'one'), rule('three', 'four'), rule('three', 'never'), rule('$1', 'x')]
  const { bytes, result, warnings } = await replace(file, { rules })
  expect(await readText(bytes)).toBe('two one four\n')
  expect((result.rules as { count: number }[]).map(({ count }) => count)).toEqual([1, 1, 1, 0, 0])
  expect(warnings).toEqual(['TEXT_NOT_FOUND'])
})

test('fills placeholders, also split ones, and names those without a value', async () => {
  const file = await withBody(
    '<w:p><w:r><w:t>Dear {{ na</w:t></w:r><w:r><w:t>me }},</w:t></w:r></w:p>' +
      '<w:p><w:r><w:t>{{sum}} EUR, {{address}}, {{city}}</w:t></w:r></w:p>',
  )
  const values = { name: 'Ada', sum: 12.5, address: '1 Lane\nHill', unused: 'x' }
  const { bytes, result, warnings } = await replace(file, { values })
  expect(await readText(bytes)).toBe('Dear Ada,\n\n12.5 EUR, 1 Lane\nHill, {{city}}\n')
  expect(result).toMatchObject({
    ...{ replaced: 3, values: { name: 1, sum: 1, address: 1, unused: 0 }, unfilled: ['city'], rules: [] },
  })
  expect(warnings).toEqual(['VALUE_UNUSED', 'PLACEHOLDER_UNFILLED'])
})

test('writes spaces that count, and reads entities and spaces that do not break', async () => {
  const file = await withBody(
    '<w:p><w:r><w:t>a</w:t></w:r><w:r><w:t>X</w:t></w:r><w:r><w:t>b R&amp;D q&#xA0;z</w:t></w:r></w:p>',
  )
  expect(await readText((await replaceOne(file, 'X', ' - ')).bytes)).toMatch(/^a - b/)
  expect((await replaceOne(file, 'R&D', 'x')).result.replaced).toBe(1)
  expect((await replaceOne(file, 'q z', 'x')).result.replaced).toBe(1)
})

test('searches headers and text boxes, counts copies once, and comments only if asked', async () => {
  const box = (tag: string) =>
    `<mc:${tag}><w:txbxContent><w:p><w:r><w:t>secret</w:t></w:r></w:p></w:txbxContent></mc:${tag}>`
  const body = `<w:p><w:r><w:t>out</w:t><mc:AlternateContent xmlns:mc="x">${box('Choice')}${box('Fallback')}</mc:AlternateContent></w:r>
    <w:del><w:r><w:delText>secret</w:delText></w:r></w:del><w:r><w:tab/><w:t>side</w:t></w:r></w:p>`
  const part = (tag: string) => `<w:${tag} ${WORD}><w:p><w:r><w:t>secret</w:t></w:r></w:p></w:${tag}>`
  const file = await withParts(await withBody(body), {
    'word/header1.xml': part('hdr'),
    'word/comments.xml': `<w:comments ${WORD}><w:comment w:id="1"><w:p><w:r><w:t>secret</w:t></w:r></w:p></w:comment></w:comments>`,
  })
  const plain = await replaceOne(file, 'secret', 'gone')
  expect(plain.result.replaced).toBe(2)
  expect(String(await readPart(plain.bytes, 'word/document.xml')).match(/gone/g)).toHaveLength(2)
  expect(String(await readPart(plain.bytes, 'word/header1.xml'))).toContain('gone')
  expect(String(await readPart(plain.bytes, 'word/comments.xml'))).toContain('secret')
  const all = await replace(file, {
    ...{ comments: true, rules: [{ find: 'secret', replace: 'gone', matchCase: true, wholeWord: false }] },
  })
  expect(all.result.replaced).toBe(3)
  expect((await replaceOne(file, 'outside', 'x')).warnings).toEqual(['TEXT_NOT_FOUND'])
})

describe('in documents of LibreOffice', { timeout: 180_000 }, () => {
  const HTML = '<html><body><p>The <b>Ac</b>me <i>lamp</i></p><p>A {{name}}</p></body></html>'
  const rules = [{ find: 'Acme', replace: 'Ada  Co', matchCase: true, wholeWord: false }]

  test.each([
    ['odt', 'odt:writer8'],
    ['docx', 'docx:MS Word 2007 XML'],
  ])('%s', async (extension, filter) => {
    const file = await convert(HTML, 'html', filter)
    const { bytes, result } = await replace(file, { rules, values: { name: 'one\ntwo' } })
    expect(result).toMatchObject({ replaced: 2, output: { contentType: expect.stringContaining('application/vnd.') } })
    expect((await readText(bytes, extension)).replace(/\u00a0/g, ' ')).toMatch(/^The Ada {1,2}Co lamp\n\nA one\ntwo\n/)
    expect((await listParts(bytes))[0]).toBe((await listParts(file))[0])
  })

  test.each([
    ['xlsx', 'xlsx:Calc MS Excel 2007 XML'],
    ['ods', 'ods:calc8'],
  ])('%s', async (extension, filter) => {
    const file = await convert('name,price\nAcme lamp,12\nAcme,=B2\n', 'csv', filter)
    const { bytes, result } = await replace(file, {
      rules: [...rules, { find: '12', replace: '99', matchCase: true, wholeWord: false }],
    })
    expect((result.rules as object[])[1]).toMatchObject({ count: 0 })
    await using folder = await freshFolder()
    writeFileSync(join(folder.path, `in.${extension}`), bytes)
    await convertWithOffice(folder.path, 'csv', [`in.${extension}`])
    expect(readFileSync(join(folder.path, 'in.csv'), 'utf8')).toMatch(/^name,price\nAda {2}Co lamp,12\nAda {2}Co,/)
  })
})

describe('in slides', { timeout: 180_000 }, () => {
  test.each(['pptx', 'odp'])('%s', async extension => {
    await using folder = await freshFolder()
    writeFileSync(join(folder.path, 'in.md'), '# The **Ac**me lamp\n\nA {{name}} for 5 & more\n')
    execFileSync('pandoc', ['-o', 'in.pptx', 'in.md'], { cwd: folder.path })
    if (extension === 'odp') await convertWithOffice(folder.path, 'odp', ['in.pptx'])
    const { bytes, result } = await replace(readFileSync(join(folder.path, `in.${extension}`)), {
      ...{ rules: [{ find: 'Acme', replace: 'Ada & Co', matchCase: true, wholeWord: false }] },
      values: { name: 'one' },
    })
    expect(result).toMatchObject({ replaced: 2, unfilled: [] })
    writeFileSync(join(folder.path, `out.${extension}`), bytes)
    await convertWithOffice(folder.path, 'pdf', [`out.${extension}`])
    const text = execFileSync('pdftotext', ['-layout', 'out.pdf', '-'], { cwd: folder.path, encoding: 'utf8' })
    expect(text).toContain('The Ada & Co lamp')
    expect(text).toContain('A one for 5 & more')
  })
})

test('refuses what is encrypted, broken, of another format, or without rules', async () => {
  const refusal = (file: Uint8Array) => replaceOne(file, 'a', 'b').then(String, ({ code }: { code: string }) => code)
  const compound = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2048)])
  const encrypted = Buffer.concat([compound, Buffer.from('EncryptedPackage', 'utf16le'), Buffer.alloc(512)])
  expect(await refusal(encrypted)).toBe('DOC_ENCRYPTED')
  expect(await refusal(Buffer.from('plain text'))).toBe('UNSUPPORTED_FORMAT')
  expect(await refusal(LOG_BOOK.subarray(0, LOG_BOOK.length - 200))).toBe('OFFICE_PARSE_FAILED')
  for (const xml of ['<a><b></a></b>', '<a>', '<a', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '<a b="<"/>'])
    expect([xml, await refusal(await withParts(LOG_BOOK, { 'word/document.xml': xml }))]).toEqual([
      xml,
      'OFFICE_PARSE_FAILED',
    ])
  const wide = Buffer.from('\ufeff<a/>', 'utf16le')
  expect(await refusal(await withParts(LOG_BOOK, { 'word/document.xml': wide }))).toBe('OFFICE_PARSE_FAILED')
  await expect(replace(LOG_BOOK, {})).rejects.toMatchObject({
    code: 'MISSING_FIELD',
    hints: { oneOf: ['rules', 'values'] },
  })
})

test('refuses a bomb before it is unpacked, and text that is too large', async () => {
  const bomb = await withParts(LOG_BOOK, { 'word/document.xml': Buffer.alloc(60 * 2 ** 20, ' ') })
  await expect(replaceOne(bomb, 'a', 'b')).rejects.toMatchObject({ code: 'ARCHIVE_UNSAFE' })
  const long = randomBytes(50 * 2 ** 20).toString('base64')
  const large = await withBody(`<w:p><w:r><w:t>${long}</w:t></w:r></w:p>`)
  await expect(replaceOne(large, 'a', 'b')).rejects.toMatchObject({ code: 'INPUT_TOO_LARGE' })
}, 60_000)

test('reads a long document in time', async () => {
  const paragraph = '<w:p><w:r><w:t>The quick brown fox </w:t></w:r><w:r><w:t>jumps</w:t></w:r></w:p>'
  const { result } = await replaceOne(await withBody(paragraph.repeat(50_000)), 'fox jumps', 'x')
  expect(result.replaced).toBe(50_000)
}, 60_000)
