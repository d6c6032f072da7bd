import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { HEAD_BYTES, recogniseTypes } from '../../../../tasks/formats/file-types/recognise.ts'
import { isPacked, readSvg } from '../../../../tasks/formats/svg/source.ts'
import type { HostContext } from '../../../host-context.ts'
import { readFileStart } from '../../../inspect/file-start.ts'
import { writeReadable } from './readable-file.ts'

const MARK_BYTES = 4

/** An SVG that is compressed or in UTF-16 as plain text in UTF-8. Other files are returned unchanged. */
export async function unpackVector(context: HostContext, path: string): Promise<string> {
  if (!isPacked(readFileStart(path, MARK_BYTES))) return path
  const bytes = await readFile(path)
  const types = await recogniseTypes(bytes.subarray(0, HEAD_BYTES), bytes.length <= HEAD_BYTES)
  if (!types.includes('image/svg+xml')) return path
  const to = context.out(`unpacked-${basename(path)}.svg`)
  if (!existsSync(to)) await writeReadable(context, to, Buffer.from(await readSvg(bytes)))
  return to
}
