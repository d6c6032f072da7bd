import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { CONVERSIONS, isLossy, type MarkupFormat, type SourceFormat } from '../../../tasks/formats/markup/formats.ts'
import { PYTHON } from '../../support/machine/programs.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
const folder = mkdtempSync(join(tmpdir(), 'convert-'))
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await pools[Symbol.asyncDispose]()
})

const LOG_BOOK = readFileSync('tasks/samples/log-book.docx')
const OPTIONS = { from: undefined, options: {} }

function convert(body: Record<string, unknown>) {
  return runJob(pools, 'doc.convert', { ...OPTIONS, ...body })
}

/** Debian's pandoc, an older release than the one that converts, writes the sources and reads the outputs. */
function runPandoc(args: readonly string[], input: Buffer | string): Buffer {
  return execFileSync('pandoc', args, { input, stdio: ['pipe', 'pipe', 'pipe'], cwd: folder })
}

const SOURCE = 'Log.\n\n# Harbour\n\nWind *north-west*.\n\n| Hour | Wind |\n|------|------|\n| 6 | NW |\n'
const NOT_WRITTEN: Partial<Record<SourceFormat, string>> = {
  typst: '= Harbour\n\nWind _north-west_.\n\n#table(columns: 2, [Hour], [Wind], [6], [NW])\n',
}

function writeSource(from: SourceFormat): Buffer {
  const written = NOT_WRITTEN[from]
  if (written !== undefined) return Buffer.from(written)
  const path = join(folder, `source.${from}`)
  runPandoc(['-f', 'markdown', '-t', from, '-s', '-o', path, '--metadata', 'title=Log'], SOURCE)
  return readFileSync(path)
}

/**
 * The texts of outputs of one format, joined, by another reader than the one that wrote them, where there is one. It reads
 * all of them at once, because starting it takes most of its time.
 */
function readTexts(to: MarkupFormat, outputs: readonly Buffer[]): string {
  if (to === 'pptx') return outputs.map(output => unzipText(output, 'ppt/slides/slide*.xml')).join('\n')
  if (to === 'rtf') return outputs.join('\n').replaceAll(/\\[a-z]+-?\d* ?/g, '')
  if (to === 'plain' || to === 'typst' || to === 'asciidoc') return outputs.join('\n')
  const names = outputs.map((output, index) => {
    writeFileSync(join(folder, `read-back-${index}`), output)
    return `read-back-${index}`
  })
  return runPandoc(['-f', to, '-t', 'plain', '--file-scope', ...names], '').toString()
}

function unzipText(output: Buffer, pattern: string): string {
  writeFileSync(join(folder, 'read-back.zip'), output)
  const script =
    'import sys,zipfile,fnmatch,re;z=zipfile.ZipFile(sys.argv[1]);' +
    'print(" ".join(re.sub("<[^>]*>"," ",z.read(n).decode()) for n in z.namelist() if fnmatch.fnmatch(n,sys.argv[2])))'
  return execFileSync(PYTHON, ['-c', script, join(folder, 'read-back.zip'), pattern]).toString()
}

function listZip(output: Buffer): string {
  writeFileSync(join(folder, 'list.zip'), output)
  const script = 'import zipfile;print(*zipfile.ZipFile("list.zip").namelist())'
  return execFileSync(PYTHON, ['-c', script], { cwd: folder }).toString().trim()
}

describe('every pair of the matrix', () => {
  const outputs = new Map<MarkupFormat, Buffer[]>()
  test.each(Object.keys(CONVERSIONS) as SourceFormat[])('from %s', async from => {
    const file = writeSource(from)
    for (const to of CONVERSIONS[from]) {
      const { result, bytes, warnings } = await convert({ file, from, to })
      expect(result).toMatchObject({
        from,
        to,
        lossy: isLossy(
          from,
          to,
          warnings.map(code => ({ code })),
        ),
      })
      outputs.set(to, [...(outputs.get(to) ?? []), bytes])
    }
  })

  test('has its words in each output', () => {
    for (const [to, all] of outputs) {
      const text = readTexts(to, all)
      for (const words of [/Harbour/gi, /north-west/g, /NW/g])
        expect(text.match(words)?.length, `${words} in ${to}`).toBeGreaterThanOrEqual(all.length)
    }
  })

  test('has 96 pairs', () => {
    expect(Object.values(CONVERSIONS).flat()).toHaveLength(96)
  })
})

