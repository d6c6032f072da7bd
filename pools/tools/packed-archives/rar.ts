import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Problem } from '#kit'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'
import { MAX_BYTES, MAX_RATIO, MIN_BYTES_FOR_RATIO, parseProblem, unsafeProblem } from '../unzip/entry.ts'
import { requireProgram } from './programs.ts'
import { inspectRar } from './rar-headers.ts'

const UTF8 = { LC_ALL: 'C.UTF-8' }
/** The headers of the tar. */
const OVERHEAD_BYTES = 32 * 2 ** 20

export async function convertRar(context: HostContext, path: string): Promise<string> {
  const program = requireProgram('rar')
  const { isEncrypted, isVolume } = await inspectRar(path)
  if (isVolume) throw new Problem('UNSUPPORTED_FORMAT', { detected: 'a part of a RAR archive of several files' })
  if (isEncrypted)
    throw new Problem('UNSUPPORTED_FORMAT', { detected: 'an encrypted RAR archive', supported: ['7z', 'zip'] })
  const name = await addInputFile(context, path)
  const { size } = await stat(path)
  const limitBytes = Math.min(MAX_BYTES, Math.max(MIN_BYTES_FOR_RATIO, size * MAX_RATIO))
  const args = ['-cf', './unpacked.tar', '--format=pax', `@${name}`]
  const { code, stderr } = await context.programs
    .run(context, program, args, {
      readOnly: [basename(name)],
      outputLimitBytes: limitBytes + OVERHEAD_BYTES,
      env: UTF8,
    })
    .catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'OUTPUT_TOO_LARGE') throw error
      throw limitBytes === MAX_BYTES
        ? unsafeProblem('size', { limitBytes })
        : unsafeProblem('ratio', { limit: MAX_RATIO })
    })
  if (code === 1) throw parseProblem(describeFault(stderr))
  if (code !== 0) throw new ToolCrashed('bsdtar', `exit code ${code} ${stderr.slice(0, 500)}`)
  return checkOutputFile(context, context.out('unpacked.tar'), 'bsdtar')
}

function describeFault(stderr: string): string {
  const line = stderr.split('\n').find(text => !/\(null\)|exit delayed/.test(text)) ?? ''
  return line.replace(/^bsdtar: (?:Error reading archive \S+: )?/, '').slice(0, 200) || 'the archive is damaged'
}
