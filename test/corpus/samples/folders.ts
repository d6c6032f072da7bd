import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import type { Family, Sample } from './kinds.ts'

/** The limit of stored inputs; larger samples would only test that limit. */
const MAX_SAMPLE_BYTES = 50 * 2 ** 20

const FAMILY_BY_EXTENSION: Record<string, Family> = {
  ...mapExtensions('pdf', 'pdf'),
  ...mapExtensions('image', 'jpg jpeg png gif webp avif tif tiff heic heif bmp ico cur jxl jp2 j2k psd svg svgz apng'),
  ...mapExtensions('archive', 'zip tar gz tgz 7z rar jar docx xlsx pptx odt epub'),
  ...mapExtensions('table', 'csv tsv'),
  ...mapExtensions('json', 'json ndjson jsonl geojson'),
  ...mapExtensions('html', 'html htm xhtml'),
  ...mapExtensions('text', 'txt md rst log diff patch xml yaml yml tex'),
}

function mapExtensions(family: Family, extensions: string): Record<string, Family> {
  return Object.fromEntries(extensions.split(' ').map(extension => [`.${extension}`, family]))
}

/** Every file below a folder, sorted by path. A path to a file gives that file alone. */
export async function readFolderSamples(folder: string): Promise<Sample[]> {
  const paths = statSync(folder).isFile() ? [folder] : listFiles(folder)
  const samples: Sample[] = []
  for (const path of paths) {
    const bytes = () => readFileSync(path)
    const family = FAMILY_BY_EXTENSION[extname(path).toLowerCase()] ?? (await detectFamily(bytes()))
    // Read again each time, because a public corpus does not fit in memory.
    samples.push({ name: `${family}/${relative(folder, path) || path}`, family, bytes: async () => bytes() })
  }
  return samples
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && !join(entry.parentPath, entry.name).includes('/.git/'))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => statSync(path).size <= MAX_SAMPLE_BYTES)
    .sort()
}

async function detectFamily(bytes: Uint8Array): Promise<Family> {
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? ''
  if (type === 'application/pdf') return 'pdf'
  if (type.startsWith('image/')) return 'image'
  return /zip|tar|rar|7z/.test(type) ? 'archive' : 'other'
}