test('reads UTF-16, byte order marks and CRLF, and refuses other encodings', async () => {
  const text = '\ufeff# Hafen\r\n\r\nWind aus Süd\r\n'
  const big = Buffer.from(text, 'utf16le').swap16()
  for (const file of [Buffer.from(text), Buffer.from(text, 'utf16le'), big]) {
    const { bytes } = await convert({ file, from: 'markdown', to: 'html', options: { standalone: false } })
    expect(bytes.toString()).toBe('<h1 id="hafen">Hafen</h1>\n<p>Wind aus Süd</p>\n')
  }
  const latin = Buffer.from('<meta charset="windows-1252"><p>Süd</p>', 'latin1')
  const { bytes } = await convert({ file: latin, to: 'plain' })
  expect(bytes.toString().trim()).toBe('Süd')
  const file = Buffer.from('Süd', 'latin1')
  await expect(convert({ file, from: 'markdown', to: 'html' })).rejects.toMatchObject({ code: 'ENCODING_INVALID' })
})

test('keeps pictures, footnotes, formulas and code, inline, in a zip or not at all', async () => {
  const inline = await convert({ file: LOG_BOOK, to: 'markdown' })
  expect(inline.bytes.toString()).toContain('](data:image/png;base64,iVBOR')
  expect(inline.bytes.toString()).toMatch(/\[\^1\]: By the mast/)
  expect(inline.bytes.toString()).toContain('$v^{2}$')
  expect(inline).toMatchObject({ result: { lossy: true }, chargedMicros: 2000n })
  const zipped = await convert({ file: LOG_BOOK, to: 'latex', options: { media: 'zip' } })
  expect(zipped.result.output).toMatchObject({ contentType: 'application/zip', name: 'document.zip' })
  expect(listZip(zipped.bytes)).toMatch(/^document\.tex \S+media\/\S+\.png$/)
  const dropped = await convert({ file: LOG_BOOK, to: 'html', options: { media: 'drop' } })
  expect(dropped.bytes.toString()).not.toContain('<img')
  expect(await convert({ file: LOG_BOOK, to: 'latex' })).toMatchObject({ warnings: ['MEDIA_DROPPED'] })
  const code = await convert({ text: '```js\nlet x\n```\n', from: 'markdown', to: 'gfm' })
  expect(code.bytes.toString()).toContain('``` js')
})

test('every option has its effect', async () => {
  const text = '# One\n\n## Two\n\n$x^2$ [@knuth]\n'
  const bibliography = Buffer.from('@book{knuth, author={Knuth, Donald}, title={TeX}, year={1984}}')
  const options = {
    ...{ toc: true, tocDepth: 2, numberSections: true, title: 'Tides', language: 'de', math: 'latex' },
    ...{ bibliography, headingShift: 1 },
  }
  const html = (await convert({ text, from: 'markdown', to: 'html', options })).bytes.toString()
  expect(html).toContain('<title>Tides</title>')
  expect(html).toMatch(/<html[^>]*lang="de"/)
  const toc = /<nav id="TOC"[\s\S]*?<\/nav>/.exec(html)?.[0]
  expect(toc).toContain('One')
  expect(toc).not.toContain('Two')
  expect(html).toMatch(/<h2[^>]*>\s*<span\s+class="header-section-number">/)
  expect(html).toContain('\\(x^2\\)')
  expect(html).toContain('Knuth, Donald. 1984')
  expect(html).not.toMatch(/<script|https?:\/\/cdn/)
  const plain = await convert({ text, from: 'markdown', to: 'html', options: { math: 'unicode', standalone: false } })
  expect(plain.bytes.toString()).toContain('<em>x</em><sup>2</sup>')
  const long = 'word '.repeat(60)
  const lines = async (wrap: string) =>
    (await convert({ text: long, from: 'markdown', to: 'plain', options: { wrap } })).bytes
      .toString()
      .trim()
      .split('\n')
  expect(await lines('none')).toHaveLength(1)
  expect((await lines('auto')).length).toBeGreaterThan(3)
  const slides = await convert({ text, from: 'markdown', to: 'pptx', options: { slideLevel: 1, title: 'T' } })
  expect(unzipText(slides.bytes, 'ppt/slides/slide2.xml')).toContain('One')
  const styled = await convert({ text, from: 'markdown', to: 'docx', options: { template: LOG_BOOK } })
  expect(readTexts('docx', [styled.bytes])).toContain('Two')
  for (const wrong of [{ template: LOG_BOOK }, { slideLevel: 2 }])
    await expect(convert({ text, from: 'markdown', to: 'html', options: wrong })).rejects.toMatchObject({
      code: 'CONFLICTING_OPTIONS',
    })
})

