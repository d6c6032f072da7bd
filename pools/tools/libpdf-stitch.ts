import { readFile } from 'node:fs/promises'
import { PDF, type PdfRef } from '@libpdf/core'
import { Problem } from '#kit'
import { separateCopies } from './pdf-copies.ts'
import { addLayers } from './pdf-layers.ts'
import { readOutline, wrapInParts, writeOutline } from './pdf-outlines.ts'
import { padParts } from './pdf-padding.ts'
import { clearSignatures } from './pdf-signatures.ts'
import { writeTags } from './pdf-tags.ts'
import { moveLinks, type Part, writeNames } from './pdf-targets.ts'

export interface StitchPlan {
  bookmarks: 'keep' | 'per-file' | 'none'
  /** A part for each source: the pages taken from it, from 1, and where in the joined file they begin, from 0. */
  parts: PlannedPart[]
  padToEven: boolean
}

export interface PlannedPart {
  pages: readonly number[]
  start: number
  /** Where each page stands in the joined file, from 0, when not one after the other from `start`. */
  places?: readonly number[]
  title?: string
}

export interface Stitched {
  bytes?: Uint8Array
  path?: string
}

/** Gives a joined file what qpdf lost of all parts but the first: outlines, named targets, links forward, layers. */
export async function stitch([joinedFile, ...files]: string[], plan: StitchPlan): Promise<Stitched> {
  const { bookmarks, parts: plans } = plan
  const joined = await PDF.load(await readFile(joinedFile!))
  const resolve = (ref: PdfRef) => joined.getObject(ref)
  const parts = await Promise.all(files.map((file, index) => partOf(joined, file, plans[index]!)))
  const outlines = bookmarks === 'none' ? [] : parts.map(readOutline)
  writeOutline(joined, bookmarks === 'per-file' ? wrapInParts(parts, outlines) : outlines.flat())
  writeNames(joined, resolve, parts)
  for (const part of parts.slice(1)) {
    moveLinks(joined, resolve, part)
    addLayers(joined, resolve, part)
  }
  writeTags(joined, resolve, parts)
  separateCopies(joined, resolve)
  clearSignatures(joined, resolve)
  if (plan.padToEven)
    padParts(
      joined,
      resolve,
      plans.map(({ start, pages }) => ({ start, pages: pages.length })),
    )
  return { bytes: await joined.save({ incremental: true }) }
}

/**
 * The same for several files that were each cut out of one source, which is read once. Gives what each becomes longer
 * by, one after the other.
 */
export async function stitchEach(
  [source, ...cuts]: string[],
  { parts }: { parts: PlannedPart[] },
): Promise<{ bytes: Uint8Array; sizes: number[] }> {
  const pdf = await PDF.load(await readFile(source!))
  const tails: Uint8Array[] = []
  for (const [index, file] of cuts.entries()) {
    const before = await readFile(file)
    const cut = await PDF.load(before)
    const resolve = (ref: PdfRef) => cut.getObject(ref)
    const part = placedIn(cut, pdf, parts[index]!)
    writeOutline(cut, readOutline(part))
    writeNames(cut, resolve, [part])
    writeTags(cut, resolve, [part])
    separateCopies(cut, resolve)
    clearSignatures(cut, resolve)
    const after = await cut.save({ incremental: true })
    tails.push(after.subarray(before.length))
  }
  return { bytes: Buffer.concat(tails), sizes: tails.map(({ length }) => length) }
}

export async function dropSignatures([file]: string[]): Promise<Stitched> {
  const pdf = await PDF.load(await readFile(file!))
  clearSignatures(pdf, ref => pdf.getObject(ref))
  return { bytes: await pdf.save({ incremental: true }) }
}

async function partOf(joined: PDF, file: string, plan: PlannedPart): Promise<Part> {
  return placedIn(joined, await PDF.load(await readFile(file)), plan)
}

function placedIn(joined: PDF, pdf: PDF, { pages, start, places, title }: PlannedPart): Part {
  const taken = pages.map((page, index) => ({
    from: page - 1,
    to: pageAt(joined, places?.[index] ?? start + index),
  }))
  const moved = new Map<number, PdfRef>()
  for (const { from, to } of taken) {
    const { objectNumber } = pageAt(pdf, from)
    if (!moved.has(objectNumber)) moved.set(objectNumber, to)
  }
  return { pdf, resolve: ref => pdf.getObject(ref), moved, taken, title }
}

/** Two readers may see different documents in one that is damaged. */
function pageAt(pdf: PDF, index: number): PdfRef {
  const page = pdf.getPage(index)
  if (!page) throw new Problem('PDF_PARSE_FAILED', { detail: `no page ${index + 1}` })
  return page.ref
}
