import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { createBytes } from '../../support/data/bytes.ts'
import { buildPdf, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { createSamples, type Sample } from './kinds.ts'

const MEGABYTE = 1_000_000

function readSample(name: string): Buffer {
  return readFileSync(new URL(`../../../tasks/samples/${name}`, import.meta.url))
}

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>'
const PAGES = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>'
const PAGE = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>'

/** A PDF with one page and further objects. */
function buildOnePage(page: string, moreObjects: readonly string[] = [], catalog = ''): Buffer {
  return buildPdf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    PAGES,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] ${page} >>`,
    ...moreObjects,
  ])
}

function encodeStream(data: Uint8Array, dictionary = ''): string {
  return `<< /Length ${data.length} ${dictionary} >>\nstream\n${Buffer.from(data).toString('latin1')}\nendstream`
}

function encryptSample(args: readonly string[]): Buffer {
  return runQpdf(readSample('letter.pdf'), ['--encrypt', ...args, '--', 'IN', 'OUT'])
}

function replaceText(bytes: Buffer, from: RegExp, to: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1')
}

const good = {
  'two-pages.pdf': () => readSample('two-pages.pdf'),
  'letter.pdf': () => readSample('letter.pdf'),
  'bookmarked.pdf': () => readSample('bookmarked.pdf'),
  'linear.pdf': () => runQpdf(readSample('letter.pdf'), ['--linearize', 'IN', 'OUT']),
  'object-streams.pdf': () => runQpdf(readSample('bookmarked.pdf'), ['--object-streams=generate', 'IN', 'OUT']),
  '2000-pages.pdf': () => plainPdf(2000),
  '2001-pages.pdf': () => plainPdf(2001),
}

const encrypted = {
  'locked-aes256.pdf': () => encryptSample(['secret', 'owner', '256']),
  'locked-aes128.pdf': () => encryptSample(['secret', 'owner', '128', '--use-aes=y']),
  'locked-rc4.pdf': () =>
    runQpdf(readSample('letter.pdf'), ['--allow-weak-crypto', '--encrypt', 'secret', 'owner', '40', '--', 'IN', 'OUT']),
  'restricted.pdf': () => encryptSample(['', 'owner', '256', '--print=none']),
  'locked-key-lost.pdf': () => replaceText(encryptSample(['', 'owner', '256']), /\/U <[0-9a-f]{8}/, '/U <00000000'),
  'locked-no-dictionary.pdf': () =>
    replaceText(encryptSample(['', 'owner', '256']), /\/Encrypt \d+ 0 R/, '/Encrypt 999 0 R'),
  'locked-by-certificate.pdf': () =>
    buildPdf([CATALOG, PAGES, PAGE, '<< /Filter /Adobe.PubSec /SubFilter /adbe.pkcs7.s4 /V 4 >>'], '/Encrypt 4 0 R'),
}

const structure = {
  'head-only.pdf': () => '%PDF-1.7\n',
  'head-and-noise.pdf': () => Buffer.concat([Buffer.from('%PDF-1.7\n'), createBytes(5000)]),
  'no-head.pdf': () => readSample('letter.pdf').subarray(9),
  'late-head.pdf': () => Buffer.concat([createBytes(900), readSample('letter.pdf')]),
  'very-late-head.pdf': () => Buffer.concat([createBytes(5000), readSample('letter.pdf')]),
  'no-end.pdf': () => replaceText(readSample('letter.pdf'), /%%EOF\s*$/, ''),
  'no-table.pdf': () => replaceText(readSample('two-pages.pdf'), /xref[\s\S]*$/, ''),
  'table-elsewhere.pdf': () => replaceText(readSample('two-pages.pdf'), /startxref\s+\d+/, 'startxref\n99999999999'),
  'table-off-by-seven.pdf': () => Buffer.concat([Buffer.from('%PDF-1.4\n'), plainPdf(3)]),
  'table-of-itself.pdf': () => {
    const body = plainPdf(2)
    return replaceText(body, /trailer <<(.*)/, `trailer << /Prev ${body.indexOf('xref')} $1`)
  },
  'no-root.pdf': () => replaceText(plainPdf(2), /\/Root 1 0 R/, ''),
  'root-missing.pdf': () => replaceText(plainPdf(2), /\/Root 1 0 R/, '/Root 77 0 R'),
  'pages-missing.pdf': () => buildPdf(['<< /Type /Catalog >>']),
  'pages-null.pdf': () => buildPdf(['<< /Type /Catalog /Pages 2 0 R >>', 'null']),
  'no-pages.pdf': () => buildPdf([CATALOG, '<< /Type /Pages /Count 0 /Kids [] >>']),
  'tree-cycle.pdf': () => buildPdf([CATALOG, '<< /Type /Pages /Count 2 /Kids [3 0 R 2 0 R] >>', PAGE]),
  'tree-cycle-far.pdf': () =>
    buildPdf([
      CATALOG,
      PAGES,
      '<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [4 0 R] >>',
      '<< /Type /Pages /Kids [2 0 R] >>',
    ]),
  'tree-deep.pdf': () => {
    const inner = Array.from({ length: 5000 }, (_, index) => `<< /Type /Pages /Count 1 /Kids [${index + 4} 0 R] >>`)
    return buildPdf([CATALOG, PAGES, ...inner, PAGE])
  },
  'same-page-twice.pdf': () => buildPdf([CATALOG, '<< /Type /Pages /Count 2 /Kids [3 0 R 3 0 R] >>', PAGE]),
  'kids-missing.pdf': () => buildPdf([CATALOG, '<< /Type /Pages /Count 3 /Kids [7 0 R 8 0 R 9 0 R] >>']),
  'count-huge.pdf': () => buildPdf([CATALOG, '<< /Type /Pages /Count 1000000000 /Kids [3 0 R] >>', PAGE]),
  'count-negative.pdf': () => buildPdf([CATALOG, '<< /Type /Pages /Count -1 /Kids [3 0 R] >>', PAGE]),
  'no-box.pdf': () => buildPdf([CATALOG, PAGES, '<< /Type /Page /Parent 2 0 R >>']),
  'box-huge.pdf': () => replaceText(plainPdf(1), /\[0 0 100 200\]/, '[0 0 1000000000 1000000000]'),
  'box-empty.pdf': () => replaceText(plainPdf(1), /\[0 0 100 200\]/, '[0 0 0 0]'),
  'box-of-words.pdf': () => replaceText(plainPdf(1), /\[0 0 100 200\]/, '[/a (b) null 1e99]'),
  'turned-45.pdf': () => plainPdf(1, { page: '/Rotate 45' }),
  'turned-by-a-name.pdf': () => plainPdf(1, { page: '/Rotate /Left' }),
  'nested-arrays.pdf': () => buildOnePage(`/Deep ${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  'nested-unclosed.pdf': () => buildOnePage('<< /A '.repeat(50_000)),
  'long-string.pdf': () => buildOnePage(`/Said (${'a'.repeat(3 * MEGABYTE)})`),
  'object-stream-liar.pdf': () =>
    buildOnePage('/Extra 9 0 R', [
      encodeStream(deflateSync(Buffer.from('9 0 (x)')), '/Type /ObjStm /N 1000000000 /First 4 /Filter /FlateDecode'),
    ]),
}

const contents = {
  'flate-bomb.pdf': () =>
    buildOnePage('/Contents 4 0 R', [encodeStream(deflateSync(Buffer.alloc(300 * MEGABYTE)), '/Filter /FlateDecode')]),
  'double-bomb.pdf': () => {
    const once = deflateSync(Buffer.alloc(500 * MEGABYTE))
    return buildOnePage('/Contents 4 0 R', [encodeStream(deflateSync(once), '/Filter [/FlateDecode /FlateDecode]')])
  },
  'many-filters.pdf': () =>
    buildOnePage('/Contents 4 0 R', [encodeStream(Buffer.from('00>'), `/Filter [${'/ASCIIHexDecode '.repeat(5000)}]`)]),
  'drawn-in-itself.pdf': () =>
    buildOnePage('/Contents 5 0 R /Resources << /XObject << /F 4 0 R >> >>', [
      encodeStream(
        Buffer.from('/F Do /F Do'),
        '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 4 0 R >> >>',
      ),
      encodeStream(Buffer.from('/F Do')),
    ]),
  'broken-content.pdf': () =>
    buildOnePage('/Contents 4 0 R', [encodeStream(Buffer.from('BT (open ( Tj [[[ << q q q ET BI /W 9 ID x'))]),
  'broken-flate.pdf': () => buildOnePage('/Contents 4 0 R', [encodeStream(createBytes(4000), '/Filter /FlateDecode')]),
  'broken-pictures.pdf': () => {
    const kinds = ['DCTDecode', 'JPXDecode', 'JBIG2Decode', 'CCITTFaxDecode', 'LZWDecode']
    const picture = (kind: string) =>
      encodeStream(
        createBytes(600),
        `/Type /XObject /Subtype /Image /Width 20 /Height 20 /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /${kind}`,
      )
    const names = kinds.map((_, index) => `/I${index} ${index + 5} 0 R`).join(' ')
    const content = encodeStream(Buffer.from(kinds.map((_, index) => `/I${index} Do`).join(' ')))
    return buildOnePage(`/Contents 4 0 R /Resources << /XObject << ${names} >> >>`, [content, ...kinds.map(picture)])
  },
  'picture-huge.pdf': () =>
    buildOnePage('/Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >>', [
      encodeStream(Buffer.from('/I Do')),
      encodeStream(
        deflateSync(Buffer.alloc(MEGABYTE)),
        '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode',
      ),
    ]),
  'outline-cycle.pdf': () =>
    buildOnePage(
      '',
      ['<< /First 5 0 R /Last 5 0 R /Count 1 >>', '<< /Title (a) /Parent 4 0 R /Next 5 0 R /First 5 0 R >>'],
      '/Outlines 4 0 R',
    ),
  'outline-deep.pdf': () => {
    const nodes = Array.from(
      { length: 3000 },
      (_, index) => `<< /Title (${index}) /First ${index + 6} 0 R /Last ${index + 6} 0 R >>`,
    )
    return buildOnePage('', ['<< /First 5 0 R /Last 5 0 R >>', ...nodes, '<< /Title (end) >>'], '/Outlines 4 0 R')
  },
  'names-cycle.pdf': () => buildOnePage('', ['<< /Kids [4 0 R] >>'], '/Names << /Dests 4 0 R /EmbeddedFiles 4 0 R >>'),
  'fields-cycle.pdf': () =>
    buildOnePage(
      '/Annots [5 0 R]',
      ['<< /Fields [5 0 R] >>', '<< /T (a) /FT /Tx /Kids [5 0 R] /Parent 5 0 R /Subtype /Widget /Rect [0 0 9 9] >>'],
      '/AcroForm 4 0 R',
    ),
  'xfa.pdf': () =>
    buildOnePage(
      '',
      ['<< /Fields [] /XFA 5 0 R >>', encodeStream(Buffer.from('<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"/>'))],
      '/AcroForm 4 0 R',
    ),
  'signed.pdf': () =>
    buildOnePage(
      '/Annots [5 0 R]',
      [
        '<< /Fields [5 0 R] /SigFlags 3 >>',
        '<< /T (s) /FT /Sig /Subtype /Widget /Rect [0 0 0 0] /V 6 0 R >>',
        '<< /Type /Sig /Filter /Adobe.PPKLite /ByteRange [0 10 20 10] /Contents <00> >>',
      ],
      '/AcroForm 4 0 R',
    ),
  'script.pdf': () => buildOnePage('', [], '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>'),
  'launch.pdf': () => buildOnePage('', [], '/OpenAction << /S /Launch /F (/bin/sh) >>'),
  'labels-bad.pdf': () => buildOnePage('', [], '/PageLabels << /Nums [-1 << /S /D >> 9 (x) 0] >>'),
  'layers-bad.pdf': () =>
    buildOnePage('', [], '/OCProperties << /OCGs [9 0 R 1 0 R] /D << /Order [[[[]]]] /ON null >> >>'),
  'attached-escape.pdf': () =>
    buildOnePage(
      '',
      [
        '<< /Names [(../../evil) 5 0 R] >>',
        '<< /Type /Filespec /F (../../evil) /UF (../../evil) /EF << /F 6 0 R >> >>',
        encodeStream(Buffer.from('x'), '/Type /EmbeddedFile'),
      ],
      '/Names << /EmbeddedFiles 4 0 R >>',
    ),
  'attached-bomb.pdf': () =>
    buildOnePage(
      '',
      [
        '<< /Names [(b) 5 0 R] >>',
        '<< /Type /Filespec /F (b) /EF << /F 6 0 R >> >>',
        encodeStream(deflateSync(Buffer.alloc(200 * MEGABYTE)), '/Type /EmbeddedFile /Filter /FlateDecode'),
      ],
      '/Names << /EmbeddedFiles 4 0 R >>',
    ),
  'annotations-many.pdf': () =>
    buildOnePage(`/Annots [${'<< /Subtype /Link /Rect [0 0 9 9] /Dest [3 0 R /Fit] >> '.repeat(20_000)}]`),
  'metadata-entities.pdf': () =>
    buildOnePage(
      '',
      [
        encodeStream(
          Buffer.from(
            `<?xpacket?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(10)}">]><x>${'&b;'.repeat(9)}</x>`,
          ),
          '/Type /Metadata /Subtype /XML',
        ),
      ],
      '/Metadata 4 0 R',
    ),
  'info-odd.pdf': () =>
    buildPdf(
      [
        CATALOG,
        PAGES,
        PAGE,
        '<< /Title <FEFF004B0131> /Author (\\377\\376\\000) /CreationDate (D:99999999) /Keywords [1 2] >>',
      ],
      '/Info 4 0 R',
    ),
}

const unusual = {
  'postscript.pdf': () => '%!PS-Adobe-3.0\n(/etc/passwd) (r) file 100 string readstring pop show showpage\n',
  'postscript-with-head.pdf': () => '%!PS\n%PDF-1.4\n(/etc/passwd) (r) file pop\nshowpage\n',
  'updated.pdf': () => {
    const body = readSample('two-pages.pdf')
    return Buffer.concat([
      body,
      Buffer.from(
        '\n3 0 obj\n<< /Broken true\nendobj\nxref\n3 1\n0000000000 00000 n\ntrailer << >>\nstartxref\n1\n%%EOF\n',
      ),
    ])
  },
  'twice.pdf': () => Buffer.concat([readSample('two-pages.pdf'), readSample('letter.pdf')]),
}

export function buildPdfSamples(): Sample[] {
  return createSamples('pdf', { ...good, ...encrypted, ...structure, ...contents, ...unusual })
}
