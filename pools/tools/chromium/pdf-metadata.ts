import { appendFile, open, readFile } from 'node:fs/promises'
import { Problem } from '#kit'

/** The browser itself only sets the title, which it takes from the page. */
export interface PdfMetadata {
  title?: string
  author?: string
  subject?: string
  keywords?: string
  creator?: string
  language?: string
}

const TAIL_BYTES = 2048

/** Reads the largest count, which is that of the page tree's root. Chromium does not compress these objects. */
export async function countPages(path: string): Promise<number> {
  const text = (await readFile(path)).toString('latin1')
  const counts = [
    ...text.matchAll(/\/Type \/Pages\b[\s\S]{0,200}?\/Count (\d+)|\/Count (\d+)[\s\S]{0,200}?\/Type \/Pages\b/g),
  ]
  const count = Math.max(0, ...counts.map(([, one, other]) => Number(one ?? other)))
  if (count === 0) throw new Problem('HTML_RENDER_FAILED', { detail: 'the browser printed no page' })
  return count
}

/** Appends the caller's metadata as an incremental update. */
export async function addMetadata(path: string, metadata: PdfMetadata): Promise<void> {
  const file = await open(path)
  const { size } = await file.stat()
  const tail = (await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, Math.max(0, size - TAIL_BYTES))).buffer
  await file.close()
  const trailer = /trailer\s*<<([\s\S]*?)>>\s*startxref\s+(\d+)\s+%%EOF\s*\0*$/.exec(tail.toString('latin1'))
  const root = /\/Root (\d+) 0 R/.exec(trailer?.[1] ?? '')
  if (!trailer || !root) throw new Error('the PDF written by the browser has no trailer of the expected form')
  const { language, ...entries } = metadata
  const text = await readFile(path, 'latin1')
  const info = /\/Info (\d+) 0 R/.exec(trailer[1]!)
  const objects = new Map([[Number(info![1]), mergeInfo(findDictionary(text, Number(info![1])), entries)]])
  if (language) objects.set(Number(root[1]), setLanguage(findDictionary(text, Number(root[1])), language))
  await appendFile(path, buildUpdate(objects, size, trailer[1]!, Number(trailer[2])), 'latin1')
}

function findDictionary(text: string, number: number): string {
  const match = new RegExp(`(?:^|\\n)${number} 0 obj\\s*<<([\\s\\S]*?)>>\\s*endobj`).exec(text)
  return match?.[1] ?? ''
}

function mergeInfo(old: string, entries: Omit<PdfMetadata, 'language'>): string {
  const changed = Object.entries(entries).filter(([, value]) => value !== undefined)
  const names = changed.map(([name]) => name[0]!.toUpperCase() + name.slice(1))
  const unchanged = [...old.matchAll(/\/(\w+) (\((?:\\.|[^\\)])*\)|<[0-9A-Fa-f\s]*>)/gs)].filter(
    ([, name]) => !names.includes(name!),
  )
  const lines = [
    ...unchanged.map(([line]) => line),
    ...changed.map(([, value], index) => `/${names[index]} ${encodeUtf16(value!)}`),
  ]
  return lines.join('\n')
}

function setLanguage(old: string, language: string): string {
  return `${old.replace(/\/Lang (\([^)]*\)|<[^>]*>)/, '')}\n/Lang ${encodeUtf16(language)}`
}

function encodeUtf16(text: string): string {
  return `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`
}

function buildUpdate(objects: ReadonlyMap<number, string>, size: number, trailer: string, previous: number): string {
  let text = '\n'
  const tableEntries = [...objects].map(([number, content]) => {
    const offset = size + text.length
    text += `${number} 0 obj\n<<${content}>>\nendobj\n`
    return `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const tableOffset = size + text.length
  const dictionary = trailer.replace(/\/Prev \d+/, '').trim()
  return `${text}xref\n${tableEntries.join('')}trailer\n<<${dictionary}\n/Prev ${previous}>>\nstartxref\n${tableOffset}\n%%EOF\n`
}
