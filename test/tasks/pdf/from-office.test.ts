import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOfficeProfile } from '../../../ops/bench/figures/files/warm-engines.ts'
import type { Pools } from '../../../pools/index.ts'
import { convertWithOffice } from '../../support/machine/office.ts'
import { PYTHON } from '../../support/machine/programs.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
const folder = mkdtempSync(join(tmpdir(), 'office-'))
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await pools[Symbol.asyncDispose]()
})

const LOG_BOOK = readFileSync('tasks/samples/log-book.docx')

function print(body: Record<string, unknown>) {
  return runJob(pools, 'pdf.from-office', body, { limitSeconds: 60 })
}

/** Poppler reads what LibreOffice has printed. */
function readPdf(bytes: Buffer): { text: string; info: string } {
  const path = join(folder, 'printed.pdf')
  writeFileSync(path, bytes)
  const text = execFileSync('pdftotext', ['-layout', path, '-'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  return { text, info: execFileSync('pdfinfo', [path], { stdio: ['ignore', 'pipe', 'ignore'] }).toString() }
}

/** The texts of the notes on all pages. */
function listNotes(bytes: Buffer): string[] {
  const path = join(folder, 'noted.pdf')
  writeFileSync(path, bytes)
  const { qpdf } = JSON.parse(execFileSync('qpdf', ['--json=2', path]).toString())
  const objects = Object.values(qpdf[1]) as { value?: Record<string, string> }[]
  const notes = objects.map(({ value }) => value).filter(value => value?.['/Subtype'] === '/Text')
  return notes.map(note => note!['/Contents']!.replace(/^u:/, ''))
}

/** LibreOffice draws formulas with its Math, which is a package of its own. */
const HAS_MATH = existsSync('/usr/lib/libreoffice/share/registry/math.xcd')

test.each(['docx', 'pptx', 'odt'])('warns of formulas of %s that are not drawn', async format => {
  const path = join(folder, `formula.${format}`)
  for (const [text, isLost] of [
    ['Energy $E=mc^2$ here', !HAS_MATH],
    ['Energy is here', false],
  ] as const) {
    execFileSync('pandoc', ['-o', path], { input: text })
    const { warnings } = await print({ file: readFileSync(path) })
    expect(warnings.includes('FORMULAS_LOST')).toBe(isLost)
  }
})

/** A flat OpenDocument file, which needs no zip. */
function flat(kind: 'text' | 'spreadsheet' | 'presentation', body: string, extra = ''): Buffer {
  const names = ['office', 'text', 'table', 'style', 'fo', 'draw', 'svg', 'presentation', 'script', 'form']
  const spaces = names.map(name => {
    const isForeign = name === 'fo' || name === 'svg'
    return `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${isForeign ? `${name === 'fo' ? 'xsl-fo' : 'svg'}-compatible` : name === 'draw' ? 'drawing' : name}:1.0"`
  })
  return Buffer.from(
    `<?xml version="1.0"?><office:document ${spaces.join(' ')} xmlns:xlink="http://www.w3.org/1999/xlink" ` +
      `office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}">${extra}` +
      `<office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`,
  )
}

/** LibreOffice itself writes the binary formats that nothing else here can write. */
async function saveAs(extension: string, source: Buffer, sourceExtension: string): Promise<Buffer> {
  writeFileSync(join(folder, `source.${sourceExtension}`), source)
  await convertWithOffice(folder, extension, [`source.${sourceExtension}`])
  return readFileSync(join(folder, `source.${extension}`))
}

test('prints a document with its text, table, image and the fonts that were used', async () => {
  const { result, bytes, chargedMicros, warnings } = await print({ file: LOG_BOOK })
  const { text, info } = readPdf(bytes)
  expect(text).toMatch(/Monday[\s\S]*north-west[\s\S]*Lamp/)
  expect(info).toMatch(/Tagged:\s+yes/)
  expect(result).toMatchObject({ pages: 1 })
  expect(result.fonts).toMatchObject({
    embedded: expect.arrayContaining([expect.stringMatching(/Carlito|Caladea/)]),
    substituted: expect.arrayContaining([{ requested: 'Cambria', used: 'Caladea' }]),
  })
  expect(warnings).toContain('FONT_SUBSTITUTED')
  expect(chargedMicros).toBe(10_000n)
  expect(execFileSync('pdfimages', ['-list', join(folder, 'printed.pdf')]).toString()).toMatch(/image/)
})

test('a spreadsheet: visible sheets only, all columns on a page, or the sheets that are named', async () => {
  const cells = Array.from(
    { length: 30 },
    (_, index) => `<table:table-cell><text:p>column${index}</text:p></table:table-cell>`,
  )
  const sheet = (name: string, word: string, attributes = '') =>
    `<table:table table:name="${name}" ${attributes}><table:table-row><table:table-cell><text:p>${word}</text:p>` +
    `</table:table-cell></table:table-row><table:table-row>${cells.join('')}</table:table-row></table:table>`
  const hidden =
    '<office:automatic-styles><style:style style:name="h" style:family="table">' +
    '<style:table-properties table:display="false"/></style:style></office:automatic-styles>'
  const body =
    sheet('Open', 'seen') + sheet('Secret', 'unseen', 'table:style-name="h" table:print-ranges="Secret.A1:Secret.B2"')
  const file = await saveAs('ods', flat('spreadsheet', body, hidden), 'fods')
  const printed = await print({ file })
  expect(printed.result.pages).toBe(1)
  expect(readPdf(printed.bytes).text).toMatch(/seen[\s\S]*column0[\s\S]*column29/)
  expect(readPdf(printed.bytes).text).not.toContain('unseen')
  expect((await print({ file, fit: 'none' })).result.pages).toBeGreaterThan(1)
  expect(readPdf((await print({ file, sheets: ['Secret'] })).bytes).text).toContain('unseen')
  expect((await print({ file, sheets: 'all' })).result.pages).toBe(2)
  await expect(print({ file, sheets: ['None'] })).rejects.toMatchObject({
    code: 'SHEET_NOT_FOUND',
    hints: { sheet: 'None', available: ['Open', 'Secret'] },
  })
})

test('text and tables of any charset, without a header of their own', async () => {
  const table = await print({ file: Buffer.from('Ort;Wert\nKöln;1\nSüd;2\n', 'latin1'), paper: 'a5', landscape: true })
  const { text, info } = readPdf(table.bytes)
  expect(text).toMatch(/Ort\s+Wert\s+Köln\s+1\s+Süd\s+2/)
  expect(text).not.toMatch(/Sheet|Page|in-/)
  expect(info).toMatch(/Page size:\s+595[.\d]* x 419[.\d]* pts/)
  const plain = await print({ file: Buffer.from('\ufeffΚαλημέρα\nשלום', 'utf16le') })
  expect(readPdf(plain.bytes).text).toContain('Καλημέρα')
})

test('selects pages and charges for those, and writes PDF/A on request', async () => {
  const page = (word: string) => `<text:p text:style-name="p">${word}</text:p>`
  const style =
    '<office:automatic-styles><style:style style:name="p" style:family="paragraph">' +
    '<style:paragraph-properties fo:break-before="page"/></style:style></office:automatic-styles>'
  const words = Array.from({ length: 24 }, (_, index) => `leaf${index + 1}x`)
  const file = await saveAs('doc', flat('text', words.map(page).join(''), style), 'fodt')
  expect(await print({ file })).toMatchObject({ result: { pages: 24 }, chargedMicros: 12_000n })
  const { result, bytes } = await print({ file, pages: 'last,2', pdfa: '2b' })
  expect(result).toMatchObject({ pages: 2, conformance: 'claimed' })
  expect(readPdf(bytes).text).toMatch(/leaf24x[\s\S]*leaf2x/)
  expect(bytes.toString('latin1')).toMatch(/pdfaid:part[^\d]*2/)
  await expect(print({ file, pages: '30' })).rejects.toMatchObject({ code: 'BAD_RANGE' })
  await expect(print({ file, maxPages: 3 })).rejects.toMatchObject({ code: 'TOO_MANY_PAGES' })
})

test('prints a document with comments and tracked changes as its final text', async () => {
  const who = '<dc:creator>Eve</dc:creator><dc:date>2026-01-02T10:00:00</dc:date>'
  const change = (kind: string, id: string, inner = '') =>
    `<text:changed-region text:id="${id}"><text:${kind}><office:change-info>${who}</office:change-info>${inner}` +
    `</text:${kind}></text:changed-region>`
  const changes = change('insertion', 'in') + change('deletion', 'out', '<text:p>100</text:p>')
  const price =
    '<text:p>Price <text:change text:change-id="out"/><text:change-start text:change-id="in"/>200' +
    `<text:change-end text:change-id="in"/> EUR<office:annotation>${who}<text:p>Check</text:p></office:annotation></text:p>`
  const source = flat('text', `<text:tracked-changes>${changes}</text:tracked-changes>${price}`).toString()
  const named = source.replace('<office:document ', '$&xmlns:dc="http://purl.org/dc/elements/1.1/" ')
  const file = await saveAs('docx', Buffer.from(named), 'fodt')
  expect(readPdf((await print({ file })).bytes).text.trim()).toBe('Price 200 EUR')
  const markup = await print({ file, trackedChanges: 'markup', comments: 'margin' })
  expect(listNotes(markup.bytes)).toEqual(['Check'])
  expect(readPdf(markup.bytes).text.trim()).toBe('Price 100200 EUR')
})

test('asks for the password of an encrypted document', async () => {
  const { file } = await encrypt()
  await expect(print({ file })).rejects.toMatchObject({ code: 'OFFICE_PASSWORD_REQUIRED' })
  await expect(print({ file, password: 'wrong' })).rejects.toMatchObject({ code: 'OFFICE_PASSWORD_INCORRECT' })
  expect(readPdf((await print({ file, password: 'tide' })).bytes).text).toContain('Monday')
})

/** Through a macro-free script of LibreOffice's own: its command line cannot set a password. */
async function encrypt() {
  const profile = await createOfficeProfile(join(folder, 'encrypting'))
  const script = `
import subprocess, time, uno, os
from com.sun.star.beans import PropertyValue as P
p = subprocess.Popen(['soffice', '${profile}', '--headless', '--accept=pipe,name=enc${process.pid};urp;'], stdout=-3, stderr=-3)
c = uno.getComponentContext()
r = c.ServiceManager.createInstanceWithContext('com.sun.star.bridge.UnoUrlResolver', c)
while True:
    try:
        x = r.resolve('uno:pipe,name=enc${process.pid};urp;StarOffice.ComponentContext'); break
    except Exception: time.sleep(0.1)
d = x.ServiceManager.createInstanceWithContext('com.sun.star.frame.Desktop', x)
o = d.loadComponentFromURL('file://${process.cwd()}/tasks/samples/log-book.docx', '_blank', 0, (P(Name='Hidden', Value=True),))
o.storeToURL('file://${folder}/locked.odt', (P(Name='FilterName', Value='writer8'), P(Name='Password', Value='tide')))
o.close(True)
try: d.terminate()
except Exception: pass
p.wait()
`
  execFileSync(PYTHON, ['-c', script], { timeout: 60_000 })
  return { file: readFileSync(join(folder, 'locked.odt')) }
}

// It ignores all that follows a setting of another type.
test('LibreOffice takes every setting of its profile that it knows', async () => {
  const script = `
import os, sys, time, uno
from com.sun.star.beans import PropertyValue
sys.path.insert(0, 'pools/tools/libreoffice')
listener = {'__file__': 'pools/tools/libreoffice/listener.py'}
exec(open(listener['__file__']).read().rsplit('main()', 1)[0], listener)
office, converter = listener['connect']('${folder}/profile3')
resolver = uno.getComponentContext().ServiceManager.createInstance('com.sun.star.bridge.UnoUrlResolver')
context = resolver.resolve(f'uno:pipe,name={listener["PIPE"]};urp;StarOffice.ComponentContext')
settings = context.ServiceManager.createInstance('com.sun.star.configuration.ConfigurationProvider')
for path, name, kind, value in listener['SETTINGS']:
    node = PropertyValue(Name='nodepath', Value='/' + path)
    found = settings.createInstanceWithArguments('com.sun.star.configuration.ConfigurationAccess', (node,))
    if found.hasByName(name): print(name, value, str(found.getByName(name)).lower())
office.kill()
`
  const printed = execFileSync(PYTHON, ['-B', '-c', script], { timeout: 60_000 }).toString()
  const settings = printed
    .trim()
    .split('\n')
    .map(line => line.split(' '))
  expect(settings.length).toBeGreaterThan(10)
  expect(settings.filter(([, wanted, found]) => wanted !== found)).toEqual([])
})

test('a document cannot run macros, read files or reach the network', async () => {
  const canary = join(folder, 'canary.txt')
  const written = join(folder, 'written')
  writeFileSync(canary, 'CANARY-7713')
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.end('CANARY-7713')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/canary.txt`
  const macro =
    '<office:scripts><office:script script:language="ooo:Basic" xmlns:ooo="http://openoffice.org/2004/office">' +
    '<ooo:libraries><ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="M"><ooo:source-code>' +
    `Sub Go\n Shell("touch ${written}")\nEnd Sub</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries>` +
    '</office:script><office:event-listeners><script:event-listener script:language="ooo:script" ' +
    'script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.M.Go?language=Basic&amp;location=document"/>' +
    '</office:event-listeners></office:scripts>'
  const section = (href: string) =>
    `<text:section text:name="s"><text:section-source xlink:href="${href}"/><text:p>x</text:p></text:section>`
  const image = (href: string) =>
    `<text:p><draw:frame svg:width="5cm" svg:height="5cm"><draw:image xlink:href="${href}"/></draw:frame></text:p>`
  for (const target of [`file://${canary}`, url]) {
    const file = await saveAs(
      'odt',
      flat('text', `<text:p>hello</text:p>${section(target)}${image(target)}`, macro),
      'fodt',
    )
    requests = 0
    rmSync(written, { force: true })
    const { text } = readPdf((await print({ file })).bytes)
    expect(text).toContain('hello')
    expect(text).not.toContain('CANARY-7713')
  }
  const sheet = flat(
    'spreadsheet',
    '<table:table table:name="A"><table:table-row><table:table-cell table:formula="of:=WEBSERVICE(&quot;' +
      `${url}&quot;)" /><table:table-cell table:formula="of:='file://${canary}'#$A.A1"/>` +
      '<table:table-cell><text:p>hello</text:p></table:table-cell></table:table-row></table:table>',
  )
  const { text } = readPdf((await print({ file: await saveAs('ods', sheet, 'fods') })).bytes)
  expect(text).toContain('hello')
  expect(text).not.toContain('CANARY-7713')
  expect(requests).toBe(0)
  expect(() => readFileSync(written)).toThrow()
  server.close()
})

test('refuses what it cannot read, and reads the next document', async () => {
  const cases: [Buffer, string][] = [
    [readFileSync('tasks/samples/sign.png'), 'UNSUPPORTED_FORMAT'],
    [readFileSync('tasks/samples/letter.pdf'), 'UNSUPPORTED_FORMAT'],
    [readFileSync('tasks/samples/notes.zip'), 'UNSUPPORTED_FORMAT'],
    [Buffer.from('From: a@b.example\nMessage-ID: <1@b.example>\n\nLow at six.\n'), 'UNSUPPORTED_FORMAT'],
    [LOG_BOOK.subarray(0, 5000), 'OFFICE_PARSE_FAILED'],
    [
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('WordDocument', 'utf16le')]),
      'OFFICE_PARSE_FAILED',
    ],
  ]
  for (const [file, code] of cases) await expect(print({ file }), code).rejects.toMatchObject({ code })
  expect((await print({ file: Buffer.from('{\\rtf1 still here}') })).result.pages).toBe(1)
})
