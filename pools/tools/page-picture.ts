import { basename } from 'node:path'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { bringIn, takeOut } from '../programs.ts'
import { ToolCrashed } from '../tool-crashed.ts'

export function bind(room: HostRoom) {
  return { grey: (path: string, page: number) => grey(room, path, page) }
}

/** Pixels along the longer side: enough for the smallest codes people print. */
const SIDE = 3500

/** One page of a PDF as a grey picture in a file. */
async function grey(room: HostRoom, path: string, page: number): Promise<string> {
  const name = await bringIn(room, path)
  const number = String(page)
  const args = ['-gray', '-f', number, '-l', number, '-singlefile', '-scale-to', String(SIDE), name, './page']
  const { code, stderr } = await room.programs.run(room, 'pdftoppm', args, { readOnly: [basename(name)] })
  if (/Wrong page range/i.test(stderr)) throw new Problem('BAD_RANGE', { field: 'page', segment: number })
  if (/Incorrect password/i.test(stderr)) throw new Problem('PDF_PASSWORD_REQUIRED')
  if (code === 1 || code === 3) throw new Problem('PDF_PARSE_FAILED')
  if (code !== 0) throw new ToolCrashed('pdftoppm', `exit code ${code} ${stderr.slice(0, 500)}`)
  return takeOut(room, room.out('page.pgm'), 'pdftoppm')
}
