import { constants, renameSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { JobRoom } from './job-room.ts'
import { linkOrCopy, readableBy, takeOut } from './programs.ts'
import { isRoot } from './sandbox.ts'

export interface Borrower {
  folder: string
  uid: number
}

/**
 * Lends a call's files to a child under names of its own folder. A link would let a child that runs as our own user
 * write to the original, so that it gets a copy.
 */
export async function lend(files: readonly string[], { folder, uid }: Borrower, id: number): Promise<string[]> {
  return Promise.all(
    files.map(async (file, index) => {
      const name = loanName(id, index)
      const place = join(folder, name)
      await (isRoot ? linkOrCopy(file, place) : copyFile(file, place, constants.COPYFILE_FICLONE))
      readableBy(uid, place)
      return name
    }),
  )
}

export function takeBack(count: number, folder: string, id: number): void {
  for (let index = 0; index < count; index++) rmSync(join(folder, loanName(id, index)), { force: true })
}

function loanName(id: number, index: number): string {
  return `in-${id}-${index}`
}

/** Where a child left its bytes in a file, the file moves to the job. */
export async function unspill(value: unknown, folder: string, room: JobRoom, engine: string): Promise<unknown> {
  const { spilled, ...rest } = (value ?? {}) as { spilled?: string }
  if (spilled === undefined) return value
  const place = join(room.folder, basename(spilled))
  renameSync(join(folder, basename(spilled)), place)
  return { ...rest, path: await takeOut(room, place, engine) }
}
