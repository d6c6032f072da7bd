import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import type { HostRoom } from '../job-room.ts'
import { unreadable } from './document-reader.ts'
import type { Inspection } from './libpdf-engine.ts'
import type { Stitched, StitchPlan } from './libpdf-stitch.ts'
import type { Attachment, GivenAttachment } from './pdf-attachments.ts'
import type { BookmarkNode, GivenNode } from './pdf-bookmarks.ts'
import type { DocumentFacts, NewMetadata } from './pdf-facts.ts'
import type { ObjectId, RawKind } from './pdf-pictures.ts'
import type { Sheet } from './pdf-sheets.ts'

export interface Source {
  path: string
  /** The pages taken from it, from 1. */
  pages: readonly number[]
  /** Where in the joined file they begin, from 0. */
  start: number
  places?: readonly number[]
  title?: string
}

/** The PDF object reader. It inflates without bounds, so that it lives in a watched child and not in a thread. */
export function bind(room: HostRoom) {
  const call = callerIn(room)
  return {
    inspect: (files: readonly string[]) => call<Inspection[]>('inspect', files, {}),
    /** Carries over what a join of pages by qpdf loses; the sources are the very files that were joined. */
    async stitch(joined: string, sources: readonly Source[], options: Omit<StitchPlan, 'parts'> & { to: string }) {
      const parts = sources.map(({ pages, start, places, title }) => ({ pages, start, places, title }))
      const { to, ...choices } = options
      const plan: StitchPlan = { ...choices, parts }
      return placed(await call<Stitched>('stitch', [joined, ...sources.map(({ path }) => path)], plan), to)
    },
    /** Cuts a document of nothing but pages into files; gives nothing where it has more than that. */
    async cut(path: string, parts: readonly { pages: readonly number[]; to: string }[]) {
      const pages = parts.map(part => part.pages)
      const made = await call<Stitched & { sizes?: number[] }>('cutPlain', [path], { pages })
      return made.sizes && parted(made, made.sizes, parts)
    },
    /** What `stitch` does, for files that were each cut out of one source; they are added to where they lie. */
    async stitchEach(source: string, cuts: readonly { path: string; pages: readonly number[] }[]) {
      for (let from = 0; from < cuts.length; from += CUTS_AT_ONCE) {
        const some = cuts.slice(from, from + CUTS_AT_ONCE)
        const parts = some.map(({ pages }) => ({ pages, start: 0 }))
        const files = [source, ...some.map(({ path }) => path)]
        const made = await call<Stitched & { sizes: number[] }>('stitchEach', files, { parts })
        await append(made.bytes ?? (await readFile(made.path!)), made.sizes, some)
        if (made.path) await rm(made.path)
      }
    },
    /** The outline as a tree; pages count from 1. */
    bookmarks: (path: string) => call<BookmarkNode[]>('bookmarks', [path], {}),
    async writeBookmarks(path: string, options: { nodes: readonly GivenNode[]; isAppending: boolean; to: string }) {
      const { to, ...plan } = options
      return placed(await call<Stitched>('writeBookmarks', [path], plan), to)
    },
    /** Takes away the claim to be PDF/A, where there is one. */
    async dropPdfaClaim(path: string, options: { to: string }) {
      const made = await call<Stitched>('dropPdfaClaim', [path], {})
      return made.bytes || made.path ? placed(made, options.to) : undefined
    },
    /** What a document says of itself; the original is the file as it came. */
    describe: (path: string, original: string) => call<DocumentFacts>('describe', [path, original], {}),
    async writeMetadata(path: string, options: NewMetadata & { to: string }) {
      const { to, ...plan } = options
      return placed(await call<Stitched>('writeMetadata', [path], plan), to)
    },
    async stripMetadata(path: string, options: { to: string }) {
      return placed(await call<Stitched>('stripMetadata', [path], {}), options.to)
    },
    attachments: (path: string) => call<Attachment[]>('attachments', [path], {}),
    /** Adds files, and tells whether a claim to be PDF/A had to go for them. */
    async addAttachments(
      path: string,
      files: readonly string[],
      options: { given: readonly GivenAttachment[]; now: string; isSigned: boolean; to: string },
    ) {
      const { to, ...plan } = options
      const made = await call<Stitched & { lostClaim: boolean }>('addAttachments', [path, ...files], plan)
      return { path: await placed(made, to), lostClaim: made.lostClaim }
    },
    async removeAttachments(path: string, options: { streams: readonly number[]; to: string }) {
      const { to, ...plan } = options
      return placed(await call<Stitched>('removeAttachments', [path], plan), to)
    },
    /** A page for each picture, and which of them are files of their own as they stand. */
    async pictureSheet(path: string, options: { objects: readonly ObjectId[]; to: string }) {
      const { to, ...which } = options
      const made = await call<Stitched & { raw: (RawKind | undefined)[] }>('pictureSheet', [path], which)
      return { path: await placed(made, to), raw: made.raw }
    },
    /** Every page as paper. */
    sheets: (path: string) => call<Sheet[]>('sheets', [path], {}),
    /** Takes fields of forms or all other annotations off the pages. */
    async dropAnnotations(path: string, options: { fields: boolean; others: boolean; to: string }) {
      const { to, ...which } = options
      return placed(await call<Stitched>('dropAnnotations', [path], which), to)
    },
    /** Turns pages clockwise, relative to how they stand. */
    async turn(path: string, { to, ...how }: { degrees: number; pages: readonly number[]; to: string }) {
      return placed(await call<Stitched>('turn', [path], how), to)
    },
    async dropSignatures(path: string, options: { to: string }) {
      return placed(await call<Stitched>('dropSignatures', [path], {}), options.to)
    },
  }
}

async function parted(made: Stitched, sizes: readonly number[], parts: readonly { to: string }[]): Promise<string[]> {
  const bytes = made.bytes ?? (await readFile(made.path!))
  let at = 0
  for (const [index, { to }] of parts.entries()) {
    await writeFile(to, bytes.subarray(at, at + sizes[index]!), { flag: 'wx' })
    at += sizes[index]!
  }
  if (made.path) await rm(made.path)
  return parts.map(({ to }) => to)
}

const CUTS_AT_ONCE = 100

async function append(tails: Uint8Array, sizes: readonly number[], cuts: readonly { path: string }[]): Promise<void> {
  let at = 0
  for (const [index, { path }] of cuts.entries()) {
    await appendFile(path, tails.subarray(at, at + sizes[index]!))
    at += sizes[index]!
  }
}

/** What the reader itself throws says that it cannot make sense of the document. */
function callerIn(room: HostRoom) {
  return async <Value>(method: string, files: readonly string[], args: unknown): Promise<Value> => {
    try {
      return await room.children.call(room, 'libpdf', method, files, args)
    } catch (error) {
      throw unreadable(error, '@libpdf/core')
    }
  }
}

async function placed({ bytes, path }: Stitched, to: string): Promise<string> {
  if (path !== undefined) return path
  await writeFile(to, bytes!, { flag: 'wx' })
  return to
}
