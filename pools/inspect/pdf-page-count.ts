import { readFileSync } from 'node:fs'

/** Larger files are left to the reader in a child process, because the count blocks the event loop of the worker. */
const MAX_BYTES = 2 * 2 ** 20
const MAX_NODES = 5000
const MAX_DEPTH = 32

/**
 * Counts the pages of a PDF of the simplest kind: one classic cross-reference table, nothing compressed, encrypted or
 * updated, no outline, names, form, layers or annotations. Returns nothing for any other, which needs a full reader.
 * Most inputs of a merge are that simple, and this count takes a tenth of the time of a reader.
 */
export function countSimplePages(path: string, sizeBytes: number): number | undefined {
  if (sizeBytes > MAX_BYTES) return undefined
  const text = readFileSync(path, 'latin1')
  const objects = readObjects(text)
  const catalog = objects?.read(objects.root)
  if (!objects || !catalog || NEEDS_READER.test(catalog)) return undefined
  const pages = findReference(catalog, 'Pages')
  return pages === undefined ? undefined : countPages(objects, pages)
}

/** Deeply nested arrays or dictionaries are not simple. */
const DEEPLY_NESTED = /(?:\[\s*){16}|(?:<<\s*){16}/
const NEEDS_READER = /#|\/(?:Outlines|Names|Dests|AcroForm|Perms|OCProperties|StructTreeRoot)\b/

interface Objects {
  root: number
  /** The source text of the dictionary of an object. */
  read(number: number): string | undefined
}

function readObjects(text: string): Objects | undefined {
  if (!text.startsWith('%PDF-') || DEEPLY_NESTED.test(text)) return undefined
  const end = /startxref\s+(\d{1,10})\s+%%EOF\s*$/.exec(text.slice(-256))
  const table = end && readCrossReferences(text, Number(end[1]))
  if (!table) return undefined
  const trailer = /^trailer\s*<<([\s\S]*?)>>\s*startxref/.exec(text.slice(table.end))?.[1]
  const root = trailer === undefined ? undefined : findReference(trailer, 'Root')
  if (root === undefined || !/\/Size\s/.test(trailer!) || /#|\/(?:Prev|XRefStm|Encrypt)\b/.test(trailer!))
    return undefined
  return { root, read: number => readDictionary(text, number, table.offsets[number]) }
}

/** Reads a table of one section, as in a document that was never updated. */
function readCrossReferences(text: string, start: number): { offsets: number[]; end: number } | undefined {
  const head = /^xref\s+0 (\d{1,7})[ \r\n]+/.exec(text.slice(start, start + 40))
  if (!head) return undefined
  const offsets: number[] = []
  let at = start + head[0].length
  for (let number = 0; number < Number(head[1]); number += 1, at += 20) {
    const offset = Number(text.slice(at, at + 10))
    if (!Number.isInteger(offset) || text[at + 10] !== ' ') return undefined
    offsets.push(text[at + 17] === 'n' ? offset : 0)
  }
  return { offsets, end: at }
}

function readDictionary(text: string, number: number, offset: number | undefined): string | undefined {
  if (!offset) return undefined
  const head = `${number} 0 obj`
  if (!text.startsWith(head, offset)) return undefined
  const end = text.indexOf('endobj', offset)
  return end < 0 ? undefined : text.slice(offset + head.length, end)
}

function findReference(dictionary: string, name: string): number | undefined {
  const found = new RegExp(`/${name}\\s+(\\d{1,7}) 0 R`).exec(dictionary)
  return found ? Number(found[1]) : undefined
}

/** Returns nothing if a node of the tree is not simple or its count differs from the pages below it. */
function countPages(objects: Objects, root: number): number | undefined {
  const seen = new Set<number>()
  const count = (node: number, depth: number): number => {
    const dictionary = objects.read(node) ?? MISSING
    const isOverLimit = depth > MAX_DEPTH || seen.has(node) || seen.size > MAX_NODES
    if (isOverLimit || NOT_SIMPLE.test(dictionary)) return Number.NaN
    seen.add(node)
    if (/\/Type\s*\/Page\b/.test(dictionary)) return dictionary.trimEnd().endsWith('>>') ? 1 : Number.NaN
    const kids = listKids(dictionary)
    const pages = kids.reduce((sum, child) => sum + count(child, depth + 1), 0)
    return pages === Number(/\/Count\s+(\d{1,7})\b/.exec(dictionary)?.[1]) ? pages : Number.NaN
  }
  return count(root, 0) || undefined
}

const MISSING = '#'
/** Pages that are written into the list of their parent are no objects of their own. */
const NOT_SIMPLE = /#|\(|stream|\/Annots\b|\[\s*\[|\/Kids\s*\[[^\]]*<</

function listKids(dictionary: string): number[] {
  const kids = /\/Type\s*\/Pages\b/.test(dictionary) ? /\/Kids\s*\[([\d R\s]*)\]/.exec(dictionary)?.[1] : undefined
  return [...(kids ?? '').matchAll(/(\d+) 0 R/g)].map(([, number]) => Number(number))
}
