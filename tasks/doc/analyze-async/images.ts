import type { InputFile, Warning } from '#kit'
import { Problem, type Tools } from '#kit'
import type { ArchiveMember } from '../../formats/archive/member.ts'
import { extractImages } from '../../formats/embedded-images/extract.ts'
import { describePart, imageKeyOf, selectImages, warnOfUnreadable } from '../../formats/embedded-images/selection.ts'
import { checkParts } from '../../formats/pdf/manifest.ts'

type ImageTools = Pick<Tools, 'libpdf' | 'pageRenderer' | 'poppler' | 'qpdf' | 'sharp'> & {
  out(name: string): string
}

type DocumentImage = Pick<
  ReturnType<typeof describePart>,
  'name' | 'path' | 'contentType' | 'page' | 'width' | 'height'
>

const MIN_SIDE = 16

/** The images that the pages of a PDF show, each once. An image file has none. Broken ones do not cost the analysis. */
export async function findImages(
  file: InputFile,
  pages: readonly number[],
  tools: ImageTools,
): Promise<{ images: DocumentImage[]; warnings: Warning[] }> {
  if (file.type !== 'application/pdf') return { images: [], warnings: [] }
  try {
    const span = { first: pages[0]!, last: pages.at(-1)! }
    const drawnImages = await tools.poppler.listImages(file.path, span)
    const selected = selectImages(drawnImages, { pages, minSide: MIN_SIDE, dedupe: true })
    checkParts(selected.length, true)
    const options = { selected, drawnImages, format: 'original' } as const
    const extracted = await extractImages(file.path, options, { ...tools, progress: () => undefined })
    const readable = selected.filter(image => extracted.has(imageKeyOf(image)))
    const images = readable.map((image, index) => {
      const { name, path, contentType, page, width, height } = describePart(
        image,
        extracted.get(imageKeyOf(image))!,
        index,
      )
      return { name: `images/${name}`, path, contentType, page, width, height }
    })
    return { images, warnings: warnOfUnreadable(selected.length - readable.length) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return {
      images: [],
      warnings: [{ code: 'IMAGES_UNREADABLE', message: `No images were taken out: ${error.message}` }],
    }
  }
}

/** The analysis, its Markdown if there is any, and the images. */
export async function packAnalysis(
  json: string,
  { markdown, images }: { markdown?: string; images: readonly DocumentImage[] },
  { zip, out }: Pick<Tools, 'zip'> & { out(name: string): string },
): Promise<string> {
  const members: ArchiveMember[] = [
    { name: 'analysis.json', bytes: Buffer.from(json), isStored: false },
    ...(markdown === undefined ? [] : [{ name: 'document.md', bytes: Buffer.from(markdown), isStored: false }]),
    ...images.map(({ path, name }) => ({ path, name, isStored: true })),
  ]
  const to = out('analysis.zip')
  await zip.write(members, { to, level: 6 })
  return to
}
