import { type InputFile, Problem, type Tools } from '#kit'
import { openForSigning } from './inspect.ts'

type RenderingTools = Pick<Tools, 'libpdf' | 'pageRenderer' | 'qpdf' | 'sharp'> & { out(name: string): string }

/** One page as an image for the person who signs it, `width` pixels wide. */
export async function renderPage(
  file: InputFile,
  page: number,
  width: number,
  { pageRenderer, sharp, ...tools }: RenderingTools,
): Promise<{ path: string; width: number; height: number }> {
  const { path, pages } = await openForSigning(file, 'document', tools)
  const geometry = pages[page - 1]
  if (!geometry) throw new Problem('BAD_RANGE', { field: 'page', pages: pages.length })
  const height = Math.min(MAX_HEIGHT, Math.max(1, Math.round((geometry.height * width) / geometry.width)))
  const options = { box: 'crop', isTransparent: false } as const
  const [rendering] = await pageRenderer.render(path, [{ page, width, height }], options)
  const encoding = { format: 'webp', quality: QUALITY, background: '#ffffff', grayscale: false } as const
  const dpi = Math.max(1, (width / geometry.width) * 72)
  const to = tools.out(`page-${page}.webp`)
  return { path: await sharp.encodePage(rendering!, { ...encoding, dpi, to }), width, height }
}

const QUALITY = 80
/** A page that is a narrow strip would be too high for an image of this format. */
const MAX_HEIGHT = 16_000
