import { writeFile } from 'node:fs/promises'
import type { Warning } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { unreadable } from './document-reader.ts'
import type { AlbumPlan } from './pdf-album.ts'
import type { FillPlan, listForm } from './pdf-form.ts'
import type { PicturePlan, Redacted, RedactionPlan } from './pdf-redaction.ts'
import type { StampPlan } from './pdf-stamps.ts'
import type { LaidPage } from './poppler-boxes.ts'
import type { FoundPlace, Needles } from './redact-places.ts'

interface Made {
  bytes?: Uint8Array
  path?: string
}

/** What draws into PDFs, in the watched child of libpdf: marks, filled fields, pictures as pages, blackened places. */
export function bind(room: HostRoom) {
  const call = <Value>(method: string, files: readonly string[], args: unknown): Promise<Value> =>
    room.children.call<Value>(room, 'libpdf', method, files, args).catch(error => {
      throw unreadable(error, '@libpdf/core')
    })
  return {
    /** Lays marks on pages. The files of pictures and pages are named by the stamps, from 1. */
    async stamp(path: string, assets: readonly Asset[], { to, ...plan }: StampPlan & { to: string }) {
      return placed(await call<Made>('stamp', [path, ...(await onDisk(room, assets))], plan), to)
    },
    /** A page for each picture, which are JPEG or PNG. */
    async album(assets: readonly Asset[], { to, ...plan }: AlbumPlan & { to: string }) {
      return placed(await call<Made>('album', await onDisk(room, assets), plan), to)
    },
    form: (path: string) => call<Awaited<ReturnType<typeof listForm>>>('listForm', [path], {}),
    async fill(path: string, { to, ...plan }: FillPlan & { to: string }) {
      const { warnings, ...made } = await call<Made & { warnings: Warning[] }>('fillForm', [path], plan)
      return { path: await placed(made, to), warnings }
    },
    /** Where words stand that are looked for. */
    places: (pages: readonly { page: number; laid: LaidPage }[], needles: Needles) =>
      call<FoundPlace[]>('places', [], { pages, ...needles }),
    /** Takes out what lies in places. Of pages that are `unsure` only a picture is safe. */
    async redact(path: string, { to, ...plan }: RedactionPlan & { to: string }) {
      const { unsure, wiped, cleared, ...made } = await call<Redacted & Made>('redact', [path], plan)
      return { path: await placed(made, to), unsure, wiped, cleared }
    },
    /** A copy of which every layer is shown, for reading alone. */
    withLayersShown: async (path: string, { to }: { to: string }) =>
      placed(await call<Made>('withLayersShown', [path], {}), to),
    /** Puts pictures in place of pages, in the order of the plan. */
    async withPictures(path: string, pictures: readonly string[], { to, ...plan }: PicturePlan & { to: string }) {
      return placed(await call<Made>('withPictures', [path, ...pictures], plan), to)
    },
  }
}

/** A picture or a document that is drawn into another: few bytes come as they are, many as a file of the job. */
export interface Asset {
  bytes?: Uint8Array
  path?: string
}

function onDisk(room: HostRoom, assets: readonly Asset[]): Promise<string[]> {
  return Promise.all(
    assets.map(async ({ bytes, path }, index) => {
      if (path !== undefined) return path
      const place = room.out(`asset-${index}`)
      await writeFile(place, bytes!, { flag: 'wx' })
      return place
    }),
  )
}

async function placed({ bytes, path }: Made, to: string): Promise<string> {
  if (path !== undefined) return path
  await writeFile(to, bytes!, { flag: 'wx' })
  return to
}
