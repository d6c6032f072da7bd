import { formatClock } from '../../formats/subtitles/cue.ts'

interface Board {
  tiles: number
  every: number
  seconds: number
  columns: number
  perSheet: number
  width: number
  height: number
}

/** WebVTT that tells a player which tile of which sheet shows which part; together the cues cover the whole duration. */
export function renderBoard(
  { tiles, every, seconds, columns, perSheet, width, height }: Board,
  nameSheet: (sheet: number) => string,
): string {
  const cues = Array.from({ length: tiles }, (_, tile) => {
    const [start, end] = [tile * every, tile === tiles - 1 ? seconds : (tile + 1) * every]
    const at = tile % perSheet
    const place = [(at % columns) * width, Math.floor(at / columns) * height, width, height].join(',')
    return `${formatClock(start, '.')} --> ${formatClock(end, '.')}\n${nameSheet(Math.floor(tile / perSheet))}#xywh=${place}\n`
  })
  return `WEBVTT\n\n${cues.join('\n')}`
}
