import { lstat, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import { formatPageRanges } from '../../../tasks/formats/pdf/page-ranges.ts'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile, grantRead, ownerOf, type ProgramResult } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'
import { runReader } from '../poppler/run-reader.ts'
import { checkDocument, checkPassword, EXIT_REPAIRED } from './check.ts'
import { groupExtracts } from './groups.ts'
import { passwordArgs, passwordInput } from './password.ts'
import { addMissingTrailerSize } from './trailer.ts'

interface PageSelection {
  path: string
  /** Page numbers from 1, in output order. */
  pages: readonly number[]
}

interface EncryptionOptions {
  userPassword: string
  ownerPassword: string
  bits: 128 | 256
  /** What may be done without the owner password, by qpdf's option names. */
  permissions: Record<string, string>
}

interface PageExtract {
  pages: readonly number[]
  to: string
}

interface StreamExtract {
  object: number
  generation?: number
  /** Return the stored bytes without decoding any filter. */
  isRaw?: boolean
  to: string
}

const PACK = ['--object-streams=generate', '--recompress-flate', '--compression-level=9']
const FLATTEN = ['--generate-appearances', '--flatten-annotations=screen']

export function bind(context: HostContext) {
  return {
    /** Rewrites a PDF without encryption, with damage repaired and a consistent page tree. */
    normalize: (path: string, options: { to: string; password?: string }) => normalize(context, path, options),
    /** Lists what qpdf finds wrong; nothing for a sound document. */
    check: (path: string, password?: string) => checkDocument(context, path, password),
    /** Joins pages. Document-level data comes from the first file. All files must open without a password. */
    join: (parts: readonly PageSelection[], options: { to: string; attachmentsFrom?: readonly string[] }) =>
      joinPages(context, parts, options),
    /** Rotates pages clockwise, relative to their current rotation. */
    rotate: (path: string, options: { degrees: number; pages: readonly number[]; to: string; password?: string }) =>
      rotate(context, path, options),
    /** Extracts pages of one file to several files, each of which keeps the document-level data. */
    extractPages: (path: string, parts: readonly PageExtract[]) => extractPages(context, path, parts),
    /** Encrypts a file that opens without a password. */
    encrypt: (path: string, encryption: EncryptionOptions, options: { to: string }) =>
      encrypt(context, path, encryption, options),
    fileSizes: (paths: readonly string[]) => Promise.all(paths.map(async path => (await lstat(path)).size)),
    /** Joins pages of several files in any order. Document-level data comes from the file at `path`. */
    arrange: (
      path: string,
      parts: readonly PageSelection[],
      options: { to: string; attachmentsFrom?: readonly string[] },
    ) => arrange(context, path, parts, options),
    /** Writes a file as small as the structure allows, without changing what it contains. */
    pack: (path: string, { to, linearize }: { to: string; linearize: boolean }) =>
      writeCopy(context, path, to, [...PACK, ...(linearize ? ['--linearize'] : [])]),
    /** Rewrites a file without unreferenced objects. */
    rewrite: (path: string, { to, keepsForm }: { to: string; keepsForm?: boolean }) =>
      writeCopy(context, path, to, [`--object-streams=${keepsForm ? 'preserve' : 'generate'}`]),
    /** Draws form values and other annotations into the pages. */
    flatten: (path: string, { to }: { to: string }) => writeCopy(context, path, to, FLATTEN),
    /** Does the same for many files in one sandbox. */
    rewriteEach: (files: readonly { path: string; to: string }[]) => rewriteEach(context, files),
    /** Reads what may be done without the owner password, by qpdf's names. */
    readPermissions: (path: string, password: string | undefined) => readPermissions(context, path, password),
    /** Extracts streams by object number. Limits the size of each stream and of all together. */
    extractStreams: (path: string, streams: readonly StreamExtract[]) => extractStreams(context, path, streams),
  }
}

async function normalize(
  context: HostContext,
  path: string,
  { to, password }: { to: string; password?: string },
): Promise<{ path: string; isRepaired: boolean; isEncrypted: boolean }> {
  const name = await addInputFile(context, path)
  const isEncrypted = await checkPassword(context, name, password)
  const options = ['--decrypt', '--deterministic-id', '--object-streams=disable', name, '--pages', '.', '1-z', '--']
  const args = [...passwordArgs(password), ...options, `./${basename(to)}`]
  const { code } = await run(context, args, [name], password)
  const written = await addMissingTrailerSize(await checkOutputFile(context, to, 'qpdf'))
  return { path: written, isRepaired: code === EXIT_REPAIRED, isEncrypted }
}

