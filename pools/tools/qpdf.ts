import { lstat, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { bringIn, type Finished, ownerOf, readableBy, takeOut } from '../programs.ts'
import { ToolCrashed } from '../tool-crashed.ts'
import { readWith } from './document-reader.ts'
import { groupsOf } from './qpdf-groups.ts'

export interface Selection {
  path: string
  /** Numbers from 1, in the order they are to stand. */
  pages: readonly number[]
}

export interface Lock {
  userPassword: string
  ownerPassword: string
  bits: 128 | 256
  /** What may be done without the owner's password, in qpdf's words. */
  allowed: Record<string, string>
}

export interface Taken {
  pages: readonly number[]
  to: string
}

export interface Unpacked {
  object: number
  generation?: number
  /** As it stands, without any of its filters undone. */
  isRaw?: boolean
  to: string
}

export function bind(room: HostRoom) {
  return {
    /** Rewrites a PDF plainly: repaired where it was damaged, its pages in a tree that adds up, without its encryption. */
    clean: (path: string, options: { to: string; password?: string }) => clean(room, path, options),
    /** Joins pages; document-wide things come from the first file. All files must open without a password. */
    join: (parts: readonly Selection[], options: { to: string; attachmentsFrom?: readonly string[] }) =>
      joinPages(room, parts, options),
    /** Turns pages clockwise, relative to how they stand. */
    rotate: (path: string, options: { degrees: number; pages: readonly number[]; to: string; password?: string }) =>
      rotate(room, path, options),
    /** Takes pages of one file into files of their own; what belongs to the whole document stays with each. */
    take: (path: string, parts: readonly Taken[]) => takePages(room, path, parts),
    /** Locks a file that opens without a password. */
    encrypt: (path: string, lock: Lock, options: { to: string }) => encrypt(room, path, lock, options),
    sizesOf: (paths: readonly string[]) => Promise.all(paths.map(async path => (await lstat(path)).size)),
    /** Puts pages of several files in one order; document-wide things come from the file at `path`. */
    arrange: (
      path: string,
      parts: readonly Selection[],
      options: { to: string; attachmentsFrom?: readonly string[] },
    ) => arrange(room, path, parts, options),
    tidy: (path: string, options: { to: string; keepsForm?: boolean }) => tidy(room, path, options),
    /** The same for many files at once. */
    tidyEach: (files: readonly { path: string; to: string }[]) => tidyEach(room, files),
    /** What an encrypted file lets everybody do, in qpdf's words. */
    allowed: (path: string, password: string | undefined) => allowed(room, path, password),
    /** Unpacks streams by their numbers; none may become larger than an attachment may be, nor all of them together. */
    unpack: (path: string, streams: readonly Unpacked[]) => unpack(room, path, streams),
  }
}

/** qpdf ends with 0, with 3 after repairing something, and with 2 when it gave up. */
const REPAIRED = 3

async function clean(
  room: HostRoom,
  path: string,
  { to, password }: { to: string; password?: string },
): Promise<{ path: string; isRepaired: boolean; isEncrypted: boolean }> {
  const name = await bringIn(room, path)
  const isEncrypted = await checkPassword(room, name, password)
  const plain = ['--decrypt', '--object-streams=disable', name, '--pages', '.', '1-z', '--']
  const args = [...secret(password), ...plain, `./${basename(to)}`]
  const { code } = await run(room, args, [name], password)
  return { path: await takeOut(room, to, 'qpdf'), isRepaired: code === REPAIRED, isEncrypted }
}

/** Whether the file is encrypted at all; a Problem where the password is missing or wrong. */
async function checkPassword(room: HostRoom, name: string, password: string | undefined): Promise<boolean> {
  const args = [...secret(password), '--requires-password', name]
  const { code } = await readWith(room, 'qpdf', args, { readOnly: [name], ...stdinFor(password) })
  if (code === 0) throw new Problem(password ? 'PDF_PASSWORD_INCORRECT' : 'PDF_PASSWORD_REQUIRED')
  return code === REPAIRED
}

async function joinPages(
  room: HostRoom,
  parts: readonly Selection[],
  { to, attachmentsFrom = [] }: { to: string; attachmentsFrom?: readonly string[] },
): Promise<string> {
  const names = await Promise.all(parts.map(({ path }) => bringIn(room, path)))
  const pages = parts.flatMap((part, index) => [names[index]!, rangeOf(part.pages)])
  const copies = await copiesFrom(room, attachmentsFrom)
  const args = [names[0]!, ...copies, '--pages', ...pages, '--', `./${basename(to)}`]
  await run(room, await inFile(room, args), [...new Set(names)])
  return takeOut(room, to, 'qpdf')
}

/** The order goes by a file: no list of processes shows a password, and none is taken for an option. */
async function encrypt(room: HostRoom, path: string, lock: Lock, { to }: { to: string }): Promise<string> {
  const { userPassword, ownerPassword, bits, allowed } = lock
  const name = await bringIn(room, path)
  const strength = bits === 128 ? { ...allowed, useAes: 'y' } : allowed
  const order = {
    inputFile: name,
    outputFile: `./${basename(to)}`,
    encrypt: { userPassword, ownerPassword, [`${bits}bit`]: strength },
  }
  await placed(room, 'order.json', [JSON.stringify(order)])
  try {
    await run(room, ['--job-json-file=./order.json'], [name])
  } finally {
    await rm(join(room.folder, 'order.json'), { force: true })
  }
  return takeOut(room, to, 'qpdf')
}

/** A loop of one confined shell: a start of the sandbox for each of many small parts would cost more than the parts. */
async function takePages(room: HostRoom, path: string, parts: readonly Taken[]): Promise<string[]> {
  const name = await bringIn(room, path)
  const groups = groupsOf(parts)
  const lines = groups
    ? groups.flatMap((group, index) => {
        const piece = `./piece-${index}.pdf`
        const made = group.cuts.map(cut => takeLine(piece, cut))
        return [takeLine(name, { pages: group.pages, to: piece }), ...made, `rm '${piece}'`]
      })
    : parts.map(part => takeLine(name, part))
  await script(room, lines, [basename(name)])
  return Promise.all(parts.map(({ to }) => takeOut(room, to, 'qpdf')))
}

async function tidyEach(room: HostRoom, files: readonly { path: string; to: string }[]): Promise<string[]> {
  const names = await Promise.all(files.map(({ path }) => bringIn(room, path)))
  const lines = files.map(
    ({ to }, index) => `qpdf --warning-exit-0 --object-streams=generate '${names[index]}' './${basename(to)}'`,
  )
  await script(room, lines, [])
  return Promise.all(files.map(({ to }) => takeOut(room, to, 'qpdf')))
}

async function script(room: HostRoom, lines: readonly string[], readOnly: readonly string[]): Promise<void> {
  await placed(room, 'lines.sh', ['set -e', ...lines])
  const { code, stderr } = await readWith(room, 'sh', ['./lines.sh'], { readOnly })
  if (code === 2) throw new Problem('PDF_PARSE_FAILED', { detail: lastLine(stderr) })
  if (code !== 0) throw new ToolCrashed('qpdf', `exit code ${code} ${stderr.slice(0, 500)}`)
}

function takeLine(from: string, { pages, to }: Taken): string {
  const how = '--warning-exit-0 --remove-unreferenced-resources=yes'
  return `qpdf ${how} '${from}' --pages . ${rangeOf(pages)} -- './${basename(to)}'`
}

async function arrange(
  room: HostRoom,
  path: string,
  parts: readonly Selection[],
  { to, attachmentsFrom = [] }: { to: string; attachmentsFrom?: readonly string[] },
): Promise<string> {
  const primary = await bringIn(room, path)
  const names = await Promise.all(parts.map(part => bringIn(room, part.path)))
  const pages = parts.flatMap((part, index) => [names[index]!, rangeOf(part.pages)])
  const copies = await copiesFrom(room, attachmentsFrom)
  const args = [
    primary,
    '--remove-unreferenced-resources=yes',
    ...copies,
    '--pages',
    ...pages,
    '--',
    `./${basename(to)}`,
  ]
  await run(room, await inFile(room, args), [...new Set([primary, ...names])])
  return takeOut(room, to, 'qpdf')
}

/** Files of the same name are told apart by the number of their document. */
async function copiesFrom(room: HostRoom, paths: readonly string[]): Promise<string[]> {
  const names = await Promise.all(paths.map(path => bringIn(room, path)))
  return names.flatMap((name, index) => ['--copy-attachments-from', name, `--prefix=${index + 2}-`, '--'])
}

async function rotate(
  room: HostRoom,
  path: string,
  { degrees, pages, to, password }: { degrees: number; pages: readonly number[]; to: string; password?: string },
): Promise<string> {
  const name = await bringIn(room, path)
  const turn = `--rotate=+${degrees}:${rangeOf(pages)}`
  const args = [...secret(password), '--decrypt', name, turn, `./${basename(to)}`]
  await run(room, args, [name], password)
  return takeOut(room, to, 'qpdf')
}

/** Writes a file anew without what nothing refers to any more; some kinds of PDF/A allow no other form than they have. */
async function tidy(room: HostRoom, path: string, { to, keepsForm }: { to: string; keepsForm?: boolean }) {
  const name = await bringIn(room, path)
  const form = keepsForm ? 'preserve' : 'generate'
  await run(room, [`--object-streams=${form}`, name, `./${basename(to)}`], [name])
  return takeOut(room, to, 'qpdf')
}

async function allowed(
  room: HostRoom,
  path: string,
  password: string | undefined,
): Promise<Record<string, boolean | undefined>> {
  const name = await bringIn(room, path)
  const args = [...secret(password), '--json=2', '--json-key=encrypt', name]
  const { stdout } = await run(room, args, [name], password)
  const { encrypt } = JSON.parse(stdout) as { encrypt: { capabilities: Record<string, boolean> } }
  return encrypt.capabilities
}

const LARGEST_ATTACHMENT = 50 * 2 ** 20
const MOST_ATTACHED_BYTES = 500 * 2 ** 20
/** As a shell reports a program that wrote more than it may. */
const TOO_LARGE = 153

async function unpack(room: HostRoom, path: string, streams: readonly Unpacked[]): Promise<string[]> {
  const name = await bringIn(room, path)
  const lines = streams.flatMap(({ object, generation = 0, isRaw, to }) => [
    'code=0',
    `qpdf --show-object=${object},${generation} --${isRaw ? 'raw' : 'filtered'}-stream-data '${name}' > './${basename(to)}' || code=$?`,
    `[ $code -eq 0 ] || [ $code -eq ${REPAIRED} ] || exit $code`,
    `all=$((all + $(wc -c < './${basename(to)}')))`,
    `[ $all -le ${MOST_ATTACHED_BYTES} ] || exit ${TOO_LARGE}`,
  ])
  await placed(room, 'unpack.sh', ['set -e', 'all=0', ...lines])
  const limits = { readOnly: [basename(name)], outputLimitBytes: LARGEST_ATTACHMENT }
  const { code, stderr } = await readWith(room, 'sh', ['./unpack.sh'], limits)
  if (code !== 0) throw new Problem('PDF_PARSE_FAILED', { detail: lastLine(stderr) })
  return Promise.all(streams.map(({ to }) => takeOut(room, to, 'qpdf')))
}

async function run(
  room: HostRoom,
  args: readonly string[],
  names: readonly string[],
  password?: string,
): Promise<Finished> {
  const readOnly = names.map(name => basename(name))
  const finished = await readWith(room, 'qpdf', args, { readOnly, ...stdinFor(password) })
  if (finished.code === 0 || finished.code === REPAIRED) return finished
  if (/invalid password/.test(finished.stderr)) {
    throw new Problem(password ? 'PDF_PASSWORD_INCORRECT' : 'PDF_PASSWORD_REQUIRED')
  }
  if (/unsupported encryption filter/.test(finished.stderr)) {
    throw new Problem('UNSUPPORTED_FORMAT', { detected: 'a PDF encrypted for certificates', supported: ['password'] })
  }
  if (finished.code === 2) throw new Problem('PDF_PARSE_FAILED', { detail: lastLine(finished.stderr) })
  throw new ToolCrashed('qpdf', `exit code ${finished.code} ${finished.stderr.slice(0, 500)}`)
}

/** qpdf's own word for what is wrong, without the name of our file. */
function lastLine(stderr: string): string {
  const line = stderr.trim().split('\n').at(-1) ?? ''
  return line.replace(/^(qpdf: |WARNING: )?(\.\/)?\S+(\.pdf)?( \([^)]*\))?: /, '').slice(0, 200)
}

/** Passwords go by stdin, where no list of processes shows them. */
function secret(password: string | undefined): string[] {
  return password === undefined ? [] : ['--password-file=-']
}

function stdinFor(password: string | undefined): { stdin?: Uint8Array } {
  return password === undefined ? {} : { stdin: Buffer.from(password) }
}

/** A long list of arguments goes by a file, one a line; the names in it are ours and have no line breaks. */
async function inFile(room: HostRoom, args: readonly string[]): Promise<string[]> {
  if (args.join(' ').length < 8000) return [...args]
  await placed(room, 'arguments.txt', args)
  return ['@./arguments.txt']
}

async function placed(room: HostRoom, name: string, lines: readonly string[]): Promise<void> {
  const place = join(room.folder, name)
  await rm(place, { force: true })
  await writeFile(place, lines.join('\n'), { flag: 'wx' })
  readableBy(ownerOf(room.folder), place)
}

/** `1,2,3,7` as `1-3,7`. */
export function rangeOf(pages: readonly number[]): string {
  const spans: [from: number, to: number][] = []
  for (const page of pages) {
    const last = spans.at(-1)
    if (last && page === last[1] + 1) last[1] = page
    else spans.push([page, page])
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}
