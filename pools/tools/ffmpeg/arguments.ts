// Decision 0100: run ffmpeg as a confined program.

/**
 * What a file may be read as. Left out is everything that opens further files or devices: playlists, concat scripts,
 * numbered images, manifests, captures and network streams.
 */
const DEMUXERS = [
  ...['aac', 'ac3', 'aiff', 'amr', 'amrnb', 'amrwb', 'ape', 'asf', 'au', 'caf', 'dsf', 'dts', 'eac3', 'flac', 'gsm'],
  ...['iff', 'mp3', 'mpc', 'mpc8', 'ogg', 'tta', 'voc', 'w64', 'wav', 'wv'],
  ...['avi', 'dv', 'flv', 'h264', 'hevc', 'ivf', 'm4v', 'matroska', 'mov', 'mpeg', 'mpegts', 'mpegvideo', 'mxf', 'nut'],
  ...['obu', 'rm', 'wtv', 'yuv4mpegpipe'],
  ...['apng', 'bmp_pipe', 'gif', 'jpeg_pipe', 'png_pipe', 'webp_pipe'],
  ...['ass', 'srt', 'webvtt', 'ffmetadata'],
].join(',')

export interface MediaInput {
  path: string
  /** Options before the input, such as a position to seek to. */
  options?: readonly string[]
  /** A list of files that we wrote ourselves. */
  isList?: boolean
}

interface MediaOutput {
  /** In the job's folder; absent to decode and write nothing. */
  path?: string
  options: readonly string[]
  /** The path is a pipe that is read while the program runs. */
  isPiped?: boolean
}

export interface MediaCommand {
  inputs: readonly MediaInput[]
  /** The filter graph; it must contain no text of the caller. */
  graph?: string
  outputs: readonly MediaOutput[]
  /** How many seconds are written, for the progress of a long run. */
  seconds?: number
  /** What else than errors is reported: what filters measured, or what they lacked. */
  logLevel?: 'error' | 'warning' | 'info'
  /** Filters draw text, for which they read the fonts of the system. */
  drawsText?: boolean
}

const READ_LIMITS = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', DEMUXERS]
const READ_LIST_LIMITS = [
  ...['-f', 'concat', '-safe', '0', '-protocol_whitelist', 'file', '-format_whitelist', `concat,${DEMUXERS}`],
]

/** `names` are the inputs' names in the job's folder. */
export function buildArguments(command: MediaCommand, names: readonly string[], progressName: string): string[] {
  const inputs = command.inputs.flatMap(({ options = [], isList }, index) => [
    ...options,
    ...(isList ? READ_LIST_LIMITS : READ_LIMITS),
    ...['-i', names[index]!],
  ])
  const graph = command.graph ? ['-filter_complex', command.graph] : []
  const outputs = command.outputs.flatMap(({ path, options }) =>
    path ? [...options, `./${path.slice(path.lastIndexOf('/') + 1)}`] : [...options, '-f', 'null', '-'],
  )
  const progress = ['-progress', `./${progressName}`, '-stats_period', '0.5']
  return [
    '-hide_banner',
    '-nostdin',
    '-y',
    '-v',
    command.logLevel ?? 'error',
    ...progress,
    ...inputs,
    ...graph,
    ...outputs,
  ]
}

export function buildProbeArguments(name: string, entries: readonly string[]): string[] {
  return ['-v', 'error', ...READ_LIMITS, '-of', 'json', ...entries, '-i', name]
}
