import { buildAnimationSamples } from './animations.ts'
import { buildArchiveSamples } from './archives.ts'
import { buildImageSamples } from './images.ts'
import type { Sample } from './kinds.ts'
import { buildMutants } from './mutations.ts'
import { buildPdfSamples } from './pdfs.ts'
import { buildTableSamples } from './tables.ts'
import { buildTextSamples } from './texts.ts'

/** Valid samples that broken ones are derived from. */
const MUTATED = new Set([
  'pdf/letter.pdf',
  'pdf/bookmarked.pdf',
  'pdf/object-streams.pdf',
  'pdf/restricted.pdf',
  'image/photo.jpg',
  'image/halves.png',
  'image/traffic.gif',
  'image/traffic.webp',
  'image/photo.avif',
  'image/photo.tiff',
  'image/photo.heic',
  'image/photo.jxl',
  'image/8-bits.bmp',
  'image/picture-inside.svg',
  'archive/good.zip',
  'archive/good.tar.gz',
  'table/good.csv',
  'json/rows.ndjson',
  'html/good.html',
])

/** Every file that the corpus builds itself; the random ones depend on the seed. */
export function buildSamples(seed: number): Sample[] {
  const builders = [
    buildPdfSamples,
    buildImageSamples,
    buildAnimationSamples,
    buildArchiveSamples,
    buildTableSamples,
    buildTextSamples,
  ]
  const all = builders.flatMap(build => build())
  return [
    ...all,
    ...buildMutants(
      all.filter(({ name }) => MUTATED.has(name)),
      seed,
    ),
  ]
}
