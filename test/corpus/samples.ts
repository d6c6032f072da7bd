import { archiveSamples } from './archive-samples.ts'
import { imageSamples } from './image-samples.ts'
import { movingSamples } from './moving-samples.ts'
import { mutantsOf } from './mutant-samples.ts'
import { pdfSamples } from './pdf-samples.ts'
import type { Sample } from './sample.ts'
import { tableSamples } from './table-samples.ts'
import { textSamples } from './text-samples.ts'

/** Good ones, of which broken ones are made. */
const TO_BREAK = new Set([
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

/** Every file the corpus makes by itself; those that chance has a hand in go by the seed. */
export function madeSamples(seed: number): Sample[] {
  const makers = [pdfSamples, imageSamples, movingSamples, archiveSamples, tableSamples, textSamples]
  const all = makers.flatMap(make => make())
  return [
    ...all,
    ...mutantsOf(
      all.filter(({ name }) => TO_BREAK.has(name)),
      seed,
    ),
  ]
}
