import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, statfs, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small separate disk that can be filled to the last byte. */
export interface SmallDisk extends AsyncDisposable {
  path: string
  freeBytes(): Promise<number>
  fill(): Promise<void>
  /** Frees the space that `fill` used. */
  drain(): Promise<void>
}

/** Gives undefined if this user may not mount. */
export async function openSmallDisk(sizeMb: number): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'coinop-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0711`, 'tmpfs', path])
  if (status !== 0) {
    await rm(path, { recursive: true })
    return undefined
  }
  const filler = join(path, 'filler')
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  }
  return {
    path,
    freeBytes,
    fill: async () => {
      while ((await freeBytes()) > 0) await writeFile(filler, Buffer.alloc(await freeBytes()), { flag: 'a' })
    },
    drain: () => unlink(filler),
    [Symbol.asyncDispose]: async () => {
      spawnSync('umount', ['--lazy', path])
      await rm(path, { recursive: true, force: true })
    },
  }
}