test('shows tracked changes, accepts them or rejects them', async () => {
  const change = (tag: string, word: string) =>
    `<w:${tag} w:id="1" w:author="A" w:date="2026-01-01T00:00:00Z"><w:r><w:${tag === 'del' ? 'delText' : 't'}>${word}` +
    `</w:${tag === 'del' ? 'delText' : 't'}></w:r></w:${tag}>`
  const script =
    'import sys,zipfile;s=zipfile.ZipFile("book.docx");t=zipfile.ZipFile("tracked.docx","w")\n' +
    'for n in s.namelist():\n d=s.read(n)\n' +
    ' t.writestr(n,d.replace(b"</w:body>",("<w:p>"+sys.argv[1]+"</w:p></w:body>").encode()) if n=="word/document.xml" else d)\n'
  writeFileSync(join(folder, 'book.docx'), LOG_BOOK)
  execFileSync(PYTHON, ['-c', script, change('ins', 'added') + change('del', 'gone')], { cwd: folder })
  const file = readFileSync(join(folder, 'tracked.docx'))
  const read = async (trackedChanges: string) =>
    (await convert({ file, to: 'plain', options: { trackedChanges } })).bytes.toString()
  expect(await read('accept')).toContain('added')
  expect(await read('accept')).not.toContain('gone')
  expect(await read('reject')).toContain('gone')
  expect(await read('all')).toMatch(/added[\s\S]*gone/)
})

test('documents cannot read files or reach the network', async () => {
  const canary = join(folder, 'canary.txt')
  writeFileSync(canary, 'CANARY-7713')
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.end('CANARY-7713')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/canary.txt`
  const attacks: [SourceFormat, string][] = [
    ['markdown', `hello ![](${canary}) ![](${url}) ![](file://${canary})`],
    ['html', `<p>hello<img src="${canary}"><img src="${url}"><iframe src="${canary}"></iframe><object data="${url}">`],
    ['rst', `hello\n\n.. include:: ${canary}\n\n.. image:: ${url}\n\n.. csv-table:: t\n   :file: ${canary}\n`],
    ['org', `hello\n\n#+INCLUDE: "${canary}"\n\n[[file:${canary}]] [[${url}]]\n`],
    ['latex', `hello \\input{${canary}} \\include{${canary}} \\includegraphics{${url}}`],
    ['typst', `hello #include "${canary}"\n#image("${canary}")\n#read("${canary}")`],
    ['mediawiki', `hello [[File:${canary}]] {{${canary}}}`],
  ]
  for (const [from, text] of attacks)
    for (const to of ['html', 'docx'] as const) {
      if (from === to) continue
      const { bytes } = await convert({ text, from, to, options: { media: 'zip' } }).catch(error => {
        expect(error).toMatchObject({ code: 'DOC_PARSE_FAILED' })
        return { bytes: Buffer.from('hello') }
      })
      const text_ = to === 'docx' && bytes.length > 5 ? unzipText(bytes, '*.xml') : bytes.toString()
      expect(text_).toContain('hello')
      expect(text_).not.toContain('CANARY-7713')
    }
  expect(requests).toBe(0)
  server.close()
  const { warnings } = await convert({ text: `![](${canary})`, from: 'markdown', to: 'docx' })
  expect(warnings).toEqual(['RESOURCE_MISSING'])
})

test.each([':file: /etc/passwd', ':header-rows: 1\n   :url: http://127.0.0.1/prices.csv'])(
  'leaves out a table of another file: %s',
  async option => {
    const text = `Log\n===\n\n.. csv-table:: Prices\n   ${option}\n\nBetween.\n\n.. csv-table::\n   :delim: ;\n\n   Rope;35\n`
    const { bytes, warnings } = await convert({ text, from: 'rst', to: 'html' })
    expect(warnings).toEqual(['RESOURCE_MISSING'])
    expect(bytes.toString()).toMatch(/Log[\s\S]*Between\.[\s\S]*<td>Rope<\/td>\s*<td>35<\/td>/)
    expect(bytes.toString()).not.toContain('root:')
  },
)

