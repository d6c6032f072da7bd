import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runProgram } from '../../support/machine/programs.ts'
import { hasTool, runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
const hasBrowser = await hasTool(pools, 'chromium')
afterAll(() => pools[Symbol.asyncDispose]())
const testWithBrowser = test.skipIf(!hasBrowser)

const print = (body: Record<string, unknown>) => runJob(pools, 'pdf.from-markdown', body)
const readText = (pdf: Uint8Array) => runProgram('pdftotext', ['-layout', '-', '-'], pdf).normalize('NFKC')
const readInfo = (pdf: Uint8Array) => runProgram('pdfinfo', ['-'], pdf)

const GRADIENT = readFileSync('tasks/samples/gradient.png')

function runQpdf(pdf: Uint8Array, ...flags: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-printed-'))
  writeFileSync(join(folder, 'in.pdf'), pdf)
  try {
    return runProgram('qpdf', [...flags, join(folder, 'in.pdf')])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const REPORT = `---
title: "Tide & time"
author: Ada
---
# The harbour

Low at *six*, see [the notes](https://example.com/notes).[^1]

| day | high |
|-----|------|
| Mon | 06:12 |

- [x] checked
- [ ] open

\`\`\`js
const high = '06:12' // <b>
\`\`\`

Grüße, Привет 日本<br>next line

[^1]: A footnote.
`

testWithBrowser('prints tables, tasks, code, footnotes and many scripts', async () => {
  const { bytes, result, warnings } = await print({ markdown: REPORT })
  expect({ pages: result.pages, warnings }).toEqual({ pages: 1, warnings: [] })
  const text = readText(bytes)
  expect(text).toMatch(/The harbour\s+Low at six, see the notes/)
  expect(text).toMatch(/day\s+high\s+Mon\s+06:12/)
  expect(text).toContain("const high = '06:12' // <b>")
  expect(text).toMatch(/Grüße, Привет\s+日本\s*\n\s*next line/)
  expect(text).toContain('A footnote.')
  expect(text).not.toMatch(/Ada|title:|\[x\]/)
  expect(readInfo(bytes)).toMatch(/Title: +Tide & time\n/)
})

testWithBrowser('takes a file, pictures by their names and styles', async () => {
  const markdown = '# Gradient\n\n![a gradient](pictures/gradient.png)\n'
  const { bytes, warnings } = await print({
    file: { content: Buffer.from(markdown), name: 'gradient.md' },
    assets: [{ content: GRADIENT, name: 'pictures/gradient.png' }],
    css: '@page { size: A6 } </style><script>document.body.append("ran")</script> h1 { text-transform: uppercase }',
    page: { preferCssPageSize: true },
  })
  expect(warnings).toEqual([])
  expect(runProgram('pdfimages', ['-list', '-'], bytes)).toMatch(/\bimage\b/)
  expect(readText(bytes)).not.toContain('ran')
})

testWithBrowser('begins with the headings, which are links, on request', async () => {
  const { bytes, result } = await print({
    markdown: '# One\n\ntext\n\n## Two <b>\n\ntext\n\n#### Deep',
    contents: true,
  })
  expect(result.pages).toBe(2)
  const [contents, rest] = readText(bytes).split('\f')
  expect(contents!.trim().split(/\s*\n\s*/)).toEqual(['One', 'Two'])
  expect(rest).toMatch(/One[\s\S]*Deep/)
  expect(runQpdf(bytes, '--json')).toContain('/Dest')
})

testWithBrowser('runs no script of the text', async () => {
  const { bytes } = await print({ markdown: 'before <span id="a"></span>\n\n<script>a.textContent = "ran"</script>' })
  expect(readText(bytes)).not.toContain('ran')
})

testWithBrowser('writes PDF/A', async () => {
  const { bytes, result } = await print({ markdown: '# Archive', pdfa: '2b' })
  expect(result.conformance).toBe('claimed')
  expect(runQpdf(bytes, '--check')).toContain('No syntax or stream encoding errors')
})

test.each([
  ['nothing', {}, 'MISSING_FIELD'],
  ['an empty text', { markdown: ' \n' }, 'INPUT_EMPTY'],
  ['both a text and a file', { markdown: 'a', file: Buffer.from('b') }, 'CONFLICTING_OPTIONS'],
  ['a PDF instead of a text', { file: Buffer.from('%PDF-1.4\n% no byte of zero\n') }, 'UNSUPPORTED_FORMAT'],
  ['a picture without a name', { markdown: 'a', assets: [Buffer.from('b')] }, 'MISSING_FIELD'],
])('refuses %s', async (_name, body, code) => {
  await expect(print(body)).rejects.toMatchObject({ code })
})

testWithBrowser.each([
  ['Energy $x^2 + \\frac{a}{b}$ and', ['MATH_NOT_RENDERED']],
  ['$$\n\\int_0^1 x\\,dx\n$$', ['MATH_NOT_RENDERED']],
  ['It costs $5_000 and $6_000, or `$x^2$`.\n\n```\n$$a^2$$\n```\n', []],
])('says of formulas that they are not drawn: %s', async (markdown, codes) => {
  expect((await print({ markdown })).warnings).toEqual(codes)
})
