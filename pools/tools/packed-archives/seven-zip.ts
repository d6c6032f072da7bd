import { createReadStream } from 'node:fs'
import { open, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile, grantRead, ownerOf, type ProgramResult } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'
import {
  type ArchiveEntry,
  checkSizes,
  MAX_ENTRIES,
  parseProblem,
  sumCompressed,
  unsafeProblem,
} from '../unzip/entry.ts'
import { requireProgram } from './programs.ts'

const MAX_LIST_BYTES = 16 * 2 ** 20
const UTF8 = { LC_ALL: 'C.UTF-8' }
/** Asked for a password that it is not given, 7-Zip stops as if a user had interrupted it. */
const EXIT_STOPPED = 255

/** Lists the entries. Only an archive whose list is encrypted needs the password for it. */
export async function listSevenZip(context: HostContext, path: string, password?: string): Promise<ArchiveEntry[]> {
  const args = ['l', '-slt', '-mmt=1', '-ba', '-t7z', '-sccUTF-8']
  const { stdout } = await run(context, path, args, { password, stdoutLimitBytes: MAX_LIST_BYTES })
  if (stdout.length >= MAX_LIST_BYTES) throw unsafeProblem('entries', { limit: MAX_ENTRIES })
  const blocks = stdout.replaceAll('\r', '').split(/\n\n+(?=Path = )/)
  const entries = blocks.flatMap(block => (block.includes('Path = ') ? [parseEntry(block)] : []))
  if (entries.length > MAX_ENTRIES) throw unsafeProblem('entries', { limit: MAX_ENTRIES })
  return entries
}

function parseEntry(block: string): ArchiveEntry {
  const fields = readFields(block)
  const attributes = fields.get('Attributes') ?? ''
  const modified = Date.parse(`${fields.get('Modified')?.slice(0, 19).replace(' ', 'T')}Z`)
  return {
    name: fields.get('Path') ?? '',
    kind: findKind(attributes, fields),
    sizeBytes: Number(fields.get('Size') ?? 0),
    compressedBytes: Number(fields.get('Packed Size') || 0),
    isEncrypted: fields.get('Encrypted') === '+',
    ...(!Number.isNaN(modified) && { modifiedAt: new Date(modified).toISOString() }),
  }
}

function readFields(block: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of block.trim().split('\n')) {
    const [, key, value = ''] = /^([A-Z][A-Za-z ]*?) =(?: (.*))?$/.exec(line) ?? []
    if (key === undefined) continue
    // A name with a line break looks like other fields of the list.
    if (fields.has(key)) throw parseProblem('an entry has a name with a line break')
    fields.set(key, value)
  }
  return fields
}

/** The attributes are those of Windows, followed by those of Unix if there are any: `A lrwxrwxrwx`. */
function findKind(attributes: string, fields: ReadonlyMap<string, string>): ArchiveEntry['kind'] {
  const [, windows = '', type] = /^([A-Z_]*) ?([a-z-])?/.exec(attributes) ?? []
  const isLink =
    type === 'l' || windows.includes('L') || Boolean(fields.get('Symbolic Link') || fields.get('Hard Link'))
  if (isLink) return 'link'
  if (windows.includes('D') || type === 'd') return 'folder'
  // What was packed from a pipe is an ordinary file by its content.
  const hasContent = Number(fields.get('Size') ?? 0) > 0
  return type === undefined || type === '-' || hasContent ? 'file' : 'other'
}

/**
 * Lets 7-Zip write the contents one after the other into one file, which is cut at the sizes that the list states: names
 * of entries never become names of files, and no entry can be larger than it says.
 */
