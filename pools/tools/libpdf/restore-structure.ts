import { readFile } from 'node:fs/promises'
import { PDF, type PdfRef } from '@libpdf/core'
import { Problem } from '#kit'
import type { PageSource } from '../../../tasks/formats/pdf/carry-over.ts'
import { separateCopies } from './pages/copies.ts'
import { padParts } from './pages/padding.ts'
import { moveLinks, type SourcePart, writeNamedTargets } from './structure/destinations.ts'
import { numberUnlabelled } from './structure/labels.ts'
import { addLayers } from './structure/layers.ts'
import { readOutline, wrapInParts, writeOutline } from './structure/outlines.ts'
import { clearSignatures } from './structure/signatures.ts'
import { writeTags } from './structure/tags.ts'

export interface RestorePlan {
  bookmarks: 'keep' | 'per-file' | 'none'
  /** One part per source file, in the order of the files. */
  parts: readonly PartPlan[]
  padToEven: boolean
}

type PartPlan = Omit<PageSource, 'path'>

/** qpdf joins pages but keeps outlines, named targets, links to later pages and layers of the first file only. */
export async function restoreStructure(
  [joinedFile, ...files]: string[],
  plan: RestorePlan,
): Promise<{ bytes: Uint8Array }> {
  const { bookmarks, parts: plans } = plan
  const joined = await PDF.load(await readFile(joinedFile!))
  const resolve = (ref: PdfRef) => joined.getObject(ref)
  const parts = await Promise.all(files.map((file, index) => loadPart(joined, file, plans[index]!)))
  const outlines = bookmarks === 'none' ? [] : parts.map(readOutline)
  writeOutline(joined, bookmarks === 'per-file' ? wrapInParts(parts, outlines) : outlines.flat())
  writeNamedTargets(joined, resolve, parts)
  for (const part of parts) moveLinks(joined, resolve, part)
  for (const part of parts.slice(1)) addLayers(joined, resolve, part)
  writeTags(joined, resolve, parts)
  separateCopies(joined, resolve)
  clearSignatures(joined, resolve)
  numberUnlabelled(
    joined,
    resolve,
    plans.map((part, index) => ({ source: parts[index]!, pages: part.pages, positions: listPositions(part) })),
  )
  if (plan.padToEven)
    padParts(
      joined,
      resolve,
      plans.map(({ start, pages }) => ({ start, pages: pages.length })),
    )
  return { bytes: await joined.save({ incremental: true }) }
}

/**
 * Does the same for several files that were all extracted from one source, which is parsed once. Returns the
 * incremental updates to append to each file, joined, with the size of each.
 */
export async function restoreStructureEach(
  [source, ...extracts]: string[],
  { parts }: { parts: readonly PartPlan[] },
): Promise<{ bytes: Uint8Array; sizes: number[] }> {
  const pdf = await PDF.load(await readFile(source!))
  const updates: Uint8Array[] = []
  for (const [index, file] of extracts.entries()) {
    const before = await readFile(file)
    const extract = await PDF.load(before)
    const resolve = (ref: PdfRef) => extract.getObject(ref)
    const part = mapPart(extract, pdf, parts[index]!)
    writeOutline(extract, readOutline(part))
    writeNamedTargets(extract, resolve, [part])
    moveLinks(extract, resolve, part)
    writeTags(extract, resolve, [part])
    separateCopies(extract, resolve)
    clearSignatures(extract, resolve)
    const after = await extract.save({ incremental: true })
    updates.push(after.subarray(before.length))
  }
  return { bytes: Buffer.concat(updates), sizes: updates.map(({ length }) => length) }
}

export async function dropSignatures([file]: string[]): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  clearSignatures(pdf, ref => pdf.getObject(ref))
  return { bytes: await pdf.save({ incremental: true }) }
}

async function loadPart(joined: PDF, file: string, plan: PartPlan): Promise<SourcePart> {
  return mapPart(joined, await PDF.load(await readFile(file)), plan)
}

function listPositions({ pages, start, positions }: PartPlan): number[] {
  return pages.map((_, index) => positions?.[index] ?? start + index)
}

function mapPart(joined: PDF, pdf: PDF, plan: PartPlan): SourcePart {
  const { pages, title } = plan
  const positions = listPositions(plan)
  const takenPages = pages.map((page, index) => ({ from: page - 1, to: pageRefAt(joined, positions[index]!) }))
  const movedPages = new Map<number, PdfRef>()
  for (const { from, to } of takenPages) {
    const { objectNumber } = pageRefAt(pdf, from)
    if (!movedPages.has(objectNumber)) movedPages.set(objectNumber, to)
  }
  return { pdf, resolve: ref => pdf.getObject(ref), movedPages, takenPages, title }
}

/** libpdf may find fewer pages than qpdf in a damaged document. */
function pageRefAt(pdf: PDF, index: number): PdfRef {
  const page = pdf.getPage(index)
  if (!page) throw new Problem('PDF_PARSE_FAILED', { detail: `no page ${index + 1}` })
  return page.ref
}
