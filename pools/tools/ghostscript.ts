import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { Problem } from '#kit'
import type { HostContext } from '../host-context.ts'
import { addInputFile, checkOutputFile } from '../programs/run.ts'
import { listFontFiles } from '../programs/sandbox.ts'
import { ToolCrashed } from '../tool-crashed.ts'
import { runReader } from './poppler/run-reader.ts'

// Decision 0110: run Ghostscript only as a program.

/** Ghostscript is AGPL: it is only run as a separate, unmodified program. */
export function bind(context: HostContext) {
  return {
    /** Interprets all pages and writes them anew. Form fields, tags and layers are lost. */
    rewrite: (path: string, { to }: { to: string }) => run(context, path, [], to),
    /** Draws the visible part of all pages anew, without annotations. Images stay, or turn to shades of grey, without loss. */
    redraw: (path: string, { to, gray }: { to: string; gray: boolean }) =>
      run(context, path, [...REDRAW_OPTIONS, ...(gray ? GRAY_OPTIONS : [])], to),
    /** Draws all pages anew within what PDF/A allows: fonts are embedded, colours are those of a screen. */
    redrawForArchive: (path: string, { to, level }: { to: string; level: string }) =>
      run(context, path, [`-dPDFA=${level[0]}`, ...ARCHIVE_OPTIONS], to),
  }
}

const IMAGE_OPTIONS = ['Color', 'Gray'].flatMap(kind => [
  `-dAutoFilter${kind}Images=false`,
  `-d${kind}ImageFilter=/FlateEncode`,
  `-dDownsample${kind}Images=false`,
])
const REDRAW_OPTIONS = [
  '-dShowAnnots=false',
  '-dUseCropBox',
  '-dAutoRotatePages=/None',
  '-dDownsampleMonoImages=false',
  ...IMAGE_OPTIONS,
]
const ARCHIVE_OPTIONS = [
  '-dPDFACompatibilityPolicy=1',
  '-sColorConversionStrategy=RGB',
  '-dAutoRotatePages=/None',
  '-dDownsampleMonoImages=false',
  ...IMAGE_OPTIONS,
]
const GRAY_OPTIONS = ['-sColorConversionStrategy=Gray', '-dProcessColorModel=/DeviceGray']
/**
 * Debian keeps its tables of characters here. Without them the text of fonts with many characters is drawn well, but
 * reads as other letters.
 */
const CHARACTER_MAPS = ['/var/lib/ghostscript'].filter(path => existsSync(path))
const LIMITS = { memoryMb: 3072 }
const OPTIONS = ['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfwrite']

async function run(context: HostContext, path: string, options: readonly string[], to: string): Promise<string> {
  const name = await addInputFile(context, path)
  const args = [...OPTIONS, ...options, `-sOutputFile=./${basename(to)}`, '-f', name]
  const { code, stderr } = await runReader(context, 'gs', args, {
    ...LIMITS,
    readOnly: [basename(name)],
    visible: [...CHARACTER_MAPS, ...listFontFiles()],
  })
  if (code === 0) return checkOutputFile(context, to, 'ghostscript')
  if (code < 128) throw new Problem('PDF_PARSE_FAILED', { detail: stderr.trim().split('\n').at(-1)?.slice(0, 200) })
  throw new ToolCrashed('ghostscript', `exit code ${code} ${stderr.slice(0, 500)}`)
}
