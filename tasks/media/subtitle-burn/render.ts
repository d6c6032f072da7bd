import { Problem, type Warning } from '#kit'
import type { Ffmpeg } from '../../formats/media/result.ts'
import { renderAss, type TextStyle } from '../../formats/subtitles/ass.ts'
import { type EmbeddedFont, editAss, type StyleChanges } from '../../formats/subtitles/ass-file.ts'
import type { Subtitles } from '../../formats/subtitles/read.ts'

interface Look {
  style: StyleChanges
  offsetMs: number
  fonts: readonly EmbeddedFont[]
}

interface Size {
  width: number
  height: number
}

/** Percent of the shorter side, so that upright videos get no larger letters than wide ones. */
const USUAL = { size: 6.5, outline: 6, marginPct: 5, color: '#ffffff', outlineColor: '#000000' }
const ALIGNMENTS = { bottom: 2, middle: 5, top: 8 }

/** The subtitles as the renderer reads them: with a style of ours, or their own with what is changed about it. */
export function renderSubtitles(subtitles: Subtitles, { style, offsetMs, fonts }: Look, size: Size): string {
  const offsetSeconds = offsetMs / 1000
  if ('ass' in subtitles) return editAss(subtitles.ass, { offsetSeconds, style, fonts })
  const cues = subtitles.cues.map(cue => ({ ...cue, start: cue.start + offsetSeconds, end: cue.end + offsetSeconds }))
  const shown = cues.filter(({ end }) => end > 0)
  if (shown.length === 0)
    throw new Problem('BAD_TIME_RANGE', { field: 'offsetMs', detail: 'no subtitle would be left' })
  return renderAss(shown, planStyle(style, size), size)
}

function planStyle(style: StyleChanges, { width, height }: Size): TextStyle {
  const size = ((style.size ?? USUAL.size) / 100) * Math.min(width, height)
  return {
    size,
    color: style.color ?? USUAL.color,
    outlineColor: style.outlineColor ?? (style.box ? '#000000a0' : USUAL.outlineColor),
    outline: ((style.outline ?? USUAL.outline) / 100) * size,
    box: style.box ?? false,
    alignment: ALIGNMENTS[style.position ?? 'bottom'],
    marginX: width * 0.04,
    marginY: ((style.marginPct ?? USUAL.marginPct) / 100) * height,
    bold: style.bold ?? false,
    italic: style.italic ?? false,
    ...(style.font !== undefined && { font: style.font }),
  }
}

/** Another font is used in place of one that is not installed, unless the caller refuses that. */
export async function checkFont(ffmpeg: Ffmpeg, font: string, isStrict: boolean): Promise<Warning[]> {
  try {
    await ffmpeg.requireFont(font, 'style.font')
    return []
  } catch (error) {
    if (isStrict || !(error instanceof Problem) || error.code !== 'FONT_UNAVAILABLE') throw error
    return [{ code: 'FONT_SUBSTITUTED', message: `${font} is not installed here; another font was used.` }]
  }
}