async function joinPages(
  context: HostContext,
  parts: readonly PageSelection[],
  { to, attachmentsFrom = [] }: { to: string; attachmentsFrom?: readonly string[] },
): Promise<string> {
  const names = await Promise.all(parts.map(({ path }) => addInputFile(context, path)))
  const pages = parts.flatMap((part, index) => [names[index]!, formatPageRanges(part.pages)])
  const copies = await copyAttachmentArgs(context, attachmentsFrom)
  const args = ['--deterministic-id', names[0]!, ...copies, '--pages', ...pages, '--', `./${basename(to)}`]
  await run(context, await toArgumentsFile(context, args), [...new Set(names)])
  return checkOutputFile(context, to, 'qpdf')
}

/** Passes the job as a file, so that passwords appear in no process list and are never parsed as options. */
async function encrypt(
  context: HostContext,
  path: string,
  encryption: EncryptionOptions,
  { to }: { to: string },
): Promise<string> {
  const { userPassword, ownerPassword, bits, permissions } = encryption
  const name = await addInputFile(context, path)
  const keyOptions = bits === 128 ? { ...permissions, useAes: 'y' } : permissions
  const job = {
    inputFile: name,
    outputFile: `./${basename(to)}`,
    encrypt: { userPassword, ownerPassword, [`${bits}bit`]: keyOptions },
  }
  await writeJobFile(context, 'job.json', [JSON.stringify(job)])
  try {
    await run(context, ['--job-json-file=./job.json'], [name])
  } finally {
    await rm(join(context.folder, 'job.json'), { force: true })
  }
  return checkOutputFile(context, to, 'qpdf')
}

/** Runs all commands in one sandbox, because starting one for each small part would cost more than the part. */
async function extractPages(context: HostContext, path: string, parts: readonly PageExtract[]): Promise<string[]> {
  const name = await addInputFile(context, path)
  const groups = groupExtracts(parts)
  const lines = groups
    ? groups.flatMap((group, index) => {
        const piece = `./piece-${index}.pdf`
        const commands = group.extracts.map(extract => extractCommand(piece, extract))
        return [extractCommand(name, { pages: group.pages, to: piece }), ...commands, `rm '${piece}'`]
      })
    : parts.map(part => extractCommand(name, part))
  await runScript(context, lines, [basename(name)])
  return Promise.all(parts.map(({ to }) => checkOutputFile(context, to, 'qpdf')))
}

async function rewriteEach(context: HostContext, files: readonly { path: string; to: string }[]): Promise<string[]> {
  const names = await Promise.all(files.map(({ path }) => addInputFile(context, path)))
  const lines = files.map(
    ({ to }, index) => `qpdf --warning-exit-0 --object-streams=generate '${names[index]}' './${basename(to)}'`,
  )
  await runScript(context, lines, [])
  return Promise.all(files.map(({ to }) => checkOutputFile(context, to, 'qpdf')))
}

async function runScript(context: HostContext, lines: readonly string[], readOnly: readonly string[]): Promise<void> {
  await writeJobFile(context, 'script.sh', ['set -e', ...lines])
  const { code, stderr } = await runReader(context, 'sh', ['./script.sh'], { readOnly })
  if (code === 2) throw new Problem('PDF_PARSE_FAILED', { detail: errorDetail(stderr) })
  if (code !== 0) throw new ToolCrashed('qpdf', `exit code ${code} ${stderr.slice(0, 500)}`)
}

function extractCommand(from: string, { pages, to }: PageExtract): string {
  const options = '--warning-exit-0 --remove-unreferenced-resources=yes'
  return `qpdf ${options} '${from}' --pages . ${formatPageRanges(pages)} -- './${basename(to)}'`
}

async function arrange(
  context: HostContext,
  path: string,
  parts: readonly PageSelection[],
  { to, attachmentsFrom = [] }: { to: string; attachmentsFrom?: readonly string[] },
): Promise<string> {
  const primary = await addInputFile(context, path)
  const names = await Promise.all(parts.map(part => addInputFile(context, part.path)))
  const pages = parts.flatMap((part, index) => [names[index]!, formatPageRanges(part.pages)])
  const copies = await copyAttachmentArgs(context, attachmentsFrom)
  const args = [
    primary,
    '--remove-unreferenced-resources=yes',
    ...copies,
    '--pages',
    ...pages,
    '--',
    `./${basename(to)}`,
  ]
  await run(context, await toArgumentsFile(context, args), [...new Set([primary, ...names])])
  return checkOutputFile(context, to, 'qpdf')
}

/** The prefix keeps attachments of the same name from different documents apart. */
async function copyAttachmentArgs(context: HostContext, paths: readonly string[]): Promise<string[]> {
  const names = await Promise.all(paths.map(path => addInputFile(context, path)))
  return names.flatMap((name, index) => ['--copy-attachments-from', name, `--prefix=${index + 2}-`, '--'])
}

