import { gzipSync } from 'node:zlib'
import type { InputFile, Tools } from '#kit'
import { isCompressed, readSvg } from '../../formats/svg/source.ts'

export const SVG_TYPE = 'image/svg+xml'

/** A drawing without what it does not need, compressed where it was; the input itself if that is no larger. */
export async function shortenSvg(
  file: InputFile,
  { keepsMetadata }: { keepsMetadata: boolean },
  { svgOptimizer }: Pick<Tools, 'svgOptimizer'>,
) {
  const original = await file.bytes()
  const text = await svgOptimizer.minify(await readSvg(original), { keepsMetadata })
  const isPacked = isCompressed(original)
  const optimized = isPacked ? gzipSync(text, { level: 9 }) : Buffer.from(text)
  const isSmaller = optimized.length < file.sizeBytes
  const bytes = isSmaller ? optimized : original
  const { width = 1, height = 1 } = file.facts
  const image = { width, height, format: 'svg' as const, pages: 1, hasAlpha: true }
  const output = { bytes, contentType: SVG_TYPE, name: `compressed.${isPacked ? 'svgz' : 'svg'}` }
  return { isSmaller, svg: { output, image, outputBytes: bytes.length } }
}
