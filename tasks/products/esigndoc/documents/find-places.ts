import type { Tools } from '#kit'
import type { FoundPlace, FoundPlaces, PageGeometry, PlaceSearch } from '../document.ts'
import { findAnchor, findAutomatic } from './anchors.ts'
import { describeText, type OpenedDocument } from './inspect.ts'
import { placeAtAnchor, placeOnLabel, placeOnTag, toArea } from './place.ts'
import { appendPlaces } from './signature-block.ts'
import { listTags, readTag, TAG } from './tags.ts'
import type { FoundText, SearchedDocument } from './text-index.ts'

type PlacingTools = Pick<Tools, 'libpdf' | 'poppler' | 'qpdf'> & { out(name: string): string }

type Found = Pick<FoundPlaces, 'places' | 'missing'> & {
  changed: { file: number; path: string; pages: PageGeometry[] }[]
}

/** Finds where fields belong, and removes the tags that said so. */
export async function findPlaces(
  documents: readonly OpenedDocument[],
  search: PlaceSearch,
  tools: PlacingTools,
): Promise<Found> {
  const searched: SearchedDocument[] = []
  for (const [file, { path, pages }] of documents.entries()) {
    const texts = await tools.poppler.readTextBoxes(path, { first: 1, last: pages.length })
    const geometries = pages.map((page, index) => {
      const lines = texts[index]?.lines ?? []
      return { ...page, ...describeText(lines.map(({ text }) => text)) }
    })
    searched.push({ path, file, geometries, pages: texts })
  }
  const tags = search.tags ? await Promise.all(searched.map(one => findTags(one, tools))) : []
  const anchored = search.anchors.map(({ id, search: anchor }) => ({ id, anchor, found: findInAll(searched, anchor) }))
  const places = [
    ...tags.flatMap(({ places }) => places),
    ...anchored.flatMap(({ id, anchor, found }) => found.map(one => placeAnchor(one, id, anchor))),
  ]
  const automatic = search.automatic && places.length === 0 ? searched.flatMap(placeAutomatically) : []
  const removals = [
    ...tags.flatMap(({ file, texts }) => texts.map(text => ({ file, text }))),
    ...anchored.flatMap(({ anchor, found }) =>
      anchor.remove ? found.map(({ file, text }) => ({ file: file.file, text })) : [],
    ),
  ]
  const cleaned = await removeTexts(searched, removals, tools)
  const all = [...places, ...automatic]
  const missing = anchored.flatMap(({ id, anchor, found }) => (found.length === 0 ? [{ id, text: anchor.text }] : []))
  if (all.length > 0 || !search.fallback) return { places: all, missing, changed: cleaned }
  const appended = await appendPlaces(searched.at(-1)!, search.fallback, tools)
  return { places: appended.places, missing, changed: [appended.changed] }
}

async function findTags({ path, file, geometries, pages }: SearchedDocument, { libpdf }: PlacingTools) {
  const texts = listTags(await libpdf.locateTexts(path, TAG), pages).filter(({ text }) => readTag(text))
  const places = texts.flatMap((found): FoundPlace[] => {
    const tag = readTag(found.text)
    const geometry = geometries[found.page - 1]
    if (!tag || !geometry) return []
    const { size, ...field } = tag
    const area = toArea(file, found.page, placeOnTag(found, size, geometry), geometry)
    return [{ ...area, from: 'tag', ...field, text: found.text }]
  })
  return { file, texts, places }
}

interface FoundInFile {
  file: SearchedDocument
  text: FoundText
}

/** Files count as one document, unless one is named: the last occurrence is that of the last file that has one. */
function findInAll(
  searched: readonly SearchedDocument[],
  anchor: PlaceSearch['anchors'][number]['search'],
): FoundInFile[] {
  const wanted = anchor.file === undefined ? searched : searched.filter(({ file }) => file === anchor.file)
  const everywhere = wanted.flatMap(file =>
    findAnchor({ ...anchor, occurrence: 'all' }, file.pages).map(text => ({ file, text })),
  )
  if (anchor.occurrence === 'all') return everywhere
  const { occurrence } = anchor
  const one = occurrence === 'last' ? everywhere.at(-1) : everywhere[occurrence === 'first' ? 0 : occurrence - 1]
  return one ? [one] : []
}

function placeAnchor(
  { file: { geometries, file }, text }: FoundInFile,
  anchorId: string,
  anchor: PlaceSearch['anchors'][number]['search'],
): FoundPlace {
  const geometry = geometries[text.page - 1]!
  const area = toArea(file, text.page, placeAtAnchor(text, anchor, geometry), geometry)
  return { ...area, from: 'anchor', anchorId, type: 'signature', text: text.text }
}

/** Signatures are those of one signer after the other; a date belongs to the signature nearest above or beside it. */
function placeAutomatically({ file, geometries, pages }: SearchedDocument): FoundPlace[] {
  let signer = 0
  return findAutomatic(pages).map(found => {
    if (found.type === 'signature') signer += 1
    const geometry = geometries[found.page - 1]!
    const area = toArea(file, found.page, placeOnLabel(found, found.type, geometry), geometry)
    return { ...area, from: 'automatic', type: found.type, recipient: Math.max(1, signer), text: found.text.trim() }
  })
}

/** Takes the texts out of the content of the pages and rewrites the files, so that nothing of them is left. */
async function removeTexts(
  searched: readonly SearchedDocument[],
  removals: readonly { file: number; text: FoundText }[],
  { libpdf, qpdf, out }: PlacingTools,
): Promise<Found['changed']> {
  const changed: Found['changed'] = []
  for (const { path: from, file, geometries } of searched) {
    const regions = removals.filter(one => one.file === file).map(({ text: { page, box } }) => ({ page, box }))
    if (regions.length === 0) continue
    const options = { regions, terms: NO_TERMS, coveredTexts: [], removeMetadata: false, removeAttachments: false }
    const cut = await libpdf.redact(from, { ...options, rasterPages: [], to: out(`cut-${file}.pdf`) })
    const path = await qpdf.rewrite(cut.path, { to: out(`placed-${file}.pdf`) })
    changed.push({ file, path, pages: geometries })
  }
  return changed
}

const NO_TERMS = { texts: [], patterns: [], caseSensitive: true, wholeWords: false }
