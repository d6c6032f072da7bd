import { open } from 'node:fs/promises'
import type { Warning } from '#kit'
import type { OpenArchive } from '../unzip/entry.ts'
import { openZip } from '../zip/reader.ts'

const MAX_BYTES = 64 * 2 ** 20
const BOX = 'text-box|custom-shape|rect|ellipse|circle|polygon|path|caption'
const BOXES = new RegExp(`<draw:(${BOX})[ >][\\s\\S]*?</draw:\\1>`, 'g')
const EDGES = /<style:((?:header|footer)(?:-left|-first)?)[ >][\s\S]*?<\/style:\1>/g
const TAGS = /<[^>]*>/g
const CHART = /application\/vnd\.oasis\.opendocument\.chart/
const COMMENT = /<office:annotation[ >]/

/** What the reader of OpenDocument texts passes over without a word. */
export async function findLeftOutOfOdt(path: string): Promise<Warning[]> {
  const file = await open(path)
  try {
    const archive = await openZip(file, (await file.stat()).size)
    const content = await readPart(archive, 'content.xml')
    const styles = await readPart(archive, 'styles.xml')
    const manifest = await readPart(archive, 'META-INF/manifest.xml')
    const found = [
      hasNestedTable(content) && 'Tables within tables are left out; /v1/pdf/from-office prints them.',
      CHART.test(manifest) && 'Charts are left out; /v1/pdf/from-office draws them.',
      hasEdges(styles) && 'The headers and footers of the pages are left out; /v1/pdf/from-office prints them.',
      COMMENT.test(content) && 'The comments are left out; /v1/pdf/from-office with comments=margin keeps them.',
      hasBox(content) && 'The text of text boxes and shapes is left out; /v1/pdf/from-office prints it.',
    ]
    return found.filter(message => message !== false).map(message => ({ code: 'CONTENT_SKIPPED', message }))
  } catch {
    // The reader itself tells what is wrong with a broken file.
    return []
  } finally {
    await file.close()
  }
}

function hasNestedTable(content: string): boolean {
  let depth = 0
  for (const [tag] of content.matchAll(/<table:table[ >]|<\/table:table>/g)) {
    depth += tag.startsWith('</') ? -1 : 1
    if (depth > 1) return true
  }
  return false
}

/** The number of a page is a field, whose text is not its own. */
function hasEdges(styles: string): boolean {
  return [...styles.matchAll(EDGES)].some(([edge]) => /[^\d\s]/.test(edge.replace(TAGS, '')))
}

/** A picture with its caption is in a box too, and is kept. */
function hasBox(content: string): boolean {
  return [...content.matchAll(BOXES)].some(
    ([box]) => !box.includes('<draw:image') && box.replace(TAGS, '').trim() !== '',
  )
}

async function readPart(archive: OpenArchive, name: string): Promise<string> {
  const index = archive.entries.findIndex(entry => entry.name === name)
  if (index < 0) return ''
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of archive.read(index, undefined)) {
    chunks.push(Buffer.from(chunk as Uint8Array))
    sizeBytes += chunks.at(-1)!.length
    if (sizeBytes > MAX_BYTES) break
  }
  return Buffer.concat(chunks).toString('latin1')
}
