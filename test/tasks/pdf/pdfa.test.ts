import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { checkPdfa } from '../../../pools/tools/libpdf/structure/pdfa-check.ts'
import { buildSrgbProfile } from '../../../tasks/formats/color/srgb-profile.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { withPdfFile } from '../../support/pdf/inspect.ts'
import { hasTool, runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
afterAll(() => pools[Symbol.asyncDispose]())

const HTML =
  '<html lang="de"><title>Prüfbericht &amp; Karte</title><h1 id="a">Grüße 😀</h1><p style="opacity: .5">Text ' +
  '<a href="https://harbour.example/">Hafen</a> <a href="#a">oben</a><p style="text-shadow: 1px 1px 2px red">日本 Привет'

async function listFaults(bytes: Uint8Array, level = '2b'): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-pdfa-'))
  const path = join(folder, 'in.pdf')
  writeFileSync(path, bytes)
  return checkPdfa([path], { level }).finally(() => rmSync(folder, { recursive: true }))
}

test.skipIf(!(await hasTool(pools, 'chromium'))).each(['2b', '3b'])('prints HTML as PDF/A-%s', async level => {
  const metadata = { author: 'R. Oduya', keywords: ['harbour', 'stores'] }
  const { bytes, result } = await runJob(pools, 'pdf.from-html', { html: HTML, pdfa: level, metadata })
  expect(result).toMatchObject({ pages: 1, conformance: 'claimed' })
  const { catalog, json } = new PdfReader(bytes)
  expect(catalog).toMatchObject({ '/MarkInfo': { '/Marked': true }, '/Lang': 'u:de' })
  expect(json.outlines).toHaveLength(1)
  expect(json.qpdf[1].trailer!.value!['/ID']).toHaveLength(2)
  const tags = withPdfFile(bytes, file => JSON.parse(runProgram('exiftool', ['-j', '-G1', file])) as object[])
  expect(tags[0]).toMatchObject({
    'XMP-pdfaid:Part': Number(level[0]),
    'XMP-pdfaid:Conformance': 'B',
    'XMP-dc:Title': 'Prüfbericht & Karte',
    'PDF:Title': 'Prüfbericht & Karte',
    'XMP-dc:Creator': 'R. Oduya',
    'XMP-pdf:Keywords': 'harbour, stores',
  })
  const fonts = withPdfFile(bytes, file => runProgram('pdffonts', [file]))
    .trim()
    .split('\n')
    .slice(2)
  expect(fonts.every(line => / yes +(?:yes|no) +(?:yes|no) +\d+ +0$/.test(line))).toBe(true)
  expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax')
})

test.skipIf(!(await hasTool(pools, 'libreoffice')))('prints an office document as PDF/A', async () => {
  const file = readFileSync('tasks/samples/log-book.docx')
  for (const pdfa of ['1b', '2b', '3b']) {
    const { bytes, result } = await runJob(pools, 'pdf.from-office', { file, pdfa })
    expect(result).toMatchObject({ conformance: 'claimed' })
    expect(bytes.toString('latin1')).toMatch(new RegExp(`pdfaid:part[^\\d]*${pdfa[0]}`))
  }
})

test('finds what PDF/A forbids', async () => {
  expect(await listFaults(plainPdf(1))).toEqual(['no claim in the metadata', 'no colour profile', 'no file identifier'])
  const font = '/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>'
  const faults = await listFaults(
    plainPdf(1, {
      page: `${font} /Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /Launch /F (x) >> >>]`,
      catalog: '/AcroForm << /Fields [] /NeedAppearances true >> /OpenAction << /S /JavaScript /JS (1) >>',
    }),
  )
  expect(faults).toEqual(
    expect.arrayContaining([
      'a form in XML or without appearances',
      'a font that is not embedded',
      'an action that only some viewers perform',
      'an annotation that is hidden or not printed',
    ]),
  )
})

test('the colour profile is that of sRGB', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-profile-'))
  try {
    const path = join(folder, 'srgb.icc')
    writeFileSync(path, buildSrgbProfile())
    const colors = Buffer.from([200, 30, 60, 10, 120, 240, 128, 128, 128, 255, 255, 255])
    const raw = { width: 4, height: 1, channels: 3 as const }
    const converted = await sharp(colors, { raw }).withIccProfile(path).raw().toBuffer()
    for (const [index, level] of colors.entries()) expect(Math.abs(converted[index]! - level)).toBeLessThanOrEqual(1)
    expect(runProgram('exiftool', ['-ProfileDescription', path])).toContain('sRGB IEC61966-2.1')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
