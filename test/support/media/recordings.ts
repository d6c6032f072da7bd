import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../machine/programs.ts'

export const sample = (name: string) => fileURLToPath(new URL(`../../../tasks/samples/${name}`, import.meta.url))

/** Makes a recording with ffmpeg; `@out` is the output and `@0`, `@1` the inputs among the arguments. */
export function record(extension: string, args: string, inputs: readonly (Uint8Array | string)[] = []): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'))
  try {
    const names = inputs.map((content, index) => {
      const path = join(folder, `in-${index}`)
      writeFileSync(path, content)
      return path
    })
    const to = join(folder, `out.${extension}`)
    const words = args
      .split(' ')
      .filter(word => word !== '')
      .map(word => (word === '@out' ? to : word.replace(/@(\d)/, (_, at) => names[Number(at)]!)))
    runProgram('ffmpeg', ['-v', 'error', '-nostdin', ...words, ...(words.includes(to) ? [] : [to])])
    return readFileSync(to)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const video = (size = '64x48', seconds = 1, rate = 10) =>
  `-f lavfi -i testsrc2=s=${size}:r=${rate}:d=${seconds} -pix_fmt yuv420p -preset ultrafast`
export const sine = (hertz = 440, seconds = 1, rate = 16_000) => `-f lavfi -i sine=${hertz}:r=${rate}:d=${seconds}`

interface DescribedStream {
  codec_name: string
  codec_type: string
  width?: number
  height?: number
  sample_rate?: string
  channels?: number
  start_time?: string
  duration?: string
  nb_frames?: string
  tags: Record<string, string>
}

interface Described {
  format: { format_name: string; duration: string; tags?: Record<string, string> }
  streams: DescribedStream[]
  chapters: { start_time: string; end_time: string; tags?: Record<string, string> }[]
}

/** What ffprobe says of bytes. */
export function describeRecording(bytes: Uint8Array): Described {
  return JSON.parse(probeWith(bytes, ['-show_format', '-show_streams', '-show_chapters']))
}

/** `h264 64x48` or `aac 16000/1` for each stream. */
export function listStreams(bytes: Uint8Array): string[] {
  return describeRecording(bytes).streams.map(({ codec_name, codec_type, width, height, sample_rate, channels }) => {
    if (codec_type === 'video') return `${codec_name} ${width}x${height}`
    return codec_type === 'audio' ? `${codec_name} ${sample_rate}/${channels}` : `${codec_name}`
  })
}

export function probeWith(bytes: Uint8Array, args: readonly string[]): string {
  return withFile(bytes, path => runProgram('ffprobe', ['-v', 'error', '-of', 'json', ...args, path]))
}

function withFile<Result>(bytes: Uint8Array, use: (path: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'))
  try {
    const path = join(folder, 'in')
    writeFileSync(path, bytes)
    return use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Decodes the sound to samples from -1 to 1, of one channel. */
export function readSamples(bytes: Uint8Array, rate = 8000): Float32Array {
  return withFile(bytes, path => {
    const to = `${path}.raw`
    runProgram('ffmpeg', ['-v', 'error', '-nostdin', '-i', path, '-ac', '1', '-ar', String(rate), '-f', 'f32le', to])
    const raw = readFileSync(to)
    return new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length))
  })
}

/** The loudness of a part, as the root of the mean square. */
export function measureLevel(samples: Float32Array, from: number, to: number, rate = 8000): number {
  const part = samples.subarray(Math.round(from * rate), Math.round(to * rate))
  return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / Math.max(1, part.length))
}

/** The loudness in LUFS and the true peak in dB by EBU R128; a short recording is repeated, as it needs some length. */
export function measureLoudness(bytes: Uint8Array, isDualMono = false): { integrated: number; truePeak: number } {
  const chain = `ebur128=peak=true:dualmono=${isDualMono}:metadata=1`
  return withFile(bytes, path => {
    const looped = ['-stream_loop', '20', '-i', path, '-af', `${chain},ametadata=print:file=-`, '-f', 'null', '-']
    const lines = runProgram('ffmpeg', ['-v', 'error', '-nostdin', ...looped])
    const last = (name: string) =>
      Number(
        lines
          .match(new RegExp(`r128\\.${name}=(\\S+)`, 'g'))!
          .at(-1)!
          .split('=')[1],
      )
    return { integrated: last('I'), truePeak: 20 * Math.log10(last('true_peak')) }
  })
}

/** The frequency of a part, by its zero crossings. */
export function measureHertz(samples: Float32Array, from: number, to: number, rate = 8000): number {
  const part = samples.subarray(Math.round(from * rate), Math.round(to * rate))
  let crossings = 0
  for (let at = 1; at < part.length; at++) if (part[at - 1]! < 0 !== part[at]! < 0) crossings += 1
  return crossings / 2 / (to - from)
}

/** Every frame as RGB, decoded from the video. */
export function readFrames(bytes: Uint8Array, width: number, height: number): Uint8Array[] {
  return withFile(bytes, path => {
    const to = `${path}.rgb`
    runProgram('ffmpeg', [
      '-v',
      'error',
      '-nostdin',
      '-i',
      path,
      '-map',
      '0:v:0',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgb24',
      to,
    ])
    const raw = readFileSync(to)
    const size = width * height * 3
    return Array.from({ length: Math.floor(raw.length / size) }, (_, at) => raw.subarray(at * size, (at + 1) * size))
  })
}

export function pixelAt(frame: Uint8Array, width: number, x: number, y: number): number[] {
  return [...frame.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]
}