const ZIP = readFileSync('tasks/samples/notes.zip')
const DRM =
  'import zipfile;z=zipfile.ZipFile("drm.epub","w");z.writestr("mimetype","application/epub+zip");' +
  'z.writestr("META-INF/encryption.xml","<e><EncryptionMethod Algorithm=\'http://www.w3.org/2001/04/xmlenc#aes128-cbc\'/></e>")'

test('refuses what it cannot convert, with what to do next', async () => {
  const text = 'x'
  const cases: [Record<string, unknown>, object][] = [
    [
      { text, from: 'markdown', to: 'pdf' },
      { code: 'CONVERSION_UNSUPPORTED', hints: { steps: expect.any(Array) } },
    ],
    [
      { text, from: 'org', to: 'gfm' },
      { code: 'CONVERSION_UNSUPPORTED', hints: { targets: CONVERSIONS.org } },
    ],
    [{ text, from: 'markdown', to: 'word' }, { code: 'UNSUPPORTED_FORMAT' }],
    [{ text, from: 'word', to: 'html' }, { code: 'UNSUPPORTED_FORMAT' }],
    [{ text, to: 'html' }, { code: 'MISSING_FIELD' }],
    [{ text: ' ', from: 'markdown', to: 'html' }, { code: 'INPUT_EMPTY' }],
    [{ to: 'html' }, { code: 'MISSING_FIELD' }],
    [{ file: ZIP, to: 'html' }, { code: 'UNSUPPORTED_FORMAT' }],
    [{ file: ZIP, from: 'docx', to: 'html' }, { code: 'DOC_PARSE_FAILED' }],
    [{ file: LOG_BOOK, from: 'odt', to: 'html' }, { code: 'UNSUPPORTED_FORMAT' }],
    [{ file: LOG_BOOK.subarray(0, 6000), to: 'html' }, { code: 'DOC_PARSE_FAILED' }],
    [{ file: Buffer.from('{"nbformat": 4'), to: 'html' }, { code: 'DOC_PARSE_FAILED' }],
    [{ file: Buffer.from('{"a": 1}'), from: 'ipynb', to: 'html' }, { code: 'DOC_PARSE_FAILED' }],
    [{ file: readFileSync('tasks/samples/letter.pdf'), to: 'html' }, { code: 'UNSUPPORTED_FORMAT' }],
    [{ file: readFileSync('tasks/samples/sign.png'), from: 'markdown', to: 'html' }, { code: 'UNSUPPORTED_FORMAT' }],
  ]
  for (const [body, problem] of cases)
    await expect(convert(body), JSON.stringify(body.to)).rejects.toMatchObject(problem)
  execFileSync(PYTHON, ['-c', DRM], { cwd: folder })
  const file = readFileSync(join(folder, 'drm.epub'))
  await expect(convert({ file, from: 'epub', to: 'html' })).rejects.toMatchObject({ code: 'DOC_ENCRYPTED' })
})

test('reads HTML that leaves elements open, or is very deep, as a browser does', async () => {
  const read = async (text: string) => {
    const { bytes } = await convert({ text, from: 'html', to: 'plain' })
    return bytes.toString().trim().split(/\s+/)
  }
  const script = '<script>if (a < b) document.write("<p>no</p>")</script>'
  expect(await read(`${'<ul>'.repeat(60)}lamp`)).toContain('lamp')
  expect(await read(`${'<dl><div>'.repeat(5_000)}<p>lamp </p>${script}<b>bell`)).toEqual(['lamp', 'bell'])
  expect(await read('<title>Log</title><div>lamp<ul><li>bell</ul>')).toEqual(expect.arrayContaining(['lamp', 'bell']))
})

test('is stopped at its limits and works again afterwards', async () => {
  const text = '['.repeat(30_000) + '*a_'.repeat(300_000)
  const failed = runJob(pools, 'doc.convert', { ...OPTIONS, text, from: 'markdown', to: 'html' }, { limitSeconds: 1 })
  await failed.catch(error =>
    expect(error.code).toMatch(/^(TIME_LIMIT_EXCEEDED|MEMORY_LIMIT_EXCEEDED|DOC_PARSE_FAILED)$/),
  )
  const { bytes } = await convert({ text: 'ok', from: 'markdown', to: 'plain' })
  expect(bytes.toString().trim()).toBe('ok')
})
