import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { bringIn, takeOut } from '../programs.ts'
import { ToolCrashed } from '../tool-crashed.ts'
import { isUnreadable, readWith } from './document-reader.ts'
import { rangeOf } from './qpdf.ts'

/** Pages as pictures, for our own eyes: drawn by poppler, as they are shown. */
export function bind(room: HostRoom) {
  return {
    /** Of these pages, those that look the same in both files. */
    alike: (one: string, other: string, pages: readonly number[]) => alike(room, one, other, pages),
    /** A picture in colour of each of these pages, without what lies on them as notes or fields. */
    draw: (path: string, pages: readonly number[], { dpi, stem }: { dpi: number; stem: string }) =>
      shots(room, path, { pages, stem, how: ['-png', '-hide-annotations', '-r', `${dpi}`] }),
  }
}

const GLANCE_DPI = '36'
const MEMORY_MB = 3072

async function alike(room: HostRoom, one: string, other: string, pages: readonly number[]): Promise<number[]> {
  const how = ['-gray', '-r', GLANCE_DPI]
  const first = await shots(room, one, { pages, stem: 'one', how })
  const second = await shots(room, other, { pages, stem: 'other', how })
  const same: number[] = []
  for (const page of pages) {
    const files = [first.get(page)!, second.get(page)!]
    const [a, b] = await Promise.all(files.map(file => readFile(file)))
    if (a!.equals(b!)) same.push(page)
    await Promise.all(files.map(file => rm(file)))
  }
  return same
}

interface Shooting {
  pages: readonly number[]
  stem: string
  how: readonly string[]
}

async function shots(room: HostRoom, path: string, { pages, stem, how }: Shooting): Promise<Map<number, string>> {
  const name = await bringIn(room, path)
  for (const span of rangeOf([...pages].sort((a, b) => a - b)).split(',')) {
    const [first, last = first] = span.split('-') as [string, string?]
    const args = [...how, '-cropbox', '-f', first, '-l', last, name, `./${stem}`]
    const options = { readOnly: [basename(name)], memoryMb: MEMORY_MB }
    const { code, stderr } = await readWith(room, 'pdftoppm', args, options)
    if (isUnreadable({ code, stderr })) throw new Problem('PDF_PARSE_FAILED')
    if (code !== 0) throw new ToolCrashed('pdftoppm', `exit code ${code} ${stderr.slice(0, 500)}`)
  }
  const drawn = new Map<number, string>()
  for (const file of await readdir(room.folder)) {
    const number = new RegExp(`^${stem}-0*(\\d+)\\.p[gn][mg]$`).exec(file)?.[1]
    if (number) drawn.set(Number(number), await takeOut(room, join(room.folder, file), 'pdftoppm'))
  }
  if (pages.some(page => !drawn.has(page))) throw new Problem('PDF_PARSE_FAILED', { detail: 'a page cannot be drawn' })
  return drawn
}
