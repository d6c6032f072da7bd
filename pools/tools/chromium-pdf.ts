import { appendFile, open, readFile } from 'node:fs/promises'
import { Problem } from '#kit'

/** What the document says of itself; the browser takes nothing but the title, and that from the page. */
export interface PdfMetadata {
  title?: string
  author?: string
  subject?: string
  keywords?: string
  creator?: string
  language?: string
}

const TAIL_BYTES = 2048

/** The browser writes one plain table and one tree of pages, its root the only object that counts them all. */
export async function pageCountOf(path: string): Promise<number> {
  const text = (await readFile(path)).toString('latin1')
  const counts = [
    ...text.matchAll(/\/Type \/Pages\b[\s\S]{0,200}?\/Count (\d+)|\/Count (\d+)[\s\S]{0,200}?\/Type \/Pages\b/g),
  ]
  const most = Math.max(0, ...counts.map(([, one, other]) => Number(one ?? other)))
  if (most === 0) throw new Problem('HTML_RENDER_FAILED', { detail: 'the browser printed no page' })
  return most
}

/** Adds what the caller says of the document after its end, as an update. */
export async function addMetadata(path: string, metadata: PdfMetadata): Promise<void> {
  const file = await open(path)
  const { size } = await file.stat()
  const tail = (await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, Math.max(0, size - TAIL_BYTES))).buffer
  await file.close()
  const trailer = /trailer\s*<<([\s\S]*?)>>\s*startxref\s+(\d+)\s+%%EOF\s*\0*$/.exec(tail.toString('latin1'))
  const root = /\/Root (\d+) 0 R/.exec(trailer?.[1] ?? '')
  if (!trailer || !root) throw new Error('the browser wrote a PDF of another form')
  const { language, ...said } = metadata
  const text = await readFile(path, 'latin1')
  const info = /\/Info (\d+) 0 R/.exec(trailer[1]!)
  const objects = new Map([[Number(info![1]), infoOf(dictionaryOf(text, Number(info![1])), said)]])
  if (language) objects.set(Number(root[1]), withLanguage(dictionaryOf(text, Number(root[1])), language))
  await appendFile(path, updateOf(objects, size, trailer[1]!, Number(trailer[2])), 'latin1')
}

function dictionaryOf(text: string, number: number): string {
  const found = new RegExp(`(?:^|\\n)${number} 0 obj\\s*<<([\\s\\S]*?)>>\\s*endobj`).exec(text)
  return found?.[1] ?? ''
}

function infoOf(old: string, said: Omit<PdfMetadata, 'language'>): string {
  const named = Object.entries(said).filter(([, value]) => value !== undefined)
  const names = named.map(([name]) => name[0]!.toUpperCase() + name.slice(1))
  const kept = [...old.matchAll(/\/(\w+) (\((?:\\.|[^\\)])*\)|<[0-9A-Fa-f\s]*>)/gs)].filter(
    ([, name]) => !names.includes(name!),
  )
  const lines = [...kept.map(([line]) => line), ...named.map(([, value], index) => `/${names[index]} ${utf16(value!)}`)]
  return lines.join('\n')
}

function withLanguage(old: string, language: string): string {
  return `${old.replace(/\/Lang (\([^)]*\)|<[^>]*>)/, '')}\n/Lang ${utf16(language)}`
}

function utf16(text: string): string {
  return `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`
}

function updateOf(objects: ReadonlyMap<number, string>, size: number, trailer: string, previous: number): string {
  let text = '\n'
  const places = [...objects].map(([number, dictionary]) => {
    const place = size + text.length
    text += `${number} 0 obj\n<<${dictionary}>>\nendobj\n`
    return `${number} 1\n${String(place).padStart(10, '0')} 00000 n \n`
  })
  const start = size + text.length
  const head = trailer.replace(/\/Prev \d+/, '').trim()
  return `${text}xref\n${places.join('')}trailer\n<<${head}\n/Prev ${previous}>>\nstartxref\n${start}\n%%EOF\n`
}
