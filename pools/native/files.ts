import { constants, renameSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { JobContext } from '../job-context.ts'
import { checkOutputFile, grantRead, linkOrCopy } from '../programs/run.ts'
import { isRoot } from '../programs/sandbox.ts'

/**
 * Puts a call's files into a child's folder and returns their names there. A link would let a child that runs as our
 * own user write to the original, so it gets a copy.
 */
export function lendFiles(
  files: readonly string[],
  { folder, uid }: { folder: string; uid: number },
  callId: number,
): Promise<string[]> {
  return Promise.all(
    files.map(async (file, index) => {
      const name = lentName(callId, index)
      const path = join(folder, name)
      await (isRoot ? linkOrCopy(file, path) : copyFile(file, path, constants.COPYFILE_FICLONE))
      grantRead(uid, path)
      return name
    }),
  )
}

export function removeLentFiles(count: number, folder: string, callId: number): void {
  for (let index = 0; index < count; index++) rmSync(join(folder, lentName(callId, index)), { force: true })
}

function lentName(callId: number, index: number): string {
  return `in-${callId}-${index}`
}

/** Where a child wrote its bytes to files in its own folder, moves those files to the job's. */
export async function moveSpilledFiles(
  value: unknown,
  folder: string,
  context: JobContext,
  engine: string,
): Promise<unknown> {
  const { spilled, spilledFiles, ...rest } = (value ?? {}) as { spilled?: string; spilledFiles?: string[] }
  const move = (name: string) => {
    const path = join(context.folder, basename(name))
    renameSync(join(folder, basename(name)), path)
    return checkOutputFile(context, path, engine)
  }
  if (spilled !== undefined) return { ...rest, path: await move(spilled) }
  return spilledFiles === undefined ? value : { ...rest, paths: await Promise.all(spilledFiles.map(move)) }
}
