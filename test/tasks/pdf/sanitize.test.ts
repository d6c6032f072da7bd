import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runProgram } from '../../support/machine/programs.ts'
import { type ActiveParts, buildActive, linkTo, script, unpack } from '../../support/pdf/active.ts'
import { pdfStream, runQpdf } from '../../support/pdf/document.ts'
import { extractText, withPdfFile } from '../../support/pdf/inspect.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const NOTHING = { javascript: 0, actions: 0, links: 0, files: 0, media: 0, xfa: 0, metadata: 0 }
const sanitize = (file: Uint8Array, options: Record<string, unknown> = {}) =>
  runJob(pools, 'pdf.sanitize', { file, ...options })
const listScripts = (bytes: Uint8Array) => withPdfFile(bytes, file => runProgram('pdfinfo', ['-js', file]))

const FILE = pdfStream('SECRET file', '/Type /EmbeddedFile')
const SPEC = (stream: number) => `<< /Type /Filespec /F (a.exe) /UF (a.exe) /EF << /F ${stream} 0 R >> >>`

const PLACES: {
  title: string
  parts: ActiveParts
  removed: Partial<typeof NOTHING>
  options?: Record<string, unknown>
}[] = [
  {
    title: 'a script that runs when it opens',
    parts: { catalog: `/OpenAction ${script('SECRET')}` },
    removed: { javascript: 1 },
  },
  {
    title: 'scripts by name, in a tree of two levels',
    parts: {
      catalog: '/Names << /JavaScript << /Kids [7 0 R] >> >>',
      more: [
        '<< /Names [(a) 8 0 R (b) 9 0 R] >>',
        script('SECRET 1'),
        '<< /S /JavaScript /JS 10 0 R >>',
        pdfStream('SECRET 2'),
      ],
    },
    removed: { javascript: 2 },
  },
  {
    title: 'a script when it is closed',
    parts: { catalog: `/AA << /WC ${script('SECRET')} >>` },
    removed: { javascript: 1 },
  },
  { title: 'a script of a page', parts: { page: `/AA << /O ${script('SECRET')} >>` }, removed: { javascript: 1 } },
  {
    title: 'a script of a field that is only in the order of calculation',
    parts: {
      form: '/CO [7 0 R] /DR << /Own 7 0 R >>',
      more: [`<< /FT /Tx /T (x) /AA << /C ${script('SECRET')} >> >>`],
    },
    removed: { javascript: 1 },
  },
  {
    title: 'a script behind a spelled-out name and a reference',
    parts: { ...linkTo('7 0 R'), more: ['<< /S 8 0 R /J#53 (SECRET) >>', '/J#61vaScript'] },
    removed: { javascript: 1 },
  },
  {
    title: 'a script of a bookmark',
    parts: {
      catalog: '/Outlines 7 0 R',
      more: ['<< /First 8 0 R /Last 8 0 R /Count 1 >>', `<< /Title (one) /Parent 7 0 R /A ${script('SECRET')} >>`],
    },
    removed: { javascript: 1 },
  },
  {
    title: 'scripts that follow each other in a circle',
    parts: { ...linkTo('7 0 R'), more: [script('SECRET 1', '/Next 8 0 R'), script('SECRET 2', '/Next [7 0 R 8 0 R]')] },
    removed: { javascript: 2 },
  },
  {
    title: 'an address that is a script',
    parts: linkTo('<< /S /URI /URI (javascript:SECRET) >>'),
    removed: { javascript: 1 },
  },
  { title: 'a program to start', parts: linkTo('<< /S /Launch /F (SECRET.exe) >>'), removed: { actions: 1 } },
  {
    title: 'a program to start on a share',
    parts: linkTo('<< /S /URI /URI (file:////SECRET/a.exe) >>'),
    removed: { actions: 1 },
  },
  {
    title: 'a form that is sent',
    parts: { annotation: '/Subtype /Widget /FT /Btn /AA << /U << /S /SubmitForm /F (https://SECRET.example) >> >>' },
    removed: { actions: 1 },
  },
  {
    title: 'a link into another file',
    parts: linkTo('<< /S /GoToR /F (\\\\\\\\SECRET\\\\share) /D [0 /Fit] >>'),
    removed: { actions: 1 },
  },
  { title: 'an action that no standard knows', parts: linkTo('<< /S /SECRET >>'), removed: { actions: 1 } },
  {
    title: 'a link to the web',
    parts: linkTo('<< /S /URI /URI (https://SECRET.example) >>'),
    removed: { links: 1 },
    options: { links: true },
  },
  {
    title: 'data of a stream outside',
    parts: { page: '/Metadata 7 0 R', more: [pdfStream('', '/F (\\\\\\\\SECRET\\\\share)')] },
    removed: { actions: 1 },
  },
  {
    title: 'an attached file',
    parts: {
      catalog: `/Names << /EmbeddedFiles << /Names [(a) ${SPEC(7)}] >> >> /AF [${SPEC(7)}] /Collection << >>`,
      more: [FILE],
    },
    removed: { files: 1 },
  },
  {
    title: 'a file in an annotation that a tag refers to',
    parts: {
      annotation: `/Subtype /FileAttachment /FS ${SPEC(7)} /Contents (SECRET)`,
      catalog: '/StructTreeRoot << /Type /StructTreeRoot /K << /Type /OBJR /Obj 6 0 R >> >>',
      more: [FILE],
    },
    removed: { files: 2 },
  },
  {
    title: 'a file that only a key of its own holds',
    parts: { catalog: '/Own 7 0 R', more: [FILE] },
    removed: { files: 1 },
  },
  {
    title: 'Flash with its files',
    parts: {
      annotation: `/Subtype /RichMedia /RichMediaContent << /Assets << /Names [(a) ${SPEC(7)}] >> >>`,
      more: [FILE],
    },
    removed: { media: 2 },
    options: { files: false },
  },
  {
    title: 'a sound',
    parts: { annotation: '/Subtype /Sound /Sound 7 0 R', more: [pdfStream('SECRET', '/R 8000')] },
    removed: { media: 1 },
  },
  {
    title: 'an XFA form',
    parts: {
      form: '/XFA [(template) 7 0 R (datasets) 8 0 R]',
      catalog: '/NeedsRendering true',
      more: [pdfStream('<SECRET/>'), pdfStream('<SECRET/>')],
    },
    removed: { xfa: 1 },
  },
  {
    title: 'metadata of a page',
    parts: { page: '/PieceInfo << /X << /Private (SECRET) >> >> /Metadata 7 0 R', more: [pdfStream('<SECRET/>')] },
    removed: { metadata: 2 },
    options: { metadata: true },
  },
]

describe.each(PLACES)('$title', ({ parts, removed, options = {} }) => {
  const file = buildActive(parts)

  test('is removed, counted and gone from the bytes', async () => {
    expect(unpack(file)).toContain('SECRET')
    const { result, bytes } = await sanitize(file, options)
    expect(result.removed).toEqual({ ...NOTHING, ...removed })
    expect(unpack(bytes)).not.toMatch(/SECRET|\/JavaScript|\/Launch|\/SubmitForm|\/XFA|EmbeddedFile/)
    expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
    expect(listScripts(bytes)).not.toContain('alert')
    expect(extractText(bytes)).toContain('Harbour report')
    expect((await sanitize(bytes, options)).result.removed).toEqual(NOTHING)
  })

  test('stays if the caller wants it to', async () => {
    const [kind] = Object.keys(removed)
    const { result, bytes } = await sanitize(file, { files: false, ...options, [kind!]: false })
    expect(result.removed).toMatchObject({ [kind!]: 0 })
    expect(unpack(bytes)).toContain('SECRET')
  })
})
