import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A recording of a moving test card with a tone. */
export async function createClip(folder: string, name: string, size: string, seconds: number): Promise<Buffer> {
  const path = join(folder, name)
  const sources = [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=s=${size}:r=30:d=${seconds}`,
    '-f',
    'lavfi',
    '-i',
    `sine=440:d=${seconds}`,
  ]
  const encoders = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...sources, ...encoders, path])
  return readFile(path)
}

/** The same recording with other bytes at its end, so that nothing that is remembered of it is used. */
export function varyClip(clip: Buffer, at: number): Buffer {
  const box = Buffer.alloc(12)
  box.writeUInt32BE(12, 0)
  box.write('free', 4, 'latin1')
  box.writeUInt32BE(at, 8)
  return Buffer.concat([clip, box])
}

const VISUAL = '-c:v libx264 -preset fast -crf 23 -pix_fmt yuv420p'
const COLORS = '-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv'
const SCALE =
  'scale=640:360:in_color_matrix=bt709:out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd,setsar=1'
const SOUND = 'aresample=44100:async=1:first_pts=0,aformat=channel_layouts=mono'
const END = `${VISUAL} ${COLORS} -c:a aac -b:a 80k -movflags +faststart -f mp4`

/** The commands that the operations run, as a script would. */
export const COMMANDS = {
  probe: 'ffprobe -v error -of json -show_format -show_streams -show_chapters -i',
  convert: (clip: string) =>
    `ffmpeg -v error -nostdin -y -i ${clip} -filter_complex ` +
    `[0:0]${SCALE},fps=30:start_time=0[v];[0:1]${SOUND}[a] -map [v] -map [a] ${END} out.mp4`,
  trim: (clip: string) =>
    `ffmpeg -v error -nostdin -y -ss 1 -t 5 -i ${clip} -filter_complex ` +
    `[0:0]${SCALE.replace('640:360', '1280:720')},fps=30:start_time=0,trim=0:5,setpts=PTS-STARTPTS[v];` +
    `[0:1]${SOUND},atrim=0:5,asetpts=PTS-STARTPTS[a] -map [v] -map [a] ${END} out.mp4`,
  thumbnail: (clip: string) =>
    `ffmpeg -v error -nostdin -y -ss 1.5 -i ${clip} -vf ${SCALE} -c:v mjpeg -q:v 6 -pix_fmt yuvj420p -frames:v 1 -update 1 out.jpg`,
}

/** Runs a command in a folder; gives the seconds that it took. */
export async function timeCommand(command: string, folder: string): Promise<number> {
  const [program, ...args] = command.split(' ')
  const startedAt = performance.now()
  await run(program!, args, { cwd: folder })
  return (performance.now() - startedAt) / 1_000
}
