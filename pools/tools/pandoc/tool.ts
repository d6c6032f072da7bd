import { statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Warning } from '#kit'
import { describeFormat, type MarkupFormat } from '../../../tasks/formats/markup/formats.ts'
import type { HostContext } from '../../host-context.ts'
import { type EngineOutput, saveOutput } from '../libpdf/engine-call.ts'
import type { ConvertRequest } from './engine.ts'

// A text may take 5 seconds on a processor and 60 for each MiB; usual ones take 10 to 40. HTML whose elements stay
// open is closed first, because 60 unclosed lists kept pandoc busy beyond its limit.

type Source = { path: string } | { text: string }

interface Conversion {
  path: string
  isZip: boolean
  warnings: Warning[]
}

/** Converts markup documents with the wasm build of pandoc, in a confined child process. */
export function bind(context: HostContext) {
  return {
    /** Reads the text of a document, without its pictures and links. */
    async convertToText(document: { path: string }, from: MarkupFormat): Promise<string> {
      const settings = { standalone: false, wrap: 'none' }
      const request = { from, to: 'plain', settings, media: 'drop', resources: [], name: 'document.txt' } as const
      return readFile((await convert(document, [], request)).path, 'utf8')
    },
    /** The resources are the files that the request names, in the same order. */
    convert,
  }

  async function convert(document: Source, resources: readonly string[], request: ConvertRequest): Promise<Conversion> {
    const path = 'path' in document ? document.path : context.out('document.txt')
    if ('text' in document) await writeFile(path, document.text)
    type Answer = EngineOutput & { isZip: boolean; warnings: Warning[] }
    const maxRunSeconds = describeFormat(request.from).isContainer ? undefined : limitRunSeconds(statSync(path).size)
    const { isZip, warnings, ...output } = await context.engines.call<Answer>(
      context,
      'pandoc',
      'convert',
      [path, ...resources],
      request,
      { maxRunSeconds },
    )
    return { path: await saveOutput(output, context.out('converted')), isZip, warnings }
  }
}

const MIN_RUN_SECONDS = 5
const RUN_SECONDS_PER_MEBIBYTE = 60

/**
 * Its readers of text try again from the start of what they could not read, so that a few bytes can take them hours. Text
 * takes them 10 to 40 seconds a mebibyte.
 */
function limitRunSeconds(sizeBytes: number): number {
  return Math.ceil(MIN_RUN_SECONDS + (RUN_SECONDS_PER_MEBIBYTE * sizeBytes) / 2 ** 20)
}

/** Of pandoc itself, read from a file of its package, because starting it takes 400 MB. */
export async function version(): Promise<string> {
  const entry = import.meta.resolve('pandoc-wasm')
  const text = await readFile(fileURLToPath(new URL('../pandoc-version.txt', entry)), 'utf8')
  return text.trim()
}
