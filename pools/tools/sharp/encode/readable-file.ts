import { writeFile } from 'node:fs/promises'
import type { HostContext } from '../../../host-context.ts'
import { grantRead, ownerOf } from '../../../programs/run.ts'

/** Writes a new file that the confined engine may read. */
export async function writeReadable(context: HostContext, to: string, bytes: Uint8Array): Promise<void> {
  await writeFile(to, bytes, { flag: 'wx' })
  grantRead(ownerOf(context.folder), to)
}
