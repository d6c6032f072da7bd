import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import type { Family, Sample } from './sample.ts'

/** What a stored reference may be at most; larger ones would only test that limit. */
const LARGEST_BYTES = 50 * 2 ** 20

const BY_ENDING: Record<string, Family> = {
  ...endings('pdf', 'pdf'),
  ...endings('image', 'jpg jpeg png gif webp avif tif tiff heic heif bmp ico cur jxl jp2 j2k psd svg svgz apng'),
  ...endings('archive', 'zip tar gz tgz 7z rar jar docx xlsx pptx odt epub'),
  ...endings('table', 'csv tsv'),
  ...endings('json', 'json ndjson jsonl geojson'),
  ...endings('html', 'html htm xhtml'),
  ...endings('text', 'txt md rst log diff patch xml yaml yml tex'),
}

function endings(family: Family, words: string): Record<string, Family> {
  return Object.fromEntries(words.split(' ').map(word => [`.${word}`, family]))
}

/** Every file below a folder, in the order of names. A file by itself is a folder of one. */
export async function folderSamples(folder: string): Promise<Sample[]> {
  const paths = statSync(folder).isFile() ? [folder] : filesBelow(folder)
  const found: Sample[] = []
  for (const path of paths) {
    const bytes = () => readFileSync(path)
    const family = BY_ENDING[extname(path).toLowerCase()] ?? (await familyOf(bytes()))
    // Read anew each time: a public corpus is larger than the memory of who runs it.
    found.push({ name: `${family}/${relative(folder, path) || path}`, family, bytes: async () => bytes() })
  }
  return found
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && !join(entry.parentPath, entry.name).includes('/.git/'))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => statSync(path).size <= LARGEST_BYTES)
    .sort()
}

async function familyOf(bytes: Uint8Array): Promise<Family> {
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? ''
  if (type === 'application/pdf') return 'pdf'
  if (type.startsWith('image/')) return 'image'
  return /zip|tar|rar|7z/.test(type) ? 'archive' : 'other'
}
