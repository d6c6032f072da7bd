import { readFile } from 'node:fs/promises'
import { Problem, type Warning } from '#kit'
import { decodeMarkup } from '../../../tasks/formats/markup/decode.ts'
import { describeFormat, type MarkupFormat } from '../../../tasks/formats/markup/formats.ts'
import { closeElements } from '../html/close-elements.ts'
import { rejectProtectedBook } from './book.ts'
import { leaveOutCodeRules } from './code-rules.ts'
import { completeDocx } from './complete-docx.ts'
import { type Completed, completeOdt } from './complete-odt.ts'
import { completePptx } from './complete-pptx.ts'
import { FILTERS, titleFilters } from './filters.ts'
import { dropPandoc, openPandoc, type PandocOutput } from './instance.ts'
import { findLeftOut } from './left-out.ts'
import { findLeftOutOfOdt } from './left-out-odt.ts'
import { leaveOutFileTables } from './left-out-tables.ts'
import { collectWarnings } from './warnings.ts'
import { type Part, zipTogether } from './zip-together.ts'

// Decision 0103: convert markup with the wasm build of pandoc.

export interface ConvertRequest {
  from: MarkupFormat
  to: MarkupFormat
  /** As in a defaults file of pandoc. */
  settings: Record<string, unknown>
  media: 'inline' | 'zip' | 'drop'
  /** The names of the files after the document. */
  resources: readonly string[]
  /** The name of the document in a zip. */
  name: string
}

interface Converted {
  bytes: Uint8Array
  isZip: boolean
  warnings: Warning[]
}

const MEDIA = 'media'
/** The name of the output inside pandoc's own file system. */
const OUTPUT = 'converted'

/** Runs in a confined child. The wasm build has a file system of its own, in memory, and no network. */
export async function convert([document, ...resources]: string[], request: ConvertRequest): Promise<Converted> {
  const { from, to } = request
  const completed = await complete(document!, from)
  const input = new Uint8Array(completed?.bytes ?? (await readFile(document!)))
  const isContainer = describeFormat(from).isContainer === true
  if (from === 'epub') await rejectProtectedBook(document!)
  const text = isContainer ? null : decodeMarkup(input, from === 'html')
  const { text: stdin, warnings } = prepareText(text, from)
  const files: Record<string, Blob | string> = { ...FILTERS }
  if (isContainer) files[`input.${from}`] = new Blob([input])
  for (const [index, path] of resources.entries())
    files[request.resources[index]!] = new Blob([new Uint8Array(await readFile(path))])
  const output = await runPandoc(
    {
      ...request.settings,
      from,
      to,
      'input-files': isContainer ? [`input.${from}`] : undefined,
      'output-file': describeFormat(to).isContainer ? OUTPUT : undefined,
      'extract-media': extractsMedia(request, isContainer) ? MEDIA : undefined,
      filters: chooseFilters(request),
    },
    stdin,
    files,
  )
  const showsComments = request.settings['track-changes'] === 'all'
  const leftOut = await findLosses(document!, from, showsComments)
  const converted = await assemble(output, request)
  return { ...converted, warnings: [...leftOut, ...(completed?.warnings ?? []), ...warnings, ...converted.warnings] }
}

/** Some readers need a document to be written in another way. */
async function complete(document: string, from: MarkupFormat): Promise<Completed | undefined> {
  if (from === 'odt') return completeOdt(document)
  if (from === 'docx') return completeDocx(document)
  return from === 'pptx' ? { bytes: await completePptx(document), warnings: [] } : undefined
}

async function findLosses(document: string, from: MarkupFormat, showsComments: boolean): Promise<Warning[]> {
  if (from === 'odt') return findLeftOutOfOdt(document)
  return from === 'docx' || from === 'pptx' ? findLeftOut(document, showsComments) : []
}

function prepareText(text: string | null, from: MarkupFormat): { text: string | null; warnings: Warning[] } {
  if (text !== null && from === 'rst') return leaveOutFileTables(text)
  if (text !== null && from === 'typst') return { text: leaveOutCodeRules(text), warnings: [] }
  return { text: text !== null && from === 'html' ? closeElements(text) : text, warnings: [] }
}