async function rotate(
  context: HostContext,
  path: string,
  { degrees, pages, to, password }: { degrees: number; pages: readonly number[]; to: string; password?: string },
): Promise<string> {
  const name = await addInputFile(context, path)
  const rotation = `--rotate=+${degrees}:${formatPageRanges(pages)}`
  const args = [...passwordArgs(password), '--decrypt', name, rotation, `./${basename(to)}`]
  await run(context, args, [name], password)
  return checkOutputFile(context, to, 'qpdf')
}

/** `keepsForm` keeps the object streams as they are, because some kinds of PDF/A do not allow them. */
async function writeCopy(context: HostContext, path: string, to: string, options: readonly string[]): Promise<string> {
  const name = await addInputFile(context, path)
  await run(context, [...options, name, `./${basename(to)}`], [name])
  return checkOutputFile(context, to, 'qpdf')
}

async function readPermissions(
  context: HostContext,
  path: string,
  password: string | undefined,
): Promise<Record<string, boolean | undefined>> {
  const name = await addInputFile(context, path)
  const args = [...passwordArgs(password), '--json=2', '--json-key=encrypt', name]
  const { stdout } = await run(context, args, [name], password)
  const { encrypt } = JSON.parse(stdout) as { encrypt: { capabilities: Record<string, boolean> } }
  return encrypt.capabilities
}

const MAX_STREAM_BYTES = 50 * 2 ** 20
const MAX_TOTAL_BYTES = 500 * 2 ** 20
/** The exit code of a program that a shell killed with SIGXFSZ: it wrote more than its limit. */
const EXIT_FILE_TOO_LARGE = 153

async function extractStreams(
  context: HostContext,
  path: string,
  streams: readonly StreamExtract[],
): Promise<string[]> {
  const name = await addInputFile(context, path)
  const lines = streams.flatMap(({ object, generation = 0, isRaw, to }) => [
    'code=0',
    `qpdf --show-object=${object},${generation} --${isRaw ? 'raw' : 'filtered'}-stream-data '${name}' > './${basename(to)}' || code=$?`,
    `[ $code -eq 0 ] || [ $code -eq ${EXIT_REPAIRED} ] || exit $code`,
    `total=$((total + $(wc -c < './${basename(to)}')))`,
    `[ $total -le ${MAX_TOTAL_BYTES} ] || exit ${EXIT_FILE_TOO_LARGE}`,
  ])
  await writeJobFile(context, 'extract.sh', ['set -e', 'total=0', ...lines])
  const limits = { readOnly: [basename(name)], outputLimitBytes: MAX_STREAM_BYTES }
  const { code, stderr } = await runReader(context, 'sh', ['./extract.sh'], limits)
  if (code !== 0) throw new Problem('PDF_PARSE_FAILED', { detail: errorDetail(stderr) })
  return Promise.all(streams.map(({ to }) => checkOutputFile(context, to, 'qpdf')))
}

async function run(
  context: HostContext,
  args: readonly string[],
  names: readonly string[],
  password?: string,
): Promise<ProgramResult> {
  const readOnly = names.map(name => basename(name))
  const result = await runReader(context, 'qpdf', args, { readOnly, ...passwordInput(password) })
  if (result.code === 0 || result.code === EXIT_REPAIRED) return result
  if (/invalid password/.test(result.stderr)) {
    throw new Problem(password ? 'PDF_PASSWORD_INCORRECT' : 'PDF_PASSWORD_REQUIRED')
  }
  if (/unsupported encryption filter/.test(result.stderr)) {
    throw new Problem('UNSUPPORTED_FORMAT', { detected: 'a PDF encrypted for certificates', supported: ['password'] })
  }
  if (result.code === 2) throw new Problem('PDF_PARSE_FAILED', { detail: errorDetail(result.stderr) })
  throw new ToolCrashed('qpdf', `exit code ${result.code} ${result.stderr.slice(0, 500)}`)
}

/** The last line of qpdf's messages, without the name of our temporary file. */
function errorDetail(stderr: string): string {
  const line = stderr.trim().split('\n').at(-1) ?? ''
  return line.replace(/^(qpdf: |WARNING: )?(\.\/)?\S+(\.pdf)?( \([^)]*\))?: /, '').slice(0, 200)
}

/** Writes a long argument list to a file, one per line. The names in it are ours and contain no line breaks. */
async function toArgumentsFile(context: HostContext, args: readonly string[]): Promise<string[]> {
  if (args.join(' ').length < 8000) return [...args]
  await writeJobFile(context, 'arguments.txt', args)
  return ['@./arguments.txt']
}

async function writeJobFile(context: HostContext, name: string, lines: readonly string[]): Promise<void> {
  const path = join(context.folder, name)
  await rm(path, { force: true })
  await writeFile(path, lines.join('\n'), { flag: 'wx' })
  grantRead(ownerOf(context.folder), path)
}
