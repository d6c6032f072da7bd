import type { Tools } from '../../kit/operation.ts'
import { collectImages, encodeImages } from './image-pass.ts'
import type { ImageQuality } from './levels.ts'

type CompressTools = Pick<Tools, 'qpdf' | 'libpdf' | 'sharp' | 'poppler' | 'ghostscript'> & {
  out(name: string): string
}

type Step = 'metadata' | 'redraw' | 'images' | 'structure'

export interface Candidate {
  path: string
  sizeBytes: number
  method: Step[]
  imagesTouched: number
  isLinearized: boolean
}

interface CandidateOptions {
  pages: number
  qualities: readonly ImageQuality[]
  targetBytes?: number
  isLinearized: boolean
  /** Linearized files are longer; one as long as this is written without. */
  maxBytes: number
  /** Steps already done to the file. */
  method: readonly Step[]
}

/** Writes the document in each quality until the target is met, and returns the last attempt that got smaller. */
async function compressImages(path: string, options: CandidateOptions, tools: CompressTools): Promise<Candidate> {
  const { qualities, targetBytes, pages } = options
  const images = await collectImages(path, pages, tools)
  let best: Candidate | undefined
  for (const [step, quality] of qualities.entries()) {
    const stem = `${options.method.join('-')}-${step}`
    const encoded = await encodeImages(path, images, quality, { ...tools, to: tools.out(`${stem}-images.pdf`) })
    const candidate = await pack(encoded.path, { ...options, touched: encoded.touched, stem }, tools)
    if (!best || candidate.sizeBytes < best.sizeBytes) best = candidate
    if (targetBytes === undefined || best.sizeBytes <= targetBytes) break
  }
  return best!
}

async function pack(
  path: string,
  { isLinearized, maxBytes, touched, stem, method }: CandidateOptions & { touched: number; stem: string },
  { qpdf, out }: CompressTools,
): Promise<Candidate> {
  const steps = [...method, ...(touched > 0 ? (['images'] as const) : []), 'structure' as const]
  const write = async (linearize: boolean): Promise<Candidate> => {
    const packed = await qpdf.pack(path, { linearize, to: out(`${stem}${linearize ? '-linear' : ''}.pdf`) })
    const [sizeBytes] = await qpdf.fileSizes([packed])
    return { path: packed, sizeBytes: sizeBytes!, method: steps, imagesTouched: touched, isLinearized: linearize }
  }
  const linear = isLinearized ? await write(true) : undefined
  return linear && linear.sizeBytes < maxBytes ? linear : write(false)
}

/** Lets Ghostscript draw all pages anew and puts that drawing into the document, whose other parts stay. */
async function redrawPages(
  path: string,
  options: { gray: boolean },
  { libpdf, ghostscript, out }: CompressTools,
): Promise<string> {
  const expanded = await libpdf.expandUnicodeRanges(path, { to: out('expanded.pdf') })
  const drawn = await ghostscript.redraw(expanded ?? path, { ...options, to: out('drawn.pdf') })
  return libpdf.graftDrawing(path, drawn, { to: out('grafted.pdf') })
}

/** Whether two documents have the same text, apart from spaces. */
async function hasSameText(one: string, other: string, pages: number, { poppler }: CompressTools): Promise<boolean> {
  const texts: string[] = []
  for (const path of [one, other])
    texts.push(
      (await poppler.extractText(path, { first: 1, last: pages, layout: 'raw' })).join('').replaceAll(/\s/g, ''),
    )
  return texts[0] === texts[1]
}

export type Redraw = 'never' | 'if-smaller' | 'gray'

/** The smallest of the documents that look the same. */
export async function compressDocument(
  path: string,
  { redraw, ...options }: CandidateOptions & { redraw: Redraw },
  tools: CompressTools,
): Promise<Candidate> {
  const drawAnew = async () => {
    const redrawn = await redrawPages(path, { gray: redraw === 'gray' }, tools)
    return compressImages(redrawn, { ...options, method: [...options.method, 'redraw'] }, tools)
  }
  if (redraw === 'gray') return drawAnew()
  const kept = await compressImages(path, options, tools)
  if (redraw === 'never') return kept
  const other = await drawAnew()
  const isBetter = other.sizeBytes < kept.sizeBytes && (await hasSameText(path, other.path, options.pages, tools))
  return isBetter ? other : kept
}
