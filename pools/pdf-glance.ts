import { readFileSync } from 'node:fs'

/** Larger files go to the reader in the child: here a glance must not hold up the worker. */
const LARGEST_BYTES = 2 * 2 ** 20
const MOST_NODES = 5000
const DEEPEST = 32

/**
 * Counts the pages of a PDF that is as plain as can be: one classic table, nothing compressed, encrypted or updated,
 * no outline, names, form, layers or annotations. Of anything else it says nothing, and a real reader takes over.
 * Most of what a merge gets is that plain, and a glance costs a tenth of a reader.
 */
export function glance(path: string, sizeBytes: number): number | undefined {
  if (sizeBytes > LARGEST_BYTES) return undefined
  const text = readFileSync(path, 'latin1')
  const objects = objectsOf(text)
  const catalog = objects?.read(objects.root)
  if (!objects || !catalog || NEEDS_CARE.test(catalog)) return undefined
  const pages = referenceIn(catalog, 'Pages')
  return pages === undefined ? undefined : countPages(objects, pages)
}

/** Lists in lists in lists are not plain. */
const DEEP = /(?:\[\s*){16}|(?:<<\s*){16}/
const NEEDS_CARE = /#|\/(?:Outlines|Names|Dests|AcroForm|Perms|OCProperties|StructTreeRoot)\b/

interface Objects {
  root: number
  /** The dictionary of an object, as it is written. */
  read(number: number): string | undefined
}

function objectsOf(text: string): Objects | undefined {
  if (!text.startsWith('%PDF-') || DEEP.test(text)) return undefined
  const end = /startxref\s+(\d{1,10})\s+%%EOF\s*$/.exec(text.slice(-256))
  const offsets = end && offsetsAt(text, Number(end[1]))
  if (!offsets) return undefined
  const trailer = /^trailer\s*<<([\s\S]*?)>>\s*startxref/.exec(text.slice(offsets.end))?.[1]
  const root = trailer === undefined ? undefined : referenceIn(trailer, 'Root')
  if (root === undefined || /#|\/(?:Prev|XRefStm|Encrypt)\b/.test(trailer!)) return undefined
  return { root, read: number => dictionaryAt(text, number, offsets.places[number]) }
}

/** One table of one section, as a writer that starts afresh makes it. */
function offsetsAt(text: string, start: number): { places: number[]; end: number } | undefined {
  const head = /^xref\s+0 (\d{1,7})[ \r\n]+/.exec(text.slice(start, start + 40))
  if (!head) return undefined
  const places: number[] = []
  let at = start + head[0].length
  for (let number = 0; number < Number(head[1]); number += 1, at += 20) {
    const offset = Number(text.slice(at, at + 10))
    if (!Number.isInteger(offset) || text[at + 10] !== ' ') return undefined
    places.push(text[at + 17] === 'n' ? offset : 0)
  }
  return { places, end: at }
}

function dictionaryAt(text: string, number: number, offset: number | undefined): string | undefined {
  if (!offset) return undefined
  const head = `${number} 0 obj`
  if (!text.startsWith(head, offset)) return undefined
  const end = text.indexOf('endobj', offset)
  return end < 0 ? undefined : text.slice(offset + head.length, end)
}

function referenceIn(dictionary: string, name: string): number | undefined {
  const found = new RegExp(`/${name}\\s+(\\d{1,7}) 0 R`).exec(dictionary)
  return found ? Number(found[1]) : undefined
}

/** Walks the tree; nothing when any node is not plain, or says another count than is found below it. */
function countPages(objects: Objects, root: number): number | undefined {
  const seen = new Set<number>()
  const count = (node: number, depth: number): number => {
    const dictionary = objects.read(node) ?? MISSING
    const isTooFar = depth > DEEPEST || seen.has(node) || seen.size > MOST_NODES
    if (isTooFar || HIDES_MORE.test(dictionary)) return Number.NaN
    seen.add(node)
    if (/\/Type\s*\/Page\b/.test(dictionary)) return dictionary.trimEnd().endsWith('>>') ? 1 : Number.NaN
    const kids = kidsOf(dictionary)
    const found = kids.reduce((sum, child) => sum + count(child, depth + 1), 0)
    return found === Number(/\/Count\s+(\d{1,7})\b/.exec(dictionary)?.[1]) ? found : Number.NaN
  }
  return count(root, 0) || undefined
}

const MISSING = '#'
const HIDES_MORE = /#|\(|stream|\/Annots\b|\[\s*\[/

function kidsOf(dictionary: string): number[] {
  const kids = /\/Type\s*\/Pages\b/.test(dictionary) ? /\/Kids\s*\[([\d R\s]*)\]/.exec(dictionary)?.[1] : undefined
  return [...(kids ?? '').matchAll(/(\d+) 0 R/g)].map(([, number]) => Number(number))
}
