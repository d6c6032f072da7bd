import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const LONG =
  'water, in so many bottles that the line which tells of it is broken and goes on below, as lines of such a length do'
const REPORT = `<title>Report</title><style>h1, h2 { font-size: 20px; margin: 0 }</style>
<h1>Stores of the harbour</h1><h2>What is there</h2>
<p>Oil for forty nights and rope for the boats, bread for the winter and candles besides.</p>
<ul><li>bread and <b>butter</b></li><li>${LONG}</li><li>salt<ul><li>coarse</li><li>fine</li></ul></li></ul>
<ol><li>first</li><li>second</li></ol>
<p>Below is what it costs.</p>
<table><tr><th>Name</th><th>Price</th><th>Left</th></tr>
<tr><td style="width: 50px">Rope of hemp</td><td>12.50</td><td>3</td></tr><tr><td>Oil</td><td></td><td>40</td></tr>
<tr><td><a href="https://example.com/lamp">Lamp</a></td><td>7.00<br>with wick</td><td>1</td></tr></table>
<p>After the table.</p>`

const RIGHT_TO_LEFT = [
  'מחיר המוצר הוא 1,250.50 שקל (כולל מע"מ) עד 2024-05-01.',
  'השתמשנו ב-Google Chrome גרסה 120 וגם ב-Node.js בפרויקט.',
  'السعر هو 1250 ريال (شامل الضريبة) في سنة ٢٠٢٤.',
  'استخدمنا Microsoft Word لكتابة هذا النص.',
]

test('reads Hebrew and Arabic in the order in which they were written, with numbers and words of other scripts', async () => {
  const mixed = 'The word שלום means peace, and مرحبا means hello.'
  const long = `${RIGHT_TO_LEFT[3]} `.repeat(6).trim()
  const html = `<style>td { padding: 4px 40px }</style><div dir="rtl"><h1>שלום עולם</h1>
    ${[...RIGHT_TO_LEFT, long].map(text => `<p>${text}</p>`).join('')}
    <table><tr><th>שם</th><th>סכום</th></tr><tr><td>דוד כהן</td><td>100</td></tr></table></div><p>${mixed}</p>`
  const { bytes } = await runJob(pools, 'pdf.from-html', { html })
  const { result } = await runJob(pools, 'pdf.to-markdown', { file: bytes })
  expect((result.markdown as string).split('\n\n')).toEqual([
    '# שלום עולם',
    ...RIGHT_TO_LEFT,
    long,
    '| שם | סכום |\n| --- | --- |\n| דוד כהן | 100 |',
    mixed,
  ])
})

test('reads lists, tables and headings of a printed page from its tags', async () => {
  const { bytes } = await runJob(pools, 'pdf.from-html', { html: REPORT })
  const { result } = await runJob(pools, 'pdf.to-markdown', { file: bytes })
  expect((result.markdown as string).split('\n\n')).toEqual([
    '# Stores of the harbour',
    '## What is there',
    'Oil for forty nights and rope for the boats, bread for the winter and candles besides.',
    `- bread and **butter**\n- ${LONG}\n- salt\n  - coarse\n  - fine\n1. first\n2. second`,
    'Below is what it costs.',
    [
      '| **Name** | **Price** | **Left** |',
      '| --- | --- | --- |',
      '| Rope of hemp | 12.50 | 3 |',
      '| Oil |  | 40 |',
      '| [Lamp](https://example.com/lamp) | 7.00 with wick | 1 |',
    ].join('\n'),
    'After the table.',
  ])
  expect(result.tables).toBe(1)
})

test.each([0, 90, 180, 270])('leaves out what lies outside of the crop box of a page turned by %i', async rotate => {
  const place = (x: number, y: number, text: string) => `BT /F 12 Tf ${x} ${y} Td (${text}) Tj ET`
  const content = [place(20, 150, 'inside'), place(20, 20, 'below'), place(250, 150, 'beside')].join(' ')
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 400 200] /CropBox [10 100 200 180] >>',
    `<< /Type /Page /Parent 2 0 R /Rotate ${rotate} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ])
  expect((await runJob(pools, 'pdf.to-markdown', { file })).result.markdown).toBe('inside')
})