function chooseFilters({ from, to, media, settings }: ConvertRequest): string[] {
  return [
    ...(from === 'pptx' ? ['slide-lists.lua', 'slide-formats.lua'] : []),
    ...titleFilters(from, to, settings.standalone === true),
    ...(media === 'drop' ? ['drop-images.lua'] : []),
    ...(media === 'drop' && to === 'gfm' ? ['drop-wrappers.lua'] : []),
    ...(to === 'pptx' ? ['unwrap.lua'] : []),
    ...(to === 'html' ? ['page-title.lua'] : []),
  ]
}

/** Pictures are in the document itself where both formats can hold them. */
function extractsMedia({ from, to, media }: ConvertRequest, isContainer: boolean): boolean {
  if (media === 'zip') return true
  const isPacked = isContainer || from === 'ipynb'
  return media === 'inline' && isPacked && !holdsImages(to)
}

function holdsImages(to: MarkupFormat): boolean {
  return describeFormat(to).isContainer === true || to === 'rtf' || to === 'ipynb'
}

async function runPandoc(
  settings: object,
  stdin: string | null,
  files: Record<string, Blob | string>,
): Promise<PandocOutput> {
  const pandoc = await openPandoc()
  let output: PandocOutput
  try {
    output = await pandoc.convert(settings, stdin, files)
  } catch (error) {
    dropPandoc()
    throw new Problem('DOC_PARSE_FAILED', { detail: String((error as Error).message).slice(0, 200) })
  }
  const failure = /^ERROR: ([\s\S]*)/m.exec(output.stderr)?.[1]
  if (failure !== undefined) throw new Problem('DOC_PARSE_FAILED', { detail: failure.trim().slice(0, 300) })
  return output
}

async function assemble(output: PandocOutput, request: ConvertRequest): Promise<Converted> {
  const { to, media } = request
  const isContainer = describeFormat(to).isContainer === true
  const warnings = collectWarnings(output.warnings)
  const images = Object.entries(output.mediaFiles)
  const written = isContainer ? output.files[OUTPUT] : undefined
  if (isContainer && !written) throw new Problem('DOC_PARSE_FAILED', { detail: 'the converter wrote nothing' })
  if (media === 'zip' && images.length > 0) {
    const content = written ? await toBytes(written) : Buffer.from(output.stdout)
    return {
      bytes: await zipTogether([{ name: request.name, bytes: content }, ...(await readImages(images))]),
      isZip: true,
      warnings,
    }
  }
  if (written) return { bytes: await toBytes(written), isZip: false, warnings }
  if (images.length === 0) return { bytes: Buffer.from(output.stdout), isZip: false, warnings }
  if (describeFormat(to).holdsDataUris)
    return { bytes: Buffer.from(await inlineImages(output.stdout, images)), isZip: false, warnings }
  warnings.push({
    code: 'MEDIA_DROPPED',
    message: `${to} cannot hold images; set options.media to zip to get these ${images.length} beside the text.`,
  })
  return { bytes: Buffer.from(output.stdout), isZip: false, warnings }
}

const readImages = (images: readonly [string, Blob][]): Promise<Part[]> =>
  Promise.all(images.map(async ([name, blob]) => ({ name, bytes: await toBytes(blob) })))

async function toBytes(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer())
}

const IMAGE_TYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  emf: 'image/emf',
  wmf: 'image/wmf',
}

/** The longest names first, because one name may begin another. */
async function inlineImages(text: string, images: readonly [string, Blob][]): Promise<string> {
  let inlined = text
  for (const [name, blob] of images.toSorted(([one], [other]) => other.length - one.length)) {
    const type = IMAGE_TYPES[name.split('.').at(-1)!.toLowerCase()] ?? 'application/octet-stream'
    const uri = `data:${type};base64,${Buffer.from(await toBytes(blob)).toString('base64')}`
    inlined = inlined.replaceAll(name, () => uri)
  }
  return inlined
}
