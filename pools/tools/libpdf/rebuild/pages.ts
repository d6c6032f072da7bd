import { readFile } from 'node:fs/promises'
import { type FoundObject, findObjects } from './objects.ts'
import { findValue, listReferences, setValue } from './values.ts'

interface RebuiltDocument {
  bytes?: Uint8Array
  /** Pages whose content is there. */
  pages: number
  /** As the damaged document states it. */
  pagesDeclared?: number
}

type Objects = Map<number, FoundObject>

const MAX_DEPTH = 64
const INHERITED = ['MediaBox', 'CropBox', 'Rotate', 'Resources']
const DEFAULT_BOX = '[0 0 612 792]'

/**
 * Writes a new page tree and a new table over the objects that are found in the file, for a document that has lost its
 * own. Streams are copied as they are. Pages whose content is lost are left out.
 */
export async function rebuildPages([file]: string[]): Promise<RebuiltDocument> {
  const text = (await readFile(file!)).toString('latin1')
  const objects = findObjects(text)
  const trees = [...objects.values()].filter(({ body }) => isOfType(body, 'Pages'))
  const counts = trees.map(({ body }) => Number(findValue(body, 'Count') ?? 0)).filter(Number.isSafeInteger)
  const linearizedPages = Number(/\/Linearized\b[^>]*?\/N\s+(\d+)/.exec(text.slice(0, 2048))?.[1] ?? 0)
  const pagesDeclared = Math.max(0, linearizedPages, ...counts) || undefined
  const pages = listPages(objects).filter(page => hasContent(page, objects))
  if (pages.length === 0) return { pages: 0, pagesDeclared }
  const root = Math.max(...objects.keys()) + 1
  for (const page of pages) objects.set(page.number, { ...page, body: adoptPage(page.body, root, objects) })
  const kids = pages.map(({ number, generation }) => `${number} ${generation} R`).join(' ')
  objects.set(root, createObject(root, `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`))
  const catalog = findCatalog(objects, root)
  objects.set(catalog.number, catalog)
  const bytes = writeFile(objects, `/Root ${catalog.number} ${catalog.generation} R ${findTrailerEntries(text)}`)
  return { bytes, pages: pages.length, pagesDeclared }
}

function createObject(number: number, body: string): FoundObject {
  return { number, generation: 0, body }
}

function isOfType(body: string, type: string): boolean {
  return /^\s*<</.test(body) && findValue(body, 'Type') === `/${type}`
}

/** In the order of the page trees that are left; pages of no tree follow in the order of the file. */
function listPages(objects: Objects): FoundObject[] {
  const listed = new Map<number, FoundObject>()
  const visit = (number: number, depth: number, seen: Set<number>): void => {
    const object = objects.get(number)
    if (!object || depth > MAX_DEPTH || seen.has(number)) return
    seen.add(number)
    if (isOfType(object.body, 'Page')) listed.set(number, object)
    else for (const kid of listReferences(findValue(object.body, 'Kids'))) visit(kid, depth + 1, seen)
  }
  const trees = [...objects.values()].filter(({ body }) => isOfType(body, 'Pages'))
  const isRoot = ({ body }: FoundObject) => !objects.has(listReferences(findValue(body, 'Parent'))[0] ?? -1)
  const seen = new Set<number>()
  for (const tree of trees.filter(isRoot)) visit(tree.number, 0, seen)
  for (const object of objects.values()) if (isOfType(object.body, 'Page')) listed.set(object.number, object)
  return [...listed.values()]
}

function hasContent({ body }: FoundObject, objects: Objects): boolean {
  const contents = findValue(body, 'Contents')
  const parts = listReferences(contents).flatMap(number => {
    const part = objects.get(number)
    return part && /^\s*\[/.test(part.body) ? listReferences(part.body) : [number]
  })
  return parts.length === 0 || parts.some(number => objects.has(number))
}

/** Puts a page under the new tree. What it inherited from the old one it now has itself. */
function adoptPage(body: string, root: number, objects: Objects): string {
  let page = body
  for (const key of INHERITED) {
    const value = findInherited(body, key, objects) ?? (key === 'MediaBox' ? DEFAULT_BOX : undefined)
    if (value !== undefined && findValue(page, key) === undefined) page = setValue(page, key, value)
  }
  return setValue(page, 'Parent', `${root} 0 R`)
}

function findInherited(body: string, key: string, objects: Objects): string | undefined {
  let node: string | undefined = body
  for (let depth = 0; node !== undefined && depth < MAX_DEPTH; depth += 1) {
    const value = findValue(node, key)
    if (value !== undefined) return value
    node = objects.get(listReferences(findValue(node, 'Parent'))[0] ?? -1)?.body
  }
  return undefined
}

/** Bookmarks and the form are found by themselves if the catalog that named them is lost. */
function findCatalog(objects: Objects, root: number): FoundObject {
  const catalogs = [...objects.values()].filter(({ body }) => isOfType(body, 'Catalog'))
  const last = catalogs.at(-1)
  if (last) return { ...last, body: setValue(last.body, 'Pages', `${root} 0 R`) }
  const outlines = [...objects.values()].find(({ body }) => isOfType(body, 'Outlines'))
  const form = [...objects.values()].find(
    ({ body }) => /^\s*<</.test(body) && findValue(body, 'Fields') !== undefined && findValue(body, 'S') === undefined,
  )
  const entries = [outlines && `/Outlines ${outlines.number} 0 R`, form && `/AcroForm ${form.number} 0 R`]
  return createObject(root + 1, `<< /Type /Catalog /Pages ${root} 0 R ${entries.filter(Boolean).join(' ')} >>`)
}

/** The last references to the document's properties and encryption, from a trailer or the dictionary of a table. */
function findTrailerEntries(text: string): string {
  const info = [...text.matchAll(/\/Info\s+(\d{1,8}\s+\d{1,5}\s+R)\b/g)].at(-1)?.[1]
  const encrypt = [...text.matchAll(/\/Encrypt\s+(\d{1,8}\s+\d{1,5}\s+R)\b/g)].at(-1)?.[1]
  const id = [...text.matchAll(/\/ID\s*(\[\s*(?:<[0-9a-fA-F\s]*>\s*){2}\])/g)].at(-1)?.[1]
  const entries = [info && `/Info ${info}`, encrypt && `/Encrypt ${encrypt}`, id && `/ID ${id}`]
  return entries.filter(Boolean).join(' ')
}

function writeFile(objects: Objects, trailer: string): Buffer {
  const chunks = ['%PDF-1.7\n%\xe2\xe3\xcf\xd3\n']
  const rows: string[] = []
  let offset = chunks[0]!.length
  const kept = [...objects.values()].filter(({ body }) => !/^\s*<<[\s\S]{0,400}\/Type\s*\/(ObjStm|XRef)\b/.test(body))
  for (const { number, generation, body } of kept) {
    const source = `${number} ${generation} obj\n${body.trim()}\nendobj\n`
    const row = `${String(offset).padStart(10, '0')} ${String(generation).padStart(5, '0')} n \n`
    rows.push(`${number} 1\n${row}`)
    chunks.push(source)
    offset += source.length
  }
  const size = Math.max(...objects.keys()) + 1
  const table = `xref\n0 1\n0000000000 65535 f \n${rows.join('')}`
  chunks.push(`${table}trailer\n<< /Size ${size} ${trailer} >>\nstartxref\n${offset}\n%%EOF\n`)
  return Buffer.from(chunks.join(''), 'latin1')
}
