import { lstat, readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type MediaFacts, Problem } from '#kit'
import { type ProbeOutput, parseMediaFacts } from '../../../tasks/formats/media/description.ts'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile, grantRead, ownerOf, type ProgramResult } from '../../programs/run.ts'
import { listFontFiles } from '../../programs/sandbox.ts'
import { checkFont } from '../fonts/installed.ts'
import { buildArguments, buildProbeArguments, type MediaCommand } from './arguments.ts'
import { hasDamage, toDecodeProblem, toFailure, toReadProblem } from './failure.ts'
import { readBoxOrder } from './faststart.ts'
import { openJobPipe } from './job-pipe.ts'
import { describePlainFile } from './plain-file.ts'
import { findPrograms, type MediaPrograms } from './programs.ts'
import { readPosition, watchProgress } from './progress.ts'

/** The address space of an encoder with many threads; what it really uses is far less. */
const MEMORY_MB = 6144
const PROCESSES = 512
const PROBE_TIMEOUT_MS = 8000
const PROBE_BYTES = 2 * 2 ** 20
/** A file without a duration is read through once; copying is fast. */
const SCAN_TIMEOUT_MS = 20_000

interface RunReport {
  /** What ffmpeg said. */
  log: string
  /** Where the output ended. */
  seconds: number
  /** The decoder met damage and went on. */
  isDamaged: boolean
}

/** Reads and writes audio and video with ffmpeg and ffprobe, each run in a sandbox. */
export function bind(context: HostContext) {
  return {
    run: (command: MediaCommand) => run(context, command),
    /** Runs a command with one output, whose bytes are given to `onChunk` as they are written. */
    stream: (command: MediaCommand, onChunk: (chunk: Buffer) => void) => stream(context, command, onChunk),
    /** Describes a file that a run wrote, or one that was given. */
    probe: (path: string) => probe(context, path),
    /** Describes a file of the plainest kind without a program; nothing for any other. */
    describePlain: (path: string) => describePlain(path),
    /** Writes a file for ffmpeg to read, such as subtitles or a list of files. Returns its name in the job's folder. */
    write: (name: string, content: string | Uint8Array) => writeJobFile(context, name, content),
    /** Makes an input readable under a name without special characters, as filters and lists need it. */
    addInput: (path: string) => addInputFile(context, path),
    countFrames: (path: string) => countFrames(context, path),
    /** Reads a small file that a run wrote. */
    read: async (path: string) => new Uint8Array(await readFile(await checkOutputFile(context, path, 'ffmpeg'))),
    findKeyframe: (path: string, stream: number, seconds: number) => findKeyframe(context, path, stream, seconds),
    /** Throws FONT_UNAVAILABLE if no font of this name is installed. */
    requireFont: (font: string, field: string) => checkFont(context, font, { field }),
    sizeOf: async (path: string) => (await lstat(path)).size,
    readBoxOrder: (path: string) => readBoxOrder(path),
  }
}

export async function version(context: HostContext): Promise<string> {
  const programs = findPrograms(context)
  const versions = []
  for (const program of [programs.ffprobe, programs.ffmpeg]) {
    const { code, stdout, stderr } = await start(context, programs, program, ['-version'])
    if (code !== 0) throw new Error(stderr)
    versions.push(/version (\S+)/.exec(stdout)?.[1] ?? 'unknown')
  }
  return versions.at(-1)!
}

let runs = 0

async function run(context: HostContext, command: MediaCommand): Promise<RunReport> {
  const names = await Promise.all(command.inputs.map(({ path }) => addInputFile(context, path)))
  const progressPath = context.out(`progress-${++runs}.txt`)
  const args = buildArguments(command, names, basename(progressPath))
  const { seconds: total } = command
  const report = (done: number) => context.onProgress?.(Math.min(done, total!), total!, 'seconds')
  const stopWatching = total && context.onProgress ? watchProgress(progressPath, report) : undefined
  const programs = findPrograms(context)
  const readOnly = command.inputs.map(({ path }) => basename(path))
  const options = { readOnly, drawsText: command.drawsText ?? false }
  const result = await start(context, programs, programs.ffmpeg, args, options).finally(() => stopWatching?.())
  if (result.code !== 0) throw toFailure(result, args)
  const outputs = command.outputs.flatMap(({ path, isPiped }) => (path && !isPiped ? [path] : []))
  for (const path of outputs) await requireOutput(context, path, result)
  const seconds = (await readPosition(progressPath).catch(() => undefined)) ?? 0
  return { log: result.stderr, seconds, isDamaged: hasDamage(result.stderr) }
}