export async function extractSevenZip(
  context: HostContext,
  path: string,
  entries: readonly ArchiveEntry[],
  { wanted, password }: { wanted: readonly number[]; password?: string },
): Promise<string[]> {
  if (wanted.length === 0) return []
  const names = new Set(wanted.map(index => entries[index]!.name))
  const written = entries.flatMap(({ name, kind }, index) => (names.has(name) && kind !== 'folder' ? [index] : []))
  const writtenEntries = written.map(index => entries[index]!)
  // Files that are compressed together have their compressed size at the first of them.
  checkSizes(writtenEntries, sumCompressed(entries))
  const totalBytes = writtenEntries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const list = join(context.folder, 'names.txt')
  await rm(list, { force: true })
  await writeFile(list, [...names].join('\n'), { flag: 'wx' })
  grantRead(ownerOf(context.folder), list)
  const args = ['e', '-so', '-mmt=1', '-bd', '-t7z', '-spd', '-scsUTF-8', '-i@./names.txt']
  await run(context, path, args, { password, to: 'contents.bin', outputLimitBytes: totalBytes + 1 })
  const contents = await checkOutputFile(context, context.out('contents.bin'), '7-Zip')
  if ((await stat(contents)).size !== totalBytes) throw parseProblem('an entry is not as long as the list says')
  const paths = await cut(context, contents, { entries, written, wanted })
  await rm(contents)
  return paths
}

async function cut(
  context: HostContext,
  contents: string,
  {
    entries,
    written,
    wanted,
  }: { entries: readonly ArchiveEntry[]; written: readonly number[]; wanted: readonly number[] },
): Promise<string[]> {
  const paths = new Map<number, string>()
  let start = 0
  for (const index of written) {
    const { sizeBytes } = entries[index]!
    if (wanted.includes(index)) paths.set(index, await copyPart(context, contents, { index, start, sizeBytes }))
    start += sizeBytes
  }
  return wanted.map(index => paths.get(index)!)
}

async function copyPart(
  context: HostContext,
  contents: string,
  { index, start, sizeBytes }: { index: number; start: number; sizeBytes: number },
): Promise<string> {
  const to = context.out(`packed-${index}`)
  const target = await open(to, 'wx')
  try {
    const end = start + sizeBytes - 1
    if (sizeBytes > 0) for await (const chunk of createReadStream(contents, { start, end })) await target.write(chunk)
  } finally {
    await target.close()
  }
  return to
}

interface RunOptions {
  password?: string
  /** The file in the job's folder that gets what 7-Zip writes. */
  to?: string
  stdoutLimitBytes?: number
  outputLimitBytes?: number
}

/** The password is handed over on the standard input, because command lines can be read by other users. */
async function run(
  context: HostContext,
  path: string,
  args: readonly string[],
  { password, to, ...limits }: RunOptions,
): Promise<ProgramResult> {
  const program = requireProgram('7z')
  const name = await addInputFile(context, path)
  const stdin = Buffer.from(password === undefined ? '' : `${password}\n`)
  const options = { ...limits, stdin, env: UTF8, readOnly: [basename(name)] }
  const command =
    to === undefined ? [program, ...args, name] : ['sh', '-c', `exec "$@" > ./${to}`, 'sh', program, ...args, name]
  const result = await context.programs.run(context, command[0]!, command.slice(1), options)
  if (result.code !== 0) throw toProblem(result, password)
  return result
}

function toProblem({ code, stdout, stderr }: ProgramResult, password: string | undefined): Error {
  const text = `${stdout.slice(0, 2000)}\n${stderr}`
  const isAboutPassword = /Wrong password/i.test(text) || /Enter password/i.test(text)
  if (isAboutPassword && password !== undefined) return new Problem('ARCHIVE_PASSWORD_INCORRECT')
  if (isAboutPassword || code === EXIT_STOPPED) return new Problem('ARCHIVE_PASSWORD_REQUIRED')
  if (/can'?t allocate|not enough memory/i.test(text)) return new Problem('MEMORY_LIMIT_EXCEEDED')
  if (code <= 8) return parseProblem(findDetail(text))
  return new ToolCrashed('7zz', `exit code ${code} ${stderr.slice(0, 500)}`)
}

function findDetail(text: string): string {
  const [, detail] = /ERRORS?:\s*(?:\S+ : )?(.+)/.exec(text) ?? []
  return (detail ?? 'the archive is damaged').slice(0, 200)
}