async function stream(
  context: HostContext,
  command: MediaCommand,
  onChunk: (chunk: Buffer) => void,
): Promise<RunReport> {
  const path = context.out(`stream-${++runs}`)
  const pipe = await openJobPipe(context, path, onChunk)
  try {
    const outputs = command.outputs.map(output => ({ ...output, path, isPiped: true }))
    const report = await run(context, { ...command, outputs })
    await pipe.ended
    return report
  } finally {
    pipe.close()
  }
}

/** ffmpeg ends without an error, and without a file, if no frame could be decoded. */
async function requireOutput(context: HostContext, path: string, result: ProgramResult): Promise<void> {
  if (path.includes('%')) return
  await checkOutputFile(context, path, 'ffmpeg').catch(() => {
    throw toDecodeProblem(result.stderr || 'nothing in this file could be decoded')
  })
}

async function probe(context: HostContext, path: string): Promise<MediaFacts> {
  const facts = (await describePlain(path)) ?? parseMediaFacts(await runProbe(context, path))
  if (facts.streams.every(({ type }) => type === 'data'))
    throw new Problem('MEDIA_DECODE_FAILED', { detail: 'it has neither picture nor sound' })
  return facts.seconds > 0 ? facts : { ...facts, seconds: await measureSeconds(context, path) }
}

async function describePlain(path: string): Promise<MediaFacts | undefined> {
  const output = await describePlainFile(path)
  return output && parseMediaFacts(output)
}

async function runProbe(context: HostContext, path: string): Promise<ProbeOutput> {
  const name = await addInputFile(context, path)
  const entries = ['-show_format', '-show_streams', '-show_chapters']
  return readJson<ProbeOutput>(context, buildProbeArguments(name, entries), basename(path))
}

/** Recordings of browsers and raw streams do not say how long they are. */
async function measureSeconds(context: HostContext, path: string): Promise<number> {
  const deadlineMs = Math.min(context.deadlineMs, performance.now() + SCAN_TIMEOUT_MS)
  const copy = { inputs: [{ path }], outputs: [{ options: ['-map', '0', '-c', 'copy'] }] }
  return (await run({ ...context, deadlineMs }, copy).catch(ignoreDamage)).seconds
}

function ignoreDamage(error: unknown): Pick<RunReport, 'seconds'> {
  if (error instanceof Problem && error.code === 'MEDIA_DECODE_FAILED') return { seconds: 0 }
  throw error
}

/** Decodes nothing but counts what the file holds, by the index of each stream. */
async function countFrames(context: HostContext, path: string): Promise<Map<number, number>> {
  const name = await addInputFile(context, path)
  const args = buildProbeArguments(name, ['-count_packets', '-show_entries', 'stream=index,nb_read_packets'])
  const { streams = [] } = await readJson<ProbeOutput>(context, args, basename(path))
  return new Map(streams.map(({ index, nb_read_packets: packets }) => [index, Number(packets ?? 0)]))
}

/** Where a copy that is to begin at a time really begins. */
async function findKeyframe(context: HostContext, path: string, stream: number, seconds: number): Promise<number> {
  const name = await addInputFile(context, path)
  const place = ['-select_streams', String(stream), '-read_intervals', `${seconds}%+#1`]
  const args = buildProbeArguments(name, [...place, '-show_entries', 'packet=pts_time'])
  const { packets = [] } = await readJson<{ packets?: { pts_time?: string }[] }>(context, args, basename(path))
  return Number(packets[0]?.pts_time ?? 0)
}

async function readJson<Value>(context: HostContext, args: readonly string[], name: string): Promise<Value> {
  const programs = findPrograms(context)
  const options = { readOnly: [name], timeoutMs: PROBE_TIMEOUT_MS, stdoutLimitBytes: PROBE_BYTES }
  const result = await start(context, programs, programs.ffprobe, args, options)
  if (result.code !== 0) throw toFailure(result, args)
  try {
    return JSON.parse(result.stdout) as Value
  } catch {
    throw new Problem('MEDIA_DECODE_FAILED', { detail: 'it describes more than a recording can have' })
  }
}

async function start(
  context: HostContext,
  { visible: own }: MediaPrograms,
  program: string,
  args: readonly string[],
  {
    drawsText = false,
    ...options
  }: { readOnly?: readonly string[]; timeoutMs?: number; stdoutLimitBytes?: number; drawsText?: boolean } = {},
): Promise<ProgramResult> {
  const visible = drawsText ? [...own, ...listFontFiles()] : own
  try {
    const limits = { memoryMb: MEMORY_MB, processes: PROCESSES, visible }
    return await context.programs.run(context, program, args, { ...limits, ...options })
  } catch (error) {
    throw toReadProblem(error)
  }
}

async function writeJobFile(context: HostContext, name: string, content: string | Uint8Array): Promise<string> {
  const path = context.out(name)
  await writeFile(path, content)
  grantRead(ownerOf(context.folder), path)
  return path
}
